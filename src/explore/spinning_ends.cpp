// SPDX-License-Identifier: Apache-2.0
#include "explore/spinning_ends.h"

#include <algorithm>
#include <set>

#include "explore/followed_iteration.h"
#include "explore/pending_steps.h"
#include "trace/spin_iterations.h"

namespace treadle {
namespace {

constexpr std::size_t most_iterations = 8;  // of one trace, the last ones

bool only_looks_at_memory(EventKind kind) {
  switch (kind) {
    case TREADLE_EV_READ:
    case TREADLE_EV_RANGE_READ:
    case TREADLE_EV_ATOMIC_READ:
    case TREADLE_EV_CAS_FAIL:
    case TREADLE_EV_CAS_OK:
    case TREADLE_EV_RMW:
    case TREADLE_EV_WRITE:
    case TREADLE_EV_ATOMIC_WRITE:
    case TREADLE_EV_FLUSH:
    case TREADLE_EV_FENCE:
    case TREADLE_EV_YIELD:
    case TREADLE_EV_SLEEP:
    case TREADLE_EV_SPIN:
    case TREADLE_EV_ITERATION:
    case TREADLE_EV_OBSERVE:
      return true;
    default:
      return false;
  }
}

bool only_looks_at_memory(const Trace& trace, const FruitlessIteration& iteration) {
  return std::ranges::all_of(trace.events, [&](const Event& e) {
    const bool is_in_it = e.thread == iteration.thread && e.step >= iteration.first && e.step <= iteration.last;
    return !is_in_it || only_looks_at_memory(static_cast<EventKind>(e.kind));
  });
}

bool same(const FruitlessIteration& a, const FruitlessIteration& b) {
  return a.thread == b.thread && a.first == b.first && a.last == b.last && a.steps == b.steps;
}

SpinningEnd with(const Trace& trace, const std::vector<FruitlessIteration>& chosen, MemoryModel model, Races races) {
  SpinningEnd end{trace, {}};
  for (const FruitlessIteration& one : chosen) {
    const auto left = all_fruitless_iterations(end.trace);
    const auto which = std::ranges::find_if(left, [&](const FruitlessIteration& other) { return same(one, other); });
    if (which == left.end()) continue;
    FollowedIteration followed = followed_along(end.trace, static_cast<std::uint32_t>(which - left.begin()) + 1, model, races);
    end.trace = std::move(followed.trace);
    end.spinning.push_back({followed.thread, followed.pc, followed.first, followed.behind});
  }
  // Whoever waits for something may do so for ever, too.
  if (stopped_in_vain(trace)) end.trace.end.ending = TREADLE_END_LIVELOCK;
  end.trace = with_pending_steps(end.trace);
  return end;
}

}  // namespace

std::vector<SpinningEnd> spinning_ends(const Trace& trace, MemoryModel model, Races races) {
  std::vector<FruitlessIteration> all = all_fruitless_iterations(trace);
  std::erase_if(all, [&](const FruitlessIteration& one) { return !only_looks_at_memory(trace, one); });
  const auto stands = [&](const FruitlessIteration& one) {
    return std::ranges::any_of(trace.pending,
                               [&](const PendingOperation& p) { return stands_in_loop(p) && index_of(p.thread) == one.thread; });
  };
  std::vector<SpinningEnd> ends;
  std::set<std::vector<std::uint32_t>> known;  // by the first decisions of those that are chosen
  const auto add = [&](std::vector<FruitlessIteration> chosen) {
    std::ranges::sort(chosen, {}, &FruitlessIteration::first);
    std::vector<std::uint32_t> firsts;
    for (const FruitlessIteration& one : chosen) firsts.push_back(one.first);
    if (known.insert(std::move(firsts)).second) ends.push_back(with(trace, chosen, model, races));
  };
  for (std::size_t i = all.size(); i-- > 0 && all.size() - i <= most_iterations;) {
    std::vector<FruitlessIteration> those_at_the_end{all[i]}, everybody{all[i]};
    std::set<unsigned> threads{all[i].thread};
    for (std::size_t j = all.size(); j-- > 0;)
      if (threads.insert(all[j].thread).second) {
        everybody.push_back(all[j]);
        if (stands(all[j])) those_at_the_end.push_back(all[j]);
      }
    add(std::move(those_at_the_end));
    add(std::move(everybody));
  }
  return ends;
}

}  // namespace treadle
