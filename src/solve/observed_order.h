// SPDX-License-Identifier: Apache-2.0
// Answers that need no formula: the order of the trace itself, without what need not have happened, or one thread's part of it after the
// other's. A read that had its value from one write has that of another when what lies between is left out, or when the thread of the read
// waits a little; most questions that have an answer at all have one of this kind.
//
// What was found is played through: everybody sees the same as in the trace. That there is nothing says nothing. Under SC only, and where
// nothing but memory, threads and mutexes is concerned.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "solve/causal_memory.h"

namespace treadle {

class ObservedOrder {
 public:
  /// `first`: comes before all else that need not come before it; nothing: there is no such unit.
  ObservedOrder(const CausalFormula& whole, const CausalMemory& memory, const KeptReads& kept, const Trace& trace, UnitId first);

  /// Units behind the prefix, the given one last: this read of it has the value, and everything before it is as in the trace.
  std::optional<std::vector<UnitId>> lead_to(const ReadOf& read, ValueId value);

 private:
  static constexpr UnitId unknown = nothing - 1;
  struct Taken {
    std::uint64_t mutex;
    UnitId by;
  };
  enum class With { Musts, Sources };  // of what was read: without them, somebody else may have left the same
  enum class By { Trace, WriterFirst, ReaderFirst };
  enum class Played { AsWanted, Otherwise, HasToWait };

  void walk();
  void note_lock(UnitId unit, const Event& event);
  bool try_with(UnitId writer, With with, By by);
  bool add(UnitId unit);
  bool close(With with);
  void put_in_order(UnitId writer, By by);
  Played play();

  const CausalFormula& whole_;
  const CausalMemory& memory_;
  const KeptReads& kept_;
  const Trace& trace_;
  UnitId first_;
  std::vector<UnitId> sources_;                  // by read: who wrote what it saw; nothing: nobody behind the prefix
  std::vector<ValueId> values_;                  // by cell: at the end of the prefix
  std::vector<Taken> taken_;                     // then, and not given back
  std::unordered_map<UnitId, UnitId> releases_;  // by who takes a mutex
  std::vector<char> foreign_;                    // by unit: it is about more than memory, threads and mutexes
  std::unordered_set<std::uint64_t> foreign_objects_;
  // of one question
  ReadOf target_;
  ValueId wanted_ = 0;
  std::vector<char> included_;
  std::vector<UnitId> units_, order_;
  std::size_t closed_ = 0;
  std::vector<ValueId> now_;
  std::vector<Taken> taken_now_;
  UnitId missing_ = nothing;  // whose turn it would have been first
};

}  // namespace treadle
