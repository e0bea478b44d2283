// SPDX-License-Identifier: Apache-2.0
#include "predict/predict.h"

#include <algorithm>
#include <iterator>

#include "predict/assertion.h"
#include "predict/atomicity.h"
#include "predict/deadlock.h"
#include "predict/interference.h"
#include "predict/standstill.h"
#include "predict/without_data.h"

namespace treadle {
namespace {

CausalKind kind_of(Causality causality) { return causality == Causality::Symbolic ? CausalKind::Symbolic : CausalKind::Maximal; }

/// One trace and the questions about it, in the order in which they get harder.
class Predictor {
 public:
  /// `modelled` is the same trace, as far as the model is meant to know it.
  Predictor(const Trace& trace, const Trace& modelled, const PredictOptions& options)
      : trace_(trace),
        options_(options),
        model_(modelled,
               {.model = options.model,
                .races = options.races,
                .kind = kind_of(options.causal),
                .inputs = options.inputs,
                .limit = options.limit},
               options.make_solver()),
        order_(trace),
        locks_(trace),
        locations_(shared_locations(trace)) {}

  Foreseen go() {
    if (options_.wants(PredictionKind::Assertion) && options_.causal != Causality::Over) ask_about_assertions();
    if (options_.wants(PredictionKind::DataRace)) ask_about_races();
    if (options_.wants(PredictionKind::Deadlock)) ask_about_deadlocks();
    if (options_.wants(PredictionKind::Atomicity)) ask_about_regions();
    PredictStatistics& numbers = out_.statistics;
    numbers.events = trace_.events.size();
    numbers.units = model_.units().all.size();
    numbers.queries = model_.queries();
    numbers.constraints = model_.constraints();
    return std::move(out_);
  }

 private:
  void ask_about_assertions() {
    if (trace_.expressions.empty()) return;  // nothing is known of what is asserted
    const AssertionOptions wish{options_.model,       options_.races, kind_of(options_.causal), options_.context_bound,
                                options_.widen_bound, options_.limit, options_.make_solver,     options_.ways_to_assertion};
    take(PredictionKind::Assertion, predict_assertions(trace_, wish));
  }

  void ask_about_races() {
    const auto groups = race_candidates(trace_, locations_, order_, locks_);
    out_.statistics.race_groups = groups.size();
    take(PredictionKind::DataRace, predict_races(trace_, model_, groups, options_.keep_asking, options_.ways));
  }

  void ask_about_deadlocks() {
    if (!options_.spinning.empty())
      return take(PredictionKind::Deadlock, predict_standstill(trace_, model_, locks_, options_.keep_asking, options_.spinning));
    const auto rings = lock_rings(trace_, order_, locks_);
    out_.statistics.ring_groups = rings.groups.size();
    Predictions deadlocks = predict_deadlocks(trace_, model_, rings, options_.keep_asking);
    add(deadlocks, predict_standstill(trace_, model_, locks_, options_.keep_asking));
    for (std::uint32_t i = 0; i < deadlocks.found.size(); ++i) deadlocks.found[i].group = i;
    take(PredictionKind::Deadlock, std::move(deadlocks));
  }

  void ask_about_regions() {
    const auto regions = atomic_regions(trace_, options_.critical_sections);
    out_.statistics.regions = regions.size();
    TripleCandidates candidates = triples_of(regions, locations_, order_, AcquisitionHistory(trace_));
    if (options_.causal != Causality::Over) {
      const auto open = options_.causal == Causality::Symbolic ? open_values(trace_) : std::vector<char>(trace_.events.size(), 0);
      std::erase_if(candidates.triples, [&](const Triple& triple) { return !could_interfere(trace_, triple, open); });
    }
    take(PredictionKind::Atomicity, predict_atomicity(trace_, model_, candidates.triples, candidates.counts, options_.keep_asking,
                                                      options_.causal != Causality::Over, options_.ways));
    out_.statistics.triples = candidates.counts;
  }

  static void add(Predictions& all, Predictions more) {
    std::ranges::move(more.found, std::back_inserter(all.found));
    all.coverage.complete = all.coverage.complete && more.coverage.complete;
    all.coverage.questions += more.coverage.questions;
    all.coverage.unanswered += more.coverage.unanswered;
  }

  void take(PredictionKind kind, Predictions predictions) {
    std::ranges::move(predictions.found, std::back_inserter(out_.found));
    out_.coverage[kind] = std::move(predictions.coverage);
  }

  const Trace& trace_;
  const PredictOptions& options_;
  TraceModel model_;
  ThreadOrder order_;
  LockSets locks_;
  std::vector<Location> locations_;
  Foreseen out_;
};

}  // namespace

const char* text_of(Causality kind) {
  switch (kind) {
    case Causality::Symbolic:
      return "symbolic";
    case Causality::Maximal:
      return "maximal";
    case Causality::Over:
      return "over";
  }
  return "?";
}

const char* text_of(PredictionKind kind) {
  switch (kind) {
    case PredictionKind::Assertion:
      return "assertion";
    case PredictionKind::DataRace:
      return "race";
    case PredictionKind::Deadlock:
      return "deadlock";
    case PredictionKind::Atomicity:
      return "atomicity";
  }
  return "?";
}

bool PredictOptions::wants(PredictionKind kind) const { return std::ranges::find(kinds, kind) != kinds.end(); }

Foreseen predict(const Trace& trace, const PredictOptions& options) {
  if (options.causal == Causality::Over) return Predictor(trace, without_data(trace), options).go();
  return Predictor(trace, trace, options).go();
}

}  // namespace treadle
