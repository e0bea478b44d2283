// SPDX-License-Identifier: Apache-2.0
// A trace made again step by step, in any order that one likes: each thread goes along its recorded way, with the values that it finds on
// it, as long as it can. What can be made so is an execution that the model allows: a Yes without solver.
//
// Locks are free or held, and values are computed. Operations on other objects keep their order, so that what comes of them does not
// change. Store buffers are not known here.
#pragma once

#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "solve/cell_values.h"
#include "solve/lock_sections.h"

namespace treadle {

class TraceMachine {
 public:
  /// `object_order`: by unit, those that it has to come behind whatever else it needs.
  TraceMachine(const SymbolicTrace& symbolic, const CellExpressions& expressions, const CausalFormula& formula,
               std::span<const LockSection> sections, std::vector<std::vector<UnitId>> object_order);

  /// Nothing has been made.
  void start();

  /// Makes the unit, so that its thread goes on behind it as it did. False: it cannot, here; and nothing has changed.
  bool make(UnitId unit);
  /// What has to come before it, whatever else, and has not been made.
  std::vector<UnitId> missing(UnitId unit) const;
  /// Whether its thread goes on behind it depends on what it knows then.
  bool has_conditions(UnitId unit) const { return !symbolic_.conditions_of(unit).empty(); }
  /// The thread could make that step here, whatever came of it. What it would find and leave is known then.
  bool reaches(UnitId unit);
  /// Back to when so many had been made.
  void undo(std::size_t count);

  /// In order.
  std::span<const UnitId> made() const { return made_; }
  bool is_made(UnitId unit) const { return place_[unit] != nothing; }
  /// How many locks the unit takes, and gives back.
  std::uint32_t locks_entered(UnitId unit) const;
  std::uint32_t locks_left(UnitId unit) const;
  /// How many locks the thread holds.
  std::uint32_t locks_held(ThreadId thread) const { return held_[index_of(thread)]; }

  const Content& stands_in(CellId cell) const { return memory_[cell]; }
  /// What an access left in a cell (a read: what it found), of a unit that was made or reached.
  Content left(std::uint32_t event, CellId cell);

  /// Of two that were made.
  bool came_first(UnitId a, UnitId b) const { return place_[a] < place_[b]; }

  /// Of what was made, all that these and `end`, which was reached, need; in order.
  std::vector<UnitId> needed(std::span<const UnitId> units, UnitId end) const;

 private:
  struct Lock {
    std::uint32_t writers = 0, readers = 0;
  };
  struct Change {  // of a cell
    CellId cell;
    Content content;
    UnitId writer;
  };
  struct Mark {
    std::size_t changes, computed;
  };

  bool may_begin(UnitId unit) const;
  bool is_free(const LockSection& section) const;
  void find(UnitId unit);
  bool conditions_hold(UnitId unit, bool also_trailing);
  bool goes_on(UnitId unit);
  void move(const LockSection& section, bool enters);
  const std::vector<std::uint32_t>* entered(UnitId unit) const;

  const SymbolicTrace& symbolic_;
  const CellExpressions& expressions_;
  const CausalFormula& formula_;
  std::vector<LockSection> sections_;
  std::vector<std::vector<UnitId>> object_order_;
  std::unordered_map<UnitId, std::vector<std::uint32_t>> entered_by_, left_by_;  // sections
  std::vector<std::uint32_t> first_read_;                                        // by unit: its reads stand together in found_ from here on
  std::vector<std::uint32_t> leaf_of_;                                           // by read likewise; nothing: no expression needs it
  std::vector<char> refused_;  // by unit: what comes of it depends on more than is known here

  CellValues values_;
  std::vector<Content> memory_;       // by cell
  std::vector<UnitId> writer_;        // by cell: whose that is; nothing: nobody's
  std::vector<Content> found_;        // by read
  std::vector<UnitId> source_;        // by read: whose that was
  std::vector<Lock> locks_;           // by lock
  std::vector<std::uint32_t> held_;   // by thread
  std::vector<UnitId> made_;          //
  std::vector<std::uint32_t> place_;  // by unit: its number in made_
  std::vector<Mark> marks_;           // before each of made_
  std::vector<Change> changes_;       // what was there before
};

}  // namespace treadle
