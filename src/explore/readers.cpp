// SPDX-License-Identifier: Apache-2.0
// Readers of a lock come in any order, so a writer that overtakes one of them may find others there.
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

/// Would a writer that comes before the reader `first` still find the lock taken for reading: by those who were there before, or who have
/// come since and do not depend on `first`?
bool PartialOrder::waits_for_readers(const Trace& trace, const Later& later, std::uint32_t first) const {
  if (later.event.kind != TREADLE_EV_WRLOCK) return false;
  const Event& reader = trace.events[transitions_[first].event];
  if (more_readers(reader) != 1) return false;
  std::int64_t readers = static_cast<std::int64_t>(reader.value) - 1;
  for (std::uint32_t k = first + 1; k < later.at && k < transitions_.size(); ++k) {
    if (transitions_[k].event == none || happens_before(first, k)) continue;
    const Event& event = trace.events[transitions_[k].event];
    if (event.address == later.event.address) readers += more_readers(event);
  }
  return readers > 0;
}

/// Those besides `first` that a writer has to overtake with it, when each keeps the writer out as long as another one has come. Empty:
/// there are none, or it would not do.
std::vector<std::uint32_t> PartialOrder::readers_to_overtake(const Trace& trace, const Later& later, std::uint32_t first) const {
  std::vector<std::uint32_t> also;
  if (later.event.kind != TREADLE_EV_WRLOCK) return also;
  const Event& reader = trace.events[transitions_[first].event];
  if (more_readers(reader) != 1 || reader.value != 1) return also;  // somebody has come before: then that is the first
  int left = 0;
  for (std::uint32_t k = first + 1; k < later.at && k < transitions_.size(); ++k) {
    const auto after = [&](std::uint32_t other) { return happens_before(other, k); };
    if (transitions_[k].event == none || after(first) || std::ranges::any_of(also, after)) continue;
    const Event& event = trace.events[transitions_[k].event];
    if (event.address != later.event.address) continue;
    if (more_readers(event) == 1 && !in_past(k, later.past))
      also.push_back(k);
    else
      left += more_readers(event);
  }
  if (left != 0) also.clear();
  return also;
}

}  // namespace treadle
