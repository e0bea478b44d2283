// SPDX-License-Identifier: Apache-2.0
// The mutexes of a trace, as far as they are simply taken and given back: for answers that are found without a formula.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "solve/causal_formula.h"

namespace treadle {

class PlainMutexes {
 public:
  using MutexId = std::uint32_t;
  struct Use {
    MutexId mutex = nothing;
    bool takes = false;        // else it gives it back
    UnitId release = nothing;  // who gives back what it takes; nothing: nobody
  };

  PlainMutexes(const CausalFormula& formula, const Trace& trace);

  /// Null: it neither takes one nor gives one back.
  const Use* use_of(UnitId unit) const { return uses_[unit].mutex == nothing ? nullptr : &uses_[unit]; }
  /// It is about more than memory, threads and plain mutexes.
  bool is_foreign(UnitId unit) const { return foreign_[unit] != 0; }
  std::size_t size() const { return mutexes_.size(); }
  /// Who has it at the end of the prefix; nothing: nobody.
  UnitId holder(MutexId mutex) const { return mutexes_[mutex].holder; }

 private:
  struct Mutex {
    bool plain = true;
    UnitId holder = nothing;  // while the trace is walked through: at that point
  };

  void take_in(UnitId unit, const Event& event);
  MutexId number_of(std::uint64_t address);
  void find_holders(const CausalFormula& formula);

  std::vector<Mutex> mutexes_;
  std::unordered_map<std::uint64_t, MutexId> numbers_;  // by address
  std::vector<Use> uses_;                               // by unit
  std::vector<char> foreign_;                           // by unit
};

}  // namespace treadle
