// SPDX-License-Identifier: Apache-2.0
#include "predict/atomicity.h"

#include <set>
#include <tuple>

namespace treadle {
namespace {

/// Can the remote access come between? As the last step but one, whatever it reads there; or earlier, its thread going on as it did.
Reply come_between(TraceModel& model, const Triple& triple) {
  const auto& units = model.units();
  const UnitId first = units.unit_of[triple.first], remote = units.unit_of[triple.remote], last = units.unit_of[triple.last];
  if (first == nothing || remote == nothing || last == nothing || first == last) return {};
  const Truth wanted[] = {model.before(first, remote), model.before(remote, last)};
  const Target both[] = {{remote, 0}, {last, 0}};
  const UnitId before[] = {first};
  Reply reply = model.ask(wanted, both, before);
  if (reply.answer == Answer::Yes) return reply;
  const Target end[] = {{last, 0}};
  const UnitId two[] = {first, remote};
  Reply other = model.ask(wanted, end, two);
  return other.answer == Answer::No ? std::move(reply) : std::move(other);
}

Prediction prediction_of(const Trace& trace, const Triple& triple, Reply reply) {
  Prediction out;
  out.kind = PredictionKind::Atomicity;
  out.events = {triple.first, triple.remote, triple.last};
  out.pc = trace.events[triple.last].pc;
  out.units = std::move(reply.units);
  out.decisions = std::move(reply.decisions);
  return out;
}

}  // namespace

Predictions predict_atomicity(const Trace& trace, TraceModel& model, std::span<const Triple> candidates, TripleCounts& counts,
                              const KeepAsking& keep_asking) {
  Predictions out;
  out.coverage.complete = counts.left_out == 0;
  std::set<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>> known;
  for (const Triple& triple : candidates) {
    if (!keep_asking()) return out.coverage.complete = false, out;
    ++out.coverage.questions;
    Reply reply = come_between(model, triple);
    if (reply.answer == Answer::Unknown) ++out.coverage.unanswered;
    if (reply.answer != Answer::Yes) continue;
    ++counts.real;
    const auto pc = [&](std::uint32_t event) { return trace.events[event].pc; };
    if (known.insert({pc(triple.first), pc(triple.remote), pc(triple.last)}).second)
      out.found.push_back(prediction_of(trace, triple, std::move(reply)));
  }
  if (out.coverage.unanswered > 0) out.coverage.complete = false;
  out.coverage.limits = model.limits();
  return out;
}

}  // namespace treadle
