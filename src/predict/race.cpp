// SPDX-License-Identifier: Apache-2.0
#include "predict/race.h"

#include <optional>

#include "predict/unordered.h"

namespace treadle {
namespace {

/// No: they are never the next steps of their threads at once.
Reply meet(TraceModel& model, const RacePair& pair) {
  const UnitId first = model.units().unit_of[pair.first], second = model.units().unit_of[pair.second];
  if (first == nothing || second == nothing || first == second) return {};
  if (model.must_precede(first, second) || model.must_precede(second, first)) return {};
  const UnitId both[] = {first, second};
  if (auto reply = model.ask_observed(both)) return *std::move(reply);
  const Target ends[] = {{first, 0}, {second, 0}};
  return model.ask({}, ends);
}

/// No: something orders them in whatever execution.
Reply race(TraceModel& model, std::optional<Unordered>& unordered, const RacePair& pair) {
  Reply reply = meet(model, pair);
  if (reply.answer == Answer::No && unordered) reply = unordered->ask(pair.first, pair.second);
  if (reply.answer == Answer::No && unordered) reply = unordered->ask(pair.second, pair.first);
  return reply;
}

Prediction prediction_of(const Trace& trace, const RacePair& pair, Reply reply) {
  Prediction out;
  out.kind = PredictionKind::DataRace;
  out.events = {pair.first, pair.second};
  out.pc = trace.events[pair.second].pc;
  out.units = std::move(reply.units);
  out.decisions = std::move(reply.decisions);
  out.inputs = std::move(reply.inputs);
  return out;
}

}  // namespace

Predictions predict_races(const Trace& trace, TraceModel& model, std::span<const RaceGroup> groups, const KeepAsking& keep_asking,
                          std::uint32_t ways) {
  Predictions out;
  std::optional<Unordered> unordered;
  if (!groups.empty() && passes_unordered(trace)) unordered.emplace(trace, model);
  std::uint32_t number = 0;
  for (const RaceGroup& group : groups) {
    if (group.left_out > 0) out.coverage.complete = false;
    std::uint32_t found = 0;
    ++number;
    for (const RacePair& pair : group.pairs) {
      if (!keep_asking()) return out.coverage.complete = false, out;
      ++out.coverage.questions;
      Reply reply = race(model, unordered, pair);
      if (reply.answer == Answer::Unknown) ++out.coverage.unanswered;
      if (reply.answer != Answer::Yes) continue;
      out.found.push_back(prediction_of(trace, pair, std::move(reply)));
      out.found.back().group = number;
      if (++found == ways) break;
    }
  }
  if (out.coverage.unanswered > 0) out.coverage.complete = false;
  out.coverage.limits = model.limits();
  return out;
}

}  // namespace treadle
