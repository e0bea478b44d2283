// SPDX-License-Identifier: Apache-2.0
// What a question implies: the units that belong to every answer, and which of them come first.
//
// A read that has to have a value, and that only one write can give it, comes behind that write, and whoever writes something else comes
// before the write or behind the read. What takes a mutex later comes behind who gives it back. From little follows much, and mostly all
// there is to know: either that there is no answer, or nearly in which order it comes. The rules are those of the formula, as far as they
// leave no choice; so what they contradict has no answer there either.
//
// Under SC only. What dependence tells of the program (KeptReads) makes it smaller: a read that does not matter implies nothing.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solve/causal_memory.h"
#include "solve/closed_order.h"
#include "solve/plain_mutexes.h"

namespace treadle {

class ImpliedPast {
 public:
  enum class State : std::uint8_t { Open, Contradiction, Unclear };  // Unclear: too large, or there is something that has no rule here
  using Number = std::uint32_t;                                      // of a unit of the past; it stands in no order
  static constexpr Number in_front = nothing - 1;                    // of the whole past: the prefix, or what was there from the start
  static constexpr Number open = nothing - 2;                        // somebody, it is not known who
  static constexpr Number target = nothing - 3;                      // made last
  struct Kept {
    ReadOf read;
    CellId cell;
    ValueId value;
    Number reader, writer;
  };
  struct Write {
    Number writer;
    CellId cell;
    ValueId value;
  };

  /// `first` (nothing: no such unit) comes before all else that need not come before it, and so many reads of it keep their values.
  ImpliedPast(const CausalFormula& whole, const CausalMemory& memory, const KeptReads& kept, const PlainMutexes& mutexes, UnitId first,
              std::uint32_t fixed_reads);

  /// Anew: the read has this value, which it has from `source`.
  State start(const ReadOf& read, const CausalMemory::Source& source);
  /// This one as well.
  State add(UnitId unit);
  /// Whatever several could have written was written by who did so in the trace, or else by the last one.
  State settle();

  std::span<const UnitId> units() const { return units_; }
  std::span<const Kept> kept() const { return reads_; }
  const ClosedOrder& order() const { return order_; }
  Number number_of(UnitId unit) const { return numbers_[unit]; }
  bool keeps(const ReadOf& read) const { return is_kept_[kept_.number_of(read)] != 0; }

 private:
  void forget();
  Number include(UnitId unit);
  void close(Number number);
  void keep(const ReadOf& read);
  void find_writer(std::size_t kept);
  bool can_have_written(const Kept& kept, const CausalMemory::Source& source) const;
  bool comes_before(Number a, Number b) const { return b == target || order_.comes_before(a, b); }
  void say(Number a, Number b);
  void give(std::size_t kept, UnitId writer);
  void follow();
  void follow_writes(const Kept& kept);
  void follow_mutexes();
  bool can_leave(const PlainMutexes::Use& use) const;
  void leave_before(const PlainMutexes::Use& use, Number next);

  const CausalFormula& whole_;
  const CausalMemory& memory_;
  const KeptReads& kept_;
  const PlainMutexes& mutexes_;
  UnitId first_;
  std::uint32_t fixed_reads_;
  // of one question
  State state_ = State::Open;
  bool changed_ = false;
  ReadOf target_;
  std::vector<UnitId> units_;
  std::vector<Number> numbers_;  // by unit
  std::size_t closed_ = 0;       // so many of the units
  std::vector<Kept> reads_;
  std::vector<char> is_kept_;  // by read
  std::vector<Write> writes_;
  std::vector<Number> takers_;  // of mutexes
  ClosedOrder order_;
};

}  // namespace treadle
