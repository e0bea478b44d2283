// SPDX-License-Identifier: Apache-2.0
#include "reproduce/known_order.h"

#include <algorithm>
#include <set>

namespace treadle {
namespace {

enum class Does { Neither, Reads, Writes, Both };

Does what_it_does(std::uint8_t kind) {
  switch (kind) {
    case TREADLE_EV_READ:
    case TREADLE_EV_RANGE_READ:
    case TREADLE_EV_ATOMIC_READ:
    case TREADLE_EV_CAS_FAIL:
      return Does::Reads;
    case TREADLE_EV_WRITE:
    case TREADLE_EV_RANGE_WRITE:
    case TREADLE_EV_ATOMIC_WRITE:
      return Does::Writes;
    case TREADLE_EV_RMW:
    case TREADLE_EV_CAS_OK:
      return Does::Both;
    default:
      return Does::Neither;
  }
}

bool is_range(const Event& event) { return event.kind == TREADLE_EV_RANGE_READ || event.kind == TREADLE_EV_RANGE_WRITE; }

struct Moment {
  std::uint32_t thread = 0, number = 0;
  auto operator<=>(const Moment&) const = default;
};

/// What a thread did, in order, and what is known to come before some of it.
class Runs {
 public:
  Runs(const Trace& told, const Ways& ways, bool with_core_order) : told_(told), moments_(told.threads.size()) {
    for (const Event& event : told.events) add(event);
    if (with_core_order) add_gates(ways);
  }

  LedAccesses accesses() {
    std::set<std::uint64_t> places;
    for (const Event& event : told_.events)
      if (what_it_does(event.kind) != Does::Neither && !is_range(event)) places.insert(event.address);
    for (bool moved = true; moved;) {
      moved = false;
      for (std::uint32_t thread = 0; thread < moments_.size(); ++thread) moved |= advance(thread, places);
    }
    std::erase_if(found_, [](const auto& entry) { return !is_shared(entry.second); });
    return std::move(found_);
  }

 private:
  void add(const Event& event) {
    auto& list = moments_[event.thread];
    const Moment here{event.thread, static_cast<std::uint32_t>(list.size())};
    list.push_back(&event);
    if (event.kind == TREADLE_EV_PATH && event.address != 0 && event.extra == TREADLE_ON_THE_PATH)
      entered_[{event.thread, static_cast<std::uint32_t>(event.value - 1)}] = here;
    if (event.kind == TREADLE_EV_THREAD_CREATE) before_[{static_cast<std::uint32_t>(event.value), 0}].push_back(here);
    if (event.kind == TREADLE_EV_THREAD_JOIN && event.extra == 0 && event.value < moments_.size() && !moments_[event.value].empty())
      before_[here].push_back({static_cast<std::uint32_t>(event.value), static_cast<std::uint32_t>(moments_[event.value].size() - 1)});
  }

  /// The first thread had entered its last block there before the second went on with its first.
  void add_gates(const Ways& ways) {
    std::map<std::string, std::uint32_t> threads;
    for (std::uint32_t i = 0; i < told_.threads.size(); ++i) threads[name_of(ThreadId{static_cast<std::uint8_t>(i)}, told_.threads)] = i;
    for (const Way& way : ways.threads)
      for (const Gate& gate : way.gates) {
        const auto first = threads.find(ways.threads[gate.way].thread), second = threads.find(way.thread);
        if (first == threads.end() || second == threads.end()) continue;
        const auto done = entered_.find({first->second, static_cast<std::uint32_t>(gate.other)});
        const auto next = entered_.find({second->second, static_cast<std::uint32_t>(gate.position)});
        if (done != entered_.end() && next != entered_.end()) before_[next->second].push_back(done->second);
      }
  }

  /// One thread, as far as what comes before is done.
  bool advance(std::uint32_t thread, const std::set<std::uint64_t>& places) {
    if (clocks_.empty()) clocks_.assign(moments_.size(), std::vector<std::vector<std::uint32_t>>{});
    auto& done = clocks_[thread];
    const std::size_t start = done.size();
    while (done.size() < moments_[thread].size()) {
      const Moment here{thread, static_cast<std::uint32_t>(done.size())};
      std::vector<std::uint32_t> clock = done.empty() ? std::vector<std::uint32_t>(moments_.size()) : done.back();
      clock[thread] = here.number;
      if (!join(here, clock)) break;
      note(*moments_[thread][here.number], here, clock, places);
      done.push_back(std::move(clock));
    }
    return done.size() > start;
  }

  bool join(const Moment& here, std::vector<std::uint32_t>& clock) const {
    const auto found = before_.find(here);
    if (found == before_.end()) return true;
    for (const Moment& other : found->second) {
      if (other.number >= clocks_[other.thread].size()) return false;
      const auto& theirs = clocks_[other.thread][other.number];
      for (std::size_t i = 0; i < clock.size(); ++i) clock[i] = std::max(clock[i], theirs[i]);
      clock[other.thread] = std::max(clock[other.thread], other.number + 1);
    }
    return true;
  }

  void note(const Event& event, const Moment& here, const std::vector<std::uint32_t>& clock, const std::set<std::uint64_t>& places) {
    const Does does = what_it_does(event.kind);
    if (does == Does::Neither) return;
    auto put = [&](std::uint64_t place) {
      if (does != Does::Writes) found_[place].push_back({here.thread, here.number, false, rank_++, clock});
      if (does != Does::Reads) found_[place].push_back({here.thread, here.number, true, rank_++, clock});
    };
    if (!is_range(event)) return put(event.address);
    for (auto place = places.lower_bound(event.address); place != places.end() && *place - event.address < event.extra; ++place)
      put(*place);
  }

  static bool is_shared(const std::vector<LedAccess>& accesses) {
    return std::ranges::any_of(accesses, &LedAccess::writes) &&
           std::ranges::any_of(accesses, [&](const LedAccess& access) { return access.thread != accesses.front().thread; });
  }

  const Trace& told_;
  std::vector<std::vector<const Event*>> moments_;
  std::map<Moment, Moment> entered_;  // thread and position of a block: when
  std::map<Moment, std::vector<Moment>> before_;
  std::vector<std::vector<std::vector<std::uint32_t>>> clocks_;
  LedAccesses found_;
  std::uint32_t rank_ = 0;
};

}  // namespace

bool is_before(const LedAccess& a, const LedAccess& b) {
  if (a.thread == b.thread) return a.moment != b.moment ? a.moment < b.moment : !a.writes && b.writes;
  return b.clock[a.thread] > a.moment;
}

LedAccesses led_accesses(const Trace& told, const Ways& ways, bool with_core_order) { return Runs(told, ways, with_core_order).accesses(); }

}  // namespace treadle
