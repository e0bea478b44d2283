// SPDX-License-Identifier: Apache-2.0
#include "explore/same_trace.h"

#include <fmt/format.h>

#include <algorithm>

namespace treadle {
namespace {

/// A name's number, what a plain write has overwritten (often nothing that was ever written), and which copy of a loop's body did it,
/// differ from run to run.
bool same_event(const Event& a, const Event& b) {
  return a.kind == b.kind && a.thread == b.thread && a.size == b.size && a.order == b.order && a.step == b.step && a.value == b.value &&
         (a.extra == b.extra || a.kind == TREADLE_EV_WRITE) && (a.address == b.address || a.kind == TREADLE_EV_OBSERVE);
}

std::string text_of_event(const Event& e) {
  return fmt::format("{} of thread {} in step {} at {:#x}, value {:#x}, extra {:#x}", text_of(static_cast<EventKind>(e.kind)), e.thread,
                     e.step, e.address, e.value, e.extra);
}

/// A rehearsal does not always ask what else could have been done.
bool same_choice(const Trace& a, const Trace& b, std::size_t i) {
  const auto all = [i](const Trace& t) {
    return std::span(t.alternatives).subspan(t.choices[i].first_alternative, t.choices[i].alternatives);
  };
  return a.choices[i].taken == b.choices[i].taken && (a.choices[i].alternatives == 1 || std::ranges::equal(all(a), all(b)));
}

/// Of an operation that did not come to pass, what others could have noticed of it.
bool same_pending(const PendingOperation& a, const PendingOperation& b) {
  if (a.thread != b.thread || a.state != b.state) return false;
  if (a.state == TREADLE_THREAD_FINISHED || a.kind == TREADLE_EV_NONE) return true;
  return a.kind == b.kind && a.enabled == b.enabled && a.address == b.address && a.size == b.size && a.only_reads == b.only_reads;
}

}  // namespace

std::optional<std::string> first_difference(const Trace& rehearsed, const Trace& run) {
  for (std::size_t i = 0; i < std::min(rehearsed.events.size(), run.events.size()); ++i)
    if (!same_event(rehearsed.events[i], run.events[i]))
      return fmt::format("event {} was rehearsed as {}, but is {}", i, text_of_event(rehearsed.events[i]), text_of_event(run.events[i]));
  for (std::size_t i = 0; i < std::min(rehearsed.choices.size(), run.choices.size()); ++i)
    if (!same_choice(rehearsed, run, i)) return fmt::format("at decision {} other things could happen than in the rehearsal", i);
  if (rehearsed.events.size() != run.events.size() || rehearsed.choices.size() != run.choices.size())
    return fmt::format("{} events in {} steps were rehearsed, but it has {} in {}", rehearsed.events.size(), rehearsed.choices.size(),
                       run.events.size(), run.choices.size());
  if (rehearsed.end.ending != run.end.ending || rehearsed.end.thread != run.end.thread)
    return fmt::format("it was rehearsed to end as {}, but ends as {}", text_of(rehearsed.end.ending), text_of(run.end.ending));
  if (!std::ranges::equal(rehearsed.pending, run.pending, same_pending))
    return "other operations are pending at the end than in the rehearsal";
  return std::nullopt;
}

}  // namespace treadle
