// SPDX-License-Identifier: Apache-2.0
// What every model of a trace is made of: memory and each kind of synchronisation object, on one formula.
#pragma once

#include <memory>
#include <vector>

#include "solve/causal_formula.h"

namespace treadle {

struct Reply {
  Answer answer = Answer::No;
  std::vector<UnitId> units;        // behind the prefix, in their order; those asked about come last
  std::vector<Decision> decisions;  // all of them, those of the prefix included
  std::vector<Truth> core;          // after No, of those wanted: they cannot hold together. Only TraceModel gives it
  GivenInputs inputs;               // when they are free: for a Schedule
};

/// units_of(), and where one of the parts has no model.
Units modelled_units(const Trace& trace, MemoryModel model, Races races);

class CausalParts {
 public:
  /// `memory` is part number 0.
  CausalParts(CausalFormula& formula, const Trace& trace, std::unique_ptr<ModelPart> memory);

  void encode();
  std::uint32_t size() const { return static_cast<std::uint32_t>(parts_.size()); }
  ModelPart& operator[](std::uint32_t part) const { return *parts_[part]; }

  /// All results of the unit's operations are those of the trace: one truth for each part that has a say.
  void add_as_recorded(UnitId unit, std::vector<Truth>& wanted) const;

  /// Adds whatever the units of `past` need in the order that was found.
  void close(Past& past) const;

  /// See ModelPart.
  bool refine(const Past& past) const;

  /// How those units are to be made, in this order.
  std::vector<Decision> decisions(std::span<const UnitId> order, const Past& past) const;

 private:
  const CausalFormula& formula_;
  std::vector<std::unique_ptr<ModelPart>> parts_;
};

}  // namespace treadle
