// SPDX-License-Identifier: Apache-2.0
#include "solve/causal_parts.h"

#include <algorithm>

#include "solve/causal_locks.h"
#include "solve/causal_meetings.h"
#include "solve/causal_queues.h"
#include "solve/causal_semaphores.h"
#include "solve/unit_parts.h"

namespace treadle {

Units modelled_units(const Trace& trace, MemoryModel model, Races races) {
  Units units = units_of(trace, model, races);
  CausalLocks::find_unmodelled(trace, units);
  CausalConditions::find_unmodelled(trace, units);
  CausalFutexes::find_unmodelled(trace, units);
  CausalSemaphores::find_unmodelled(trace, units);
  CausalMeetings::find_unmodelled(trace, units);
  return units;
}

CausalParts::CausalParts(CausalFormula& formula, const Trace& trace, std::unique_ptr<ModelPart> memory) : formula_(formula) {
  parts_.push_back(std::move(memory));
  parts_.push_back(std::make_unique<CausalLocks>(formula, trace));
  parts_.push_back(std::make_unique<CausalConditions>(formula, trace));
  parts_.push_back(std::make_unique<CausalFutexes>(formula, trace));
  parts_.push_back(std::make_unique<CausalSemaphores>(formula, trace));
  parts_.push_back(std::make_unique<CausalMeetings>(formula, trace));
}

void CausalParts::encode() {
  for (const auto& part : parts_) part->encode();
}

void CausalParts::add_as_recorded(UnitId unit, std::vector<Truth>& wanted) const {
  for (const auto& part : parts_) wanted.push_back(part->as_recorded(unit));
}

void CausalParts::close(Past& past) const {
  while (past.changed())
    for (const auto& part : parts_) part->close(past);
}

bool CausalParts::refine(const Past& past) const {
  // One after the other: what a part adds makes the solver forget the order.
  return std::any_of(parts_.begin(), parts_.end(), [&](const auto& part) { return part->refine(past); });
}

std::vector<Decision> CausalParts::decisions(std::span<const UnitId> order, const Past& past) const {
  std::vector<Decision> all;
  for (const UnitId u : order) {
    std::vector<Decision> decisions = formula_.unit(u).decisions;
    for (const auto& part : parts_) part->decide(u, past, decisions);
    all.insert(all.end(), decisions.begin(), decisions.end());
  }
  return all;
}

}  // namespace treadle
