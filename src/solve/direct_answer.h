// SPDX-License-Identifier: Apache-2.0
// Answers that need no formula. What a question implies (implied_past.h) either contradicts itself, or it is played through, in the order
// of the trace as far as nothing else follows: whoever would overwrite what somebody is yet to read waits. Most questions are answered by
// it.
//
// No: the formula has no solution either. Yes: everything happened as wanted. That it is neither says nothing. Under SC only.
#pragma once

#include <cstdint>
#include <vector>

#include "solve/implied_past.h"

namespace treadle {

class DirectAnswer {
 public:
  /// See ImpliedPast.
  DirectAnswer(const CausalFormula& whole, const CausalMemory& memory, const CellWriters& writers, const KeptReads& kept,
               const Trace& trace, UnitId first, std::uint32_t fixed_reads);

  /// This read has the value, and what matters before it is as in the trace.
  Answer ask(const ReadOf& read, ValueId value);
  /// After Yes: the units behind the prefix, that of the read last.
  const std::vector<UnitId>& order() const { return order_; }

 private:
  using Number = ImpliedPast::Number;
  using State = ImpliedPast::State;
  static constexpr ValueId unknown = nothing;

  bool lead_there(const ReadOf& read);
  bool play(const ReadOf& read);
  bool is_ready(Number number);
  bool is_free(UnitId unit);
  bool would_overwrite(Number number) const;
  void make(Number number);
  bool is_done(Number number) const { return number == ImpliedPast::in_front || (done_ & ClosedOrder::bit(number)) != 0; }

  const CausalFormula& whole_;
  const CausalMemory& memory_;
  const KeptReads& kept_;
  PlainMutexes mutexes_;
  ImpliedPast past_;
  std::vector<ValueId> values_;  // by cell: at the end of the prefix
  // of one question
  std::uint64_t done_ = 0;
  std::vector<ValueId> now_;     // by cell
  std::vector<UnitId> holders_;  // by mutex
  std::vector<char> changed_;    // by read: it has another value than in the trace, which does not matter
  std::vector<UnitId> order_;
  std::vector<Number> waiting_;
  UnitId blocked_by_ = nothing;  // has taken a mutex that somebody waits for
};

}  // namespace treadle
