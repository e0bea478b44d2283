// SPDX-License-Identifier: Apache-2.0
// What a question is about: the units that can belong to an answer. A thread that has nothing to do with it, or goes on behind what is
// needed of it, reaches no solver.
//
// The scope of a question is closed under all that an answer can need of the units in it: what must come before them, whoever may have
// written what they have to read, and what their locks and conditions need. So an answer exists within the scope if there is one at all.
// What a read has to keep is told by KeptReads: the less it is, the smaller is the scope. That is what dependence saves (mcr-s, mcr-s+).
//
// A read that something in the scope needs keeps its value whenever its unit happens, as all reads do in mcr. It could be left open as long
// as nothing that needs it happens; but then there would have to be said for each writer whether it leaves what it left, and the formula
// would be larger than that of mcr.
#pragma once

#include <vector>

#include "solve/causal_memory.h"
#include "solve/kept_reads.h"
#include "solve/sync_groups.h"

namespace treadle {

class QuestionScope {
 public:
  QuestionScope(const CausalFormula& whole, const CausalMemory& memory, const KeptReads& kept, const SyncGroups& groups, UnitId target);

  void include(UnitId unit);
  /// This read has to have the value.
  void need(const ReadOf& read, ValueId value);
  void need_kept(const ReadOf& read) { need(read, whole_.unit(read.unit).reads[read.read].value); }
  /// It happens in every answer, as does all that must come before it. Once everything has been included.
  void make_certain(UnitId unit);

  /// Adds all that is needed besides, and finds out what has to be as in the trace.
  void close();

  const Scope& found() const { return scope_; }
  const std::vector<UnitId>& units() const { return units_; }

 private:
  void close(UnitId unit);
  void find_sure();
  void need_written(UnitId writer);

  const CausalFormula& whole_;
  const CausalMemory& memory_;
  const KeptReads& kept_;
  SyncGroups::Closure syncs_;
  Scope scope_;
  std::vector<UnitId> units_;  // in no order
  std::size_t closed_ = 0;     // so many of them
  std::vector<char> written_;  // by unit: somebody needs what it leaves
};

}  // namespace treadle
