// SPDX-License-Identifier: Apache-2.0
#include "predict/left_early.h"

#include <algorithm>

#include "predict/thread_order.h"

namespace treadle {

LeftEarlyPredictions predict_left_early(const Trace& trace, const PredictOptions& options) {
  LeftEarlyPredictions out;
  const auto exit = std::find_if(trace.events.rbegin(), trace.events.rend(), [](const Event& e) { return e.kind == TREADLE_EV_EXIT; });
  if (exit == trace.events.rend() || trace.end.ending != TREADLE_END_COMPLETED) return out;
  const auto end = static_cast<std::uint32_t>(trace.events.rend() - exit - 1);
  const ThreadOrder order(trace);
  std::vector<std::uint32_t> open;  // who ended before, but need not have
  for (std::uint32_t e = 0; e < end; ++e)
    if (trace.events[e].kind == TREADLE_EV_THREAD_EXIT && trace.events[e].thread != 0 && !order.comes_before(e, end)) open.push_back(e);
  if (open.empty()) return out;
  TraceModel model(trace,
                   {.model = options.model,
                    .races = options.races,
                    .kind = options.causal == Causality::Symbolic ? CausalKind::Symbolic : CausalKind::Maximal,
                    .inputs = options.inputs,
                    .limit = options.limit},
                   options.make_solver());
  const auto unit_of = [&](std::uint32_t event) { return model.units().unit_of[event]; };
  if (unit_of(end) == nothing) return out;
  for (const std::uint32_t e : open) {
    if (unit_of(e) == nothing || !options.keep_asking()) continue;
    const Truth wanted[] = {~model.happens(unit_of(e))};
    const Target target{unit_of(end), 0, 0};
    Reply reply = model.ask(wanted, std::span(&target, 1));
    out.unanswered += reply.answer == Answer::Unknown;
    if (reply.answer == Answer::Yes)
      out.found.push_back({trace.events[e].thread, exit->pc, std::move(reply.decisions), std::move(reply.inputs)});
  }
  return out;
}

}  // namespace treadle
