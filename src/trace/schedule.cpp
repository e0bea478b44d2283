// SPDX-License-Identifier: Apache-2.0
#include "trace/schedule.h"

#include <algorithm>
#include <charconv>

#include "abi/follow.h"
#include "base/hash.h"

namespace treadle {

std::string name_of(ThreadId thread, const std::vector<ThreadName>& threads) {
  unsigned number = index_of(thread);
  std::string path;
  while (number != 0) {
    // A number that the table does not explain is shown as what it is.
    if (number >= threads.size() || threads[number].parent >= number) return "?" + std::to_string(number) + path;
    path.insert(0, "." + std::to_string(threads[number].ordinal));
    number = threads[number].parent;
  }
  return "0" + path;
}

std::optional<std::uint64_t> thread_hash(const std::string& name) {
  std::uint64_t hash = 0;
  const char* at = name.data();
  const char* end = at + name.size();
  for (bool first = true; first || at != end; first = false) {
    if (!first && *at++ != '.') return std::nullopt;
    std::uint16_t ordinal = 0;
    const auto [next, error] = std::from_chars(at, end, ordinal);
    if (error != std::errc() || (first && ordinal != 0)) return std::nullopt;
    if (!first) hash = treadle_thread_hash(hash, ordinal);
    at = next;
  }
  return hash;
}

bool is_well_formed(const std::vector<ThreadName>& threads) {
  if (threads.empty() || threads.size() > TREADLE_MAX_THREADS || threads[0] != ThreadName{}) return false;
  for (std::size_t i = 1; i < threads.size(); ++i) {
    if (threads[i].parent >= i) return false;
    if (std::find(threads.begin() + 1, threads.begin() + static_cast<std::ptrdiff_t>(i), threads[i]) !=
        threads.begin() + static_cast<std::ptrdiff_t>(i))
      return false;
  }
  return true;
}

std::uint64_t hash_of(const Schedule& schedule) {
  Hash hash;
  hash.add(schedule.prefix.size());
  for (const Decision& d : schedule.prefix)
    hash.add(static_cast<std::uint64_t>(d.kind) | std::uint64_t{index_of(d.thread)} << 8 | std::uint64_t{d.argument} << 16);
  hash.add(static_cast<std::uint64_t>(schedule.policy)).add(schedule.seed).add(schedule.pct_depth).add(schedule.pct_length);
  hash.add(schedule.inputs.threads.size());
  for (const auto& [thread, values] : schedule.inputs.threads) {
    hash.add(thread).add(values.size());
    for (const std::uint64_t value : values) hash.add(value);
  }
  hash.add(schedule.inputs.names.size());
  for (const auto& [name, value] : schedule.inputs.names) hash.add(name).add(value);
  hash.add(schedule.threads.size());
  for (const ThreadName& name : schedule.threads) hash.add(std::uint64_t{name.parent} << 16 | name.ordinal);
  hash.add(static_cast<std::uint64_t>(schedule.model)).add(static_cast<std::uint64_t>(schedule.races));
  hash.add(schedule.spurious_wakeups ? 1 : 0).add(schedule.status_matters ? 1 : 0).add(schedule.max_steps);
  return hash.value();
}

}  // namespace treadle
