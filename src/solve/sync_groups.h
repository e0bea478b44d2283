// SPDX-License-Identifier: Apache-2.0
// Which units a unit may need because of locks, conditions, semaphores and barriers: for the scope of a question, which may be too large
// but never too small.
//
// Plain locks need little: who has taken a lock gives it back before somebody else takes it. Of every other object, and of locks that
// somebody tries to take, all operations belong together.
#pragma once

#include <unordered_map>
#include <vector>

#include "solve/causal_formula.h"

namespace treadle {

class SyncGroups {
 public:
  SyncGroups(const CausalFormula& formula, const Trace& trace);

  /// One question's way through them.
  class Closure {
   public:
    explicit Closure(const SyncGroups& groups) : groups_(groups) {}
    /// What the unit needs; some things are found out only when another unit has been added.
    void add(UnitId unit, std::vector<UnitId>& needed);

   private:
    const SyncGroups& groups_;
    std::unordered_map<std::uint32_t, std::vector<UnitId>> entered_;  // by group: who takes the lock
  };

 private:
  struct Group {
    bool whole = false;
    std::vector<UnitId> users;
    std::unordered_map<UnitId, UnitId> release_of;  // of a lock: by who takes it
    std::vector<UnitId> open_releases;              // of those who have taken it in the prefix and give it back behind
    std::unordered_map<unsigned, UnitId> held_by;   // while the trace is taken in, by thread
  };

  void take_in(UnitId unit, std::uint64_t address, const Event& event);

  const CausalFormula& formula_;
  std::unordered_map<std::uint64_t, std::uint32_t> number_;  // by address
  std::vector<Group> groups_;
  std::unordered_map<UnitId, std::vector<std::uint32_t>> of_unit_;
};

}  // namespace treadle
