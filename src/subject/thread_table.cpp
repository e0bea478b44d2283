// SPDX-License-Identifier: Apache-2.0
#include "subject/thread_table.h"

#include <algorithm>

namespace treadle {

void ThreadTable::learn(const std::vector<ThreadName>& seen) {
  for (std::size_t id = names_.size(); id < seen.size(); ++id) names_.push_back(seen[id]);
}

std::uint16_t ThreadTable::number_of(ThreadName name) {
  const auto found = std::find(names_.begin() + 1, names_.end(), name);
  if (found != names_.end()) return static_cast<std::uint16_t>(found - names_.begin());
  names_.push_back(name);
  return static_cast<std::uint16_t>(names_.size() - 1);
}

std::optional<std::vector<std::uint8_t>> ThreadTable::translation(const std::vector<ThreadName>& foreign) {
  const std::size_t common = std::min(foreign.size(), names_.size());
  if (std::equal(foreign.begin(), foreign.begin() + static_cast<std::ptrdiff_t>(common), names_.begin())) {
    learn(foreign);
    return std::nullopt;
  }
  std::vector<std::uint8_t> numbers{0};
  for (std::size_t id = 1; id < foreign.size(); ++id) {
    const ThreadName& name = foreign[id];
    const std::uint16_t parent = name.parent < numbers.size() ? numbers[name.parent] : 0;
    numbers.push_back(static_cast<std::uint8_t>(number_of({parent, name.ordinal})));
  }
  return numbers;
}

}  // namespace treadle
