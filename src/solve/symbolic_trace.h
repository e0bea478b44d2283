// SPDX-License-Identifier: Apache-2.0
// What the notes of a symbolic trace say about its units: which conditions each obeys, which of its reads are symbols, what its writes
// leave.
//
// A read that nothing stands for keeps its value: what was done with it has no model. In the maximal causal model (Şerbănuţă, Chen and
// Roşu; Section 6 of the seed) every read does, but for those that only assertions look at.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "solve/units.h"

namespace treadle {

enum class CausalKind : std::uint8_t { Symbolic, Maximal };

/// What an event leaves in a cell.
struct Written {
  enum class Kind : std::uint8_t { Unknown, Constant, Symbolic } kind = Kind::Unknown;
  std::uint64_t value = 0;      // Constant
  ExpressionId expression = 0;  // Symbolic: bits of it from `lowest` on
  unsigned lowest = 0;
  ValueId id = nothing;  // Unknown: the same only if this is, and is anything
};

class SymbolicTrace {
 public:
  /// Tells `units` what has no model. Both must outlive this.
  SymbolicTrace(const Trace& trace, Units& units, CausalKind kind, Races races, Inputs inputs = Inputs::Kept);

  const Trace& trace() const { return trace_; }
  const Units& units() const { return units_; }

  /// Numbers of notes, in order.
  std::span<const std::uint32_t> conditions_of(UnitId unit) const { return conditions_[unit]; }
  /// It stands behind everything that the unit does: whoever leaves its way there has done it all the same, and does not get to the
  /// conditions behind it. Not so where leaving means failing, or where plain accesses are no steps: what comes then belongs to the same
  /// step.
  bool is_trailing(std::uint32_t note) const { return trailing_[note] != 0; }
  /// Where a thread is when it gets to the note; nothing: it has done nothing before that, or that has no model.
  UnitId unit_of_note(std::uint32_t note) const { return unit_of_note_[note]; }

  Written written(std::uint32_t event, CellId cell) const;
  Written initial(CellId cell) const { return known_or_not(cell, units_.initial[cell]); }
  Written known_or_not(CellId cell, ValueId value) const;

  /// Before that the unit itself has written there: the event that did.
  std::uint32_t own_source(std::uint32_t event, CellId cell) const;
  /// Is what stands there afterwards its doing?
  bool leaves(std::uint32_t event, CellId cell) const;

  /// It has whatever value it finds. Else it keeps its own.
  bool is_open(std::uint32_t event, CellId cell) const { return open_.contains(key(event, cell)); }
  bool is_open_in(UnitId unit, CellId cell) const { return open_in_.contains(key(unit, cell)); }

 private:
  static std::uint64_t key(std::uint32_t a, std::uint32_t b) { return std::uint64_t{a} << 32 | b; }
  void place_notes();
  void find_trailing();
  bool is_first_behind(std::span<const std::uint32_t> notes, std::uint32_t note, std::uint32_t event) const;
  void find_writes();
  void find_own_sources();
  void find_open_reads(CausalKind kind);
  std::vector<char> looked_at() const;
  void check_origins(Inputs inputs);
  bool comes_from_elsewhere(ExpressionId expression, UnitId unit) const;

  const Trace& trace_;
  Units& units_;
  std::vector<std::vector<std::uint32_t>> conditions_;                         // by unit
  std::vector<char> trailing_;                                                 // by note
  std::vector<UnitId> unit_of_note_;                                           // by note
  std::unordered_map<std::uint64_t, ValueId> values_;                          // by event and cell: what it left
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> write_notes_;  // by event
  std::unordered_map<std::uint64_t, std::uint32_t> own_sources_;               // by event and cell
  std::unordered_set<std::uint64_t> open_, open_in_;
};

/// The program would fail if this did not hold.
inline bool guards_failure(const Note& note) {
  return (note.kind == TREADLE_NOTE_BRANCH || note.kind == TREADLE_NOTE_CHECK) && note.reason != TREADLE_GUARDS_NOTHING;
}

inline bool is_condition(const Note& note) { return note.kind != TREADLE_NOTE_NONE && note.kind != TREADLE_NOTE_WRITE; }

}  // namespace treadle
