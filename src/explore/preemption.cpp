// SPDX-License-Identifier: Apache-2.0
#include "explore/preemption.h"

#include <algorithm>

namespace treadle {

std::span<const Decision> alternatives_at(const Trace& trace, std::size_t at) {
  const Choice& choice = trace.choices[at];
  return std::span(trace.alternatives).subspan(choice.first_alternative, choice.alternatives);
}

Running running_before(const Trace& trace, std::size_t at) {
  std::size_t last = at;
  while (last > 0 && trace.choices[last - 1].taken.kind == DecisionKind::Flush) --last;
  if (last == 0) return {};
  const ThreadId thread = trace.choices[last - 1].taken.thread;
  return {thread, std::ranges::any_of(alternatives_at(trace, at), [&](const Decision& other) {
            return other.thread == thread && (other.kind == DecisionKind::Step || other.kind == DecisionKind::Wake);
          })};
}

std::vector<std::uint32_t> preemptions_before(const Trace& trace) {
  std::vector<std::uint32_t> before(trace.choices.size() + 1);
  for (std::size_t i = 0; i < trace.choices.size(); ++i)
    before[i + 1] = before[i] + running_before(trace, i).preempted_by(trace.choices[i].taken);
  return before;
}

}  // namespace treadle
