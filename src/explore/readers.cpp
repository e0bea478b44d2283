// SPDX-License-Identifier: Apache-2.0
// Readers of a lock come in any order, so a writer that overtakes one of them may find others there.
#include <algorithm>

#include "explore/partial_order.h"

namespace treadle {
namespace {

/// How many more readers there are after it.
int more_readers(const Event& event) {
  switch (static_cast<EventKind>(event.kind)) {
    case TREADLE_EV_RDLOCK:
    case TREADLE_EV_TRYRDLOCK:
    case TREADLE_EV_TIMEDRDLOCK:
      return event.extra == 0 ? 1 : 0;
    case TREADLE_EV_RWUNLOCK:
      return event.extra == 1 ? 0 : -1;
    default:
      return 0;
  }
}

}  // namespace

/// A writer that overtakes a reader has to overtake all whom the lock would still belong to then: who leaves only after one that is
/// overtaken, or never, must come after the writer, too. These are the fewest; each of them may keep further ones from leaving. False: one
/// of them comes before the writer in any case.
bool PartialOrder::overtake_readers(const Trace& trace, const Later& later, Candidate& candidate) const {
  const Event& reader = trace.events[transitions_[candidate.transition].event];
  const Event& writer = event_of_access(trace, later, candidate.access);
  if (writer.kind != TREADLE_EV_WRLOCK || more_readers(reader) != 1) return true;
  std::vector<std::uint32_t> overtaken{candidate.transition}, inside;
  const std::uint32_t begin = reader.value == 1 ? candidate.transition : 0;  // 1: nobody else was there
  do {
    inside.clear();
    for (std::uint32_t k = begin; k < later.at && k < transitions_.size(); ++k) {
      if (transitions_[k].event == none) continue;
      const Event& event = trace.events[transitions_[k].event];
      if (event.address != writer.address || more_readers(event) == 0) continue;
      if (std::ranges::any_of(overtaken, [&](std::uint32_t o) { return o <= k && happens_before(o, k); })) continue;
      if (more_readers(event) == 1) {
        inside.push_back(k);
        continue;
      }
      const auto came =
          std::find_if(inside.rbegin(), inside.rend(), [&](std::uint32_t i) { return transitions_[i].slot == transitions_[k].slot; });
      if (came != inside.rend()) inside.erase(std::next(came).base());
    }
    if (std::ranges::any_of(inside, [&](std::uint32_t i) { return in_past(i, later.past); })) return false;
    overtaken.insert(overtaken.end(), inside.begin(), inside.end());
  } while (!inside.empty());
  std::ranges::sort(overtaken);
  candidate.transition = overtaken.front();
  candidate.also.assign(overtaken.begin() + 1, overtaken.end());
  return true;
}

}  // namespace treadle
