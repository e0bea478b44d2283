// SPDX-License-Identifier: Apache-2.0
#include "explore/inquiries.h"

#include "base/clock.h"

namespace treadle {

Reply Inquiries::ask(PathExecution& execution, const std::function<Reply()>& ask) {
  const double begin = seconds_now();
  TraceModel& model = execution.model();
  const std::uint64_t queries = model.queries(), constraints = model.constraints();
  Reply reply = ask();
  counts_.seconds += seconds_now() - begin;
  counts_.queries += model.queries() - queries;
  counts_.constraints += model.constraints() - constraints;
  if (const std::string limits = model.limits(); !limits.empty()) {
    tell("not what follows " + limits);
    without_model_.tell(limits);
  }
  return reply;
}

void Inquiries::add(const Inquiries& others) {
  counts_.queries += others.counts_.queries;
  counts_.seconds += others.counts_.seconds;
  counts_.reads += others.counts_.reads;
  counts_.constraints += others.counts_.constraints;
  gaps_.add(others.gaps_);
  without_model_.add(others.without_model_);
}

}  // namespace treadle
