// SPDX-License-Identifier: Apache-2.0
#include "predict/deadlock.h"

namespace treadle {
namespace {

/// Every thread has come to its wait and no further.
Reply all_wait(TraceModel& model, const LockRing& ring) {
  std::vector<Truth> wanted;
  std::vector<UnitId> also;
  for (const std::uint32_t event : ring.waits) {
    const UnitId unit = model.units().unit_of[event];
    if (unit == nothing || !model.waits(unit) || model.units().all[unit].before == nothing) return {};
    wanted.push_back(model.arrives(unit));
    wanted.push_back(~model.reached(unit));
    wanted.push_back(model.is_stuck(unit));
    also.push_back(model.units().all[unit].before);
  }
  return model.ask(wanted, {}, also);
}

Prediction prediction_of(const Trace& trace, const LockRing& ring, Reply reply) {
  Prediction out;
  out.kind = PredictionKind::Deadlock;
  out.events = ring.waits;
  out.pc = trace.events[ring.waits.back()].pc;
  out.units = std::move(reply.units);
  out.decisions = std::move(reply.decisions);
  out.inputs = std::move(reply.inputs);
  return out;
}

}  // namespace

Predictions predict_deadlocks(const Trace& trace, TraceModel& model, const RingCandidates& candidates, const KeepAsking& keep_asking) {
  Predictions out;
  out.coverage.complete = candidates.left_out == 0;
  for (const RingGroup& group : candidates.groups)
    for (const LockRing& ring : group.rings) {
      if (!keep_asking()) return out.coverage.complete = false, out;
      ++out.coverage.questions;
      Reply reply = all_wait(model, ring);
      if (reply.answer == Answer::Unknown) ++out.coverage.unanswered;
      if (reply.answer != Answer::Yes) continue;
      out.found.push_back(prediction_of(trace, ring, std::move(reply)));
      break;
    }
  if (out.coverage.unanswered > 0) out.coverage.complete = false;
  out.coverage.limits = model.limits();
  return out;
}

}  // namespace treadle
