// SPDX-License-Identifier: Apache-2.0
// Memory in the symbolic causal model (Wang, Kundu, Ganai and Gupta, FM 2009): a unit happens when its thread goes the way it went,
// whatever it reads on it. The value of a read is that of one of its sources (its pi-function), values are bits, and the conditions on a
// thread's way are formulas over them.
//
// Only what a question needs is encoded: a unit's conditions when an answer has broken them (broken(), oblige_only()), a read when such a
// condition depends on it. Until then a unit may happen without further ado; so a No is a No, and a Yes is one when everything in it holds,
// whether it was encoded or not. When switches are counted everything in an answer is obliged.
#pragma once

#include <memory>
#include <unordered_map>
#include <unordered_set>

#include "solve/cell_expressions.h"
#include "solve/expression_bits.h"
#include "solve/needed_reads.h"
#include "solve/value_bounds.h"
#include "solve/values_in_order.h"

namespace treadle {

class SymbolicMemory final : public ModelPart {
 public:
  SymbolicMemory(CausalFormula& formula, const SymbolicTrace& symbolic, OrderSolver& solver, Inputs inputs = Inputs::Kept,
                 bool lazily = false);

  void encode() override {}
  void close(Past& past) const override;
  bool refine(const Past& past) override;

  /// From now on the unit, and all that must have happened before it, happen only if their conditions hold. False: that was so already.
  bool oblige(UnitId unit);

  /// The same for itself alone; and for one that is reached, that its thread gets there.
  bool oblige_only(UnitId unit);
  bool oblige_entry(UnitId unit);

  /// Units of the past that would not come about as recorded in the order that was found. For one that is closed.
  std::vector<UnitId> broken(const Past& past);

  /// Before a past is closed.
  void start_closing() const;

  /// All that must have happened before it does so too, and it is reached only from where its thread was.
  void oblige_past(UnitId unit);

  /// The condition of a note.
  Truth holds(std::uint32_t note) { return condition(symbolic_.trace().notes[note].expression); }
  /// Of an expression of the trace that has one bit.
  Truth condition(ExpressionId in_trace);

  /// Whenever that holds none of these happens: says what follows from it for the values of reads. It takes long to find out otherwise.
  void bound_without(const std::unordered_set<UnitId>& absent, Truth when);

  /// After Yes: the value of an INPUT event, when inputs are free.
  std::uint64_t input(std::uint32_t event) const;

  /// See TraceModel.
  Truth differ(std::uint32_t a, std::uint32_t b, std::vector<Truth>& wanted);

  /// What must hold behind the unit before it for its thread to get there.
  void add_entry(UnitId unit, std::vector<Truth>& wanted);

  /// What must hold within its unit for the thread to get to the note.
  void add_way_to(std::uint32_t note, std::vector<Truth>& wanted);

  /// Some read could have found what the trace does not tell; that it does was left out.
  bool met_unknown() const { return met_unknown_; }

  const CellExpressions& expressions() const { return expressions_; }

  std::uint64_t reads_encoded() const { return reads_.size(); }

 private:
  struct Way {
    Truth chosen;
    UnitId writer = nothing;  // nothing: it was there from the start
    Written written;
  };
  struct Read {
    UnitId unit = 0;
    const UnitRead* what = nullptr;
    bool open = false;    // else it is as it was
    Truth defined{true};  // it has the value of one of its sources
    Bits value;           // empty: known by its number only
    std::vector<Way> ways;
    bool on_demand = false;  // it has many sources: who comes in between is said when somebody does
    bool settled = false;    // whoever wrote it, it is the same
  };

  Bits make_input(const Expression& leaf);
  Bits make_leaf(const Expression& leaf);
  void bound(const Expression& leaf, const Read& read);
  void require_within(const Bounds& bounds, const Read& read, Truth when);
  std::vector<Written> all_sources(const CellRead& read, const std::unordered_set<UnitId>& absent) const;
  Read& make_read(UnitId unit, const UnitRead& what);
  /// It has the value that it had.
  Truth keeps(UnitId unit, const UnitRead& read);
  void encode_unit(UnitId unit);
  void encode_entry(UnitId unit);
  void add_conditions(UnitId unit, std::vector<Truth>& wanted);
  void encode_pending();
  void encode_sources(Read& read);
  bool is_settled(const Read& read, const ReadSources::Found& found) const;
  void encode_source(Truth chosen, const Read& read, const ReadSources::Writer* source);
  void keep_others_off(const Way& way, const Read& read, const std::vector<ReadSources::Writer>& all);
  void keep_off(const Way& way, const Read& read, UnitId other);
  bool may_be(const Read& read, const Written& written);
  bool is_same(const Written& a, const Written& b) const;
  void equate(Truth when, const Read& read, const Written& written);
  Bits bits_of(const Written& written, CellId cell);
  /// Empty: not known.
  Bits bits_left(std::uint32_t event, CellId cell);
  unsigned width(CellId cell) const { return static_cast<unsigned>(8 * formula_.units().cells[cell].bytes); }

  CausalFormula& formula_;
  const SymbolicTrace& symbolic_;
  ReadSources sources_;
  CellExpressions expressions_;
  BitBlaster blaster_;
  ExpressionBits bits_;
  std::unordered_map<std::uint64_t, Read> reads_;   // by unit and cell
  std::unordered_map<std::uint32_t, Bits> inputs_;  // by event
  std::vector<Read*> pending_;                      // whose sources are not encoded yet
  std::unique_ptr<ValueBounds> bounds_;
  std::unordered_set<std::uint32_t> bounded_;  // reads of the expressions
  std::vector<char> obliged_, entered_;
  bool lazily_;  // conditions that were not encoded count in an answer too
  mutable NeededReads needed_;
  ValuesInOrder values_;
  mutable std::size_t next_unit_ = 0;  // of the past that is being closed
  bool met_unknown_ = false;
};

}  // namespace treadle
