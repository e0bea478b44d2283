// SPDX-License-Identifier: Apache-2.0
#include "explore/failing_last.h"

#include "explore/patience.h"

namespace treadle {

std::optional<Item> FailingLast::next() {
  auto item = strategy_->next();
  if (item && item->schedule.policy == Policy::Continue) item->schedule.policy = Policy::Patient;
  return item;
}

void FailingLast::learn_from(Ticket ticket, const Trace& trace) {
  if (!lets_others_go_first(trace)) return strategy_->learn_from(ticket, trace);
  auto told = as_if_it_failed_last(trace, races_, model_);
  if (!told) told = as_if_it_failed_at_once(trace);
  strategy_->learn_from(ticket, told ? *told : trace);
}

}  // namespace treadle
