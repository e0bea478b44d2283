// SPDX-License-Identifier: Apache-2.0
#include "report/html_locks.h"

#include <algorithm>

namespace treadle {

std::vector<LockSpan> lock_spans(const Trace& trace) {
  std::vector<LockSpan> spans;
  LockWatch watch;
  std::vector<Held> before;
  for (std::uint64_t i = 0; i < trace.events.size(); ++i) {
    watch.take_in(trace.events[i], i);
    if (watch.held().size() == before.size()) continue;  // an event takes a lock or gives some back, never both
    for (const Held& held : before)
      if (std::ranges::find(watch.held(), held.event, &Held::event) == watch.held().end()) spans.push_back({held, i});
    before = watch.held();
  }
  for (const Held& held : before) spans.push_back({held, UINT64_MAX});
  std::ranges::sort(spans, {}, [](const LockSpan& span) { return span.held.event; });
  return spans;
}

}  // namespace treadle
