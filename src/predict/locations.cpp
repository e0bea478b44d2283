// SPDX-License-Identifier: Apache-2.0
#include "predict/locations.h"

#include <algorithm>
#include <limits>

#include "trace/happens_before.h"

namespace treadle {
namespace {

EventKind kind_of(const Event& event) { return static_cast<EventKind>(event.kind); }

/// The kernel looks at a futex's word, not the program.
bool is_memory(const Event& event) {
  return (reads_memory(kind_of(event)) && kind_of(event) != TREADLE_EV_FUTEX_WAIT) || writes_memory(kind_of(event));
}

bool is_atomic(const Event& event) { return event.kind >= TREADLE_EV_ATOMIC_READ && event.kind <= TREADLE_EV_CAS_FAIL; }

/// Where cells begin: all borders of accesses.
std::vector<std::uint64_t> borders_of(const Trace& trace) {
  std::vector<std::uint64_t> borders;
  for (const Event& event : trace.events) {
    if (!is_memory(event)) continue;
    borders.push_back(event.address);
    borders.push_back(event.address + bytes_of(event));
  }
  std::sort(borders.begin(), borders.end());
  borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
  return borders;
}

bool is_shared(const Location& location) {
  const auto other = [&](const MemoryAccess& a) { return a.thread != location.front().thread; };
  return std::any_of(location.begin(), location.end(), other) &&
         std::any_of(location.begin(), location.end(), [](const MemoryAccess& a) { return a.writes; });
}

class Finder {
 public:
  explicit Finder(const Trace& trace) : trace_(trace), borders_(borders_of(trace)), now_(borders_.size(), none) {}

  std::vector<Location> find() {
    for (std::uint32_t i = 0; i < trace_.events.size(); ++i) {
      const Event& event = trace_.events[i];
      if (event.kind == TREADLE_EV_ALLOC)
        each_cell(event.address, event.value, [&](std::size_t cell) { now_[cell] = none; });
      else if (is_memory(event))
        each_cell(event.address, bytes_of(event), [&](std::size_t cell) { location(cell).push_back(access_of(trace_, i)); });
    }
    std::erase_if(all_, [](const Location& location) { return !is_shared(location); });
    return std::move(all_);
  }

 private:
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

  template <class Use>
  void each_cell(std::uint64_t address, std::uint64_t bytes, Use use) const {
    const auto first = std::lower_bound(borders_.begin(), borders_.end(), address);
    for (auto at = first; at != borders_.end() && *at < address + bytes; ++at) use(static_cast<std::size_t>(at - borders_.begin()));
  }

  Location& location(std::size_t cell) {
    if (now_[cell] == none) {
      now_[cell] = all_.size();
      all_.emplace_back();
    }
    return all_[now_[cell]];
  }

  const Trace& trace_;
  std::vector<std::uint64_t> borders_;
  std::vector<std::size_t> now_;  // by cell: its location in the present life of its block
  std::vector<Location> all_;
};

}  // namespace

MemoryAccess access_of(const Trace& trace, std::uint32_t number) {
  const Event& event = trace.events[number];
  return {number, event.thread, reads_memory(kind_of(event)), writes_memory(kind_of(event)), is_atomic(event)};
}

std::vector<Location> shared_locations(const Trace& trace) { return Finder(trace).find(); }

}  // namespace treadle
