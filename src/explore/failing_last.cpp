// SPDX-License-Identifier: Apache-2.0
#include "explore/failing_last.h"

#include "explore/patience.h"

namespace treadle {

std::optional<Item> FailingLast::next() {
  auto item = strategy_->next();
  if (!item) return item;
  if (item->schedule.policy == Policy::Continue) item->schedule.policy = Policy::Patient;
  prefix_[item->ticket] = item->schedule.prefix.size();
  return item;
}

/// What the strategy has asked for comes first, in any case.
void FailingLast::learn_from(Ticket ticket, const Trace& trace) {
  const auto out = prefix_.extract(ticket);
  if (!lets_others_go_first(trace)) return strategy_->learn_from(ticket, trace);
  auto told = as_if_it_failed_last(trace, races_, model_, static_cast<std::uint32_t>(out.mapped()));
  if (!told) told = as_if_it_failed_at_once(trace);
  strategy_->learn_from(ticket, told ? *told : trace);
}

}  // namespace treadle
