// SPDX-License-Identifier: Apache-2.0
#include "cli/hints.h"

#include <algorithm>

#include "base/hash.h"
#include "explore/interrupt.h"

namespace treadle {
namespace {

/// The same at the same places, whenever it is predicted.
std::uint64_t key_of(const Prediction& prediction, const Trace& trace) {
  std::vector<std::uint64_t> places{prediction.pc};
  for (const std::uint32_t event : prediction.events) places.push_back(trace.events[event].pc);
  std::ranges::sort(places);
  Hash hash;
  hash.add(static_cast<std::uint64_t>(prediction.kind));
  for (const std::uint64_t place : places) hash.add(place);
  return hash.value();
}

}  // namespace

Foresight::Ask ask_what_each_implies(const Schedule& base, Causality causality) {
  PredictOptions options;
  options.kinds = {PredictionKind::Assertion, PredictionKind::DataRace, PredictionKind::Deadlock};
  options.model = base.model;
  options.races = base.races;
  options.causal = causality;
  options.limit.seconds = 1;
  options.keep_asking = [] { return !Interrupt::raised(); };
  return [base, options](const Trace& trace) {
    std::vector<Hint> hints;
    for (Prediction& prediction : predict(trace, options).found) {
      Hint hint{base, key_of(prediction, trace)};
      hint.schedule.prefix = std::move(prediction.decisions);
      hint.schedule.threads = trace.threads;
      hint.schedule.policy = Policy::Continue;
      hints.push_back(std::move(hint));
    }
    return hints;
  };
}

}  // namespace treadle
