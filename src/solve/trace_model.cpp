// SPDX-License-Identifier: Apache-2.0
#include "solve/trace_model.h"

#include "solve/causal_memory.h"

namespace treadle {

TraceModel::TraceModel(const Trace& trace, const TraceModelOptions& options, std::unique_ptr<OrderSolver> solver)
    : options_(options), units_(modelled_units(trace, options.model, options.races)), solver_(std::move(solver)) {
  const UnitId end = units_.unmodelled ? units_.unmodelled->unit : nothing;
  formula_ = std::make_unique<CausalFormula>(units_, std::vector<char>(units_.all.size(), 0), end, *solver_, true);
  parts_ = std::make_unique<CausalParts>(*formula_, trace, std::make_unique<CausalMemory>(*formula_, trace, nullptr));
  parts_->encode();
}

TraceModel::~TraceModel() = default;

bool TraceModel::waits(UnitId unit) const {
  for (std::uint32_t p = 0; p < parts_->size(); ++p)
    if ((*parts_)[p].waits(unit)) return true;
  return false;
}

Truth TraceModel::is_stuck(UnitId unit) {
  for (std::uint32_t p = 0; p < parts_->size(); ++p)
    if ((*parts_)[p].waits(unit)) return (*parts_)[p].is_stuck(unit);
  return false;
}

Answer TraceModel::solve(std::span<const Truth> wanted, Reply& reply) {
  ++queries_;
  std::vector<Literal> assumptions;
  for (const Truth& t : wanted) {
    if (t.is_false()) {
      reply.core = {t};
      return Answer::No;
    }
    if (t.is_open()) assumptions.push_back(t.literal());
  }
  const Answer answer = solver_->solve(assumptions, options_.limit);
  if (answer == Answer::No)
    for (const Literal literal : solver_->core()) reply.core.emplace_back(literal);
  return answer;
}

Reply TraceModel::ask(std::span<const Truth> wanted, std::span<const Target> ends, std::span<const UnitId> also) {
  std::vector<Truth> all(wanted.begin(), wanted.end());
  for (const Target& end : ends) {
    all.push_back(formula_->reached(end.unit));
    all.push_back(~formula_->happens(end.unit));
  }
  for (const UnitId unit : also) all.push_back(formula_->happens(unit));
  Reply reply;
  reply.answer = solve(all, reply);
  if (reply.answer != Answer::Yes) return reply;
  Past past(*formula_, ends);
  for (const UnitId unit : also) past.include(unit);
  parts_->close(past);
  reply.units = past.in_order();
  reply.decisions = parts_->decisions(reply.units, past);
  return reply;
}

}  // namespace treadle
