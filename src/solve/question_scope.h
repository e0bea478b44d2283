// SPDX-License-Identifier: Apache-2.0
// What a question is about: the units that can belong to an answer. A thread that has nothing to do with it, or goes on behind what is
// needed of it, reaches no solver.
//
// The scope of a question is closed under all that an answer can need of the units in it: what must come before them, whoever may have
// written what they have to read, and what their locks and conditions need. So an answer exists within the scope if there is one at all.
// What a read has to keep is told by KeptReads: the less it is, the smaller is the scope. That is what dependence saves (mcr-s, mcr-s+).
#pragma once

#include <unordered_set>
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
  /// Finds out who leaves what it left in every answer; these reads are kept in every one. After that.
  void find_sure(const std::vector<ReadOf>& kept);

  /// Adds all that is needed besides.
  void close();

  const Scope& found() const { return scope_; }
  const std::vector<UnitId>& units() const { return units_; }

 private:
  void close(UnitId unit);
  void need_written(UnitId writer);

  const CausalFormula& whole_;
  const CausalMemory& memory_;
  const KeptReads& kept_;
  SyncGroups::Closure syncs_;
  Scope scope_;
  std::vector<UnitId> units_;  // in no order
  std::size_t closed_ = 0;     // so many of them
  std::unordered_set<std::uint64_t> needed_;
  std::unordered_set<UnitId> written_;
};

}  // namespace treadle
