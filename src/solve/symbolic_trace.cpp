// SPDX-License-Identifier: Apache-2.0
#include "solve/symbolic_trace.h"

#include <algorithm>
#include <array>

#include "solve/unit_parts.h"
#include "trace/happens_before.h"

namespace treadle {
namespace {

std::uint64_t low_bytes(std::uint64_t value, std::uint64_t bytes) { return bytes >= 8 ? value : value & ((1ull << (8 * bytes)) - 1); }

/// `earlier` has happened whenever `later` does.
bool must_precede(const Units& units, UnitId earlier, UnitId later) {
  std::vector<char> seen(units.all.size(), 0);
  std::vector<UnitId> open{later};
  while (!open.empty()) {
    const UnitId u = open.back();
    open.pop_back();
    for (const UnitId m : units.all[u].must) {
      if (m == earlier) return true;
      if (!seen[m]) open.push_back(m);
      seen[m] = 1;
    }
  }
  return false;
}

/// Whether it finds what it expects is its own condition, the first behind it, and decides what it leaves, or whether it sleeps.
bool compares(const Event& event) {
  return event.kind == TREADLE_EV_CAS_OK || event.kind == TREADLE_EV_CAS_FAIL || event.kind == TREADLE_EV_FUTEX_WAIT;
}

}  // namespace

SymbolicTrace::SymbolicTrace(const Trace& trace, Units& units, CausalKind kind, Races races, Inputs inputs)
    : trace_(trace),
      units_(units),
      conditions_(units.all.size()),
      trailing_(trace.notes.size(), 0),
      unit_of_note_(trace.notes.size(), nothing) {
  place_notes();
  if (races == Races::Explore) find_trailing();
  find_writes();
  find_own_sources();
  find_open_reads(kind);
  check_origins(inputs);
}

/// Behind the last event of its thread that came before it.
void SymbolicTrace::place_notes() {
  std::array<UnitId, 256> last{};
  last.fill(nothing);
  std::uint32_t event = 0;
  for (std::uint32_t n = 0; n < trace_.notes.size(); ++n) {
    const Note& note = trace_.notes[n];
    if (note.kind == TREADLE_NOTE_WRITE) {
      write_notes_[note.event].push_back(n);
      if (note.event < trace_.events.size()) unit_of_note_[n] = units_.unit_of[note.event];
      continue;
    }
    for (; event < note.event && event < trace_.events.size(); ++event) {
      const UnitId unit = units_.unit_of[event];
      if (unit != nothing && !units_.all[unit].is_flush) last[index_of(units_.all[unit].thread)] = unit;
    }
    unit_of_note_[n] = last[note.thread];
    if (is_condition(note) && note.expression != 0 && last[note.thread] != nothing) conditions_[last[note.thread]].push_back(n);
  }
}

bool SymbolicTrace::is_first_behind(std::span<const std::uint32_t> notes, std::uint32_t note, std::uint32_t event) const {
  const auto first = std::ranges::find_if(notes, [&](std::uint32_t n) { return trace_.notes[n].event > event; });
  return first != notes.end() && *first == note;
}

void SymbolicTrace::find_trailing() {
  std::vector<std::uint32_t> last(units_.all.size(), 0);
  for (std::uint32_t e = 0; e < trace_.events.size(); ++e)
    if (units_.unit_of[e] != nothing) last[units_.unit_of[e]] = e;
  for (UnitId u = 0; u < units_.all.size(); ++u)
    for (const std::uint32_t note : conditions_[u]) {
      const Note& one = trace_.notes[note];
      if (guards_failure(one) || one.kind == TREADLE_NOTE_ASSUME || one.kind == TREADLE_NOTE_CHECK || one.event <= last[u]) continue;
      if (compares(trace_.events[last[u]]) && is_first_behind(conditions_[u], note, last[u])) continue;
      trailing_[note] = 1;
    }
}

void SymbolicTrace::find_writes() {
  for (const Unit& unit : units_.all)
    for (const UnitWrite& write : unit.writes) values_[key(write.event, write.cell)] = write.value;
}

void SymbolicTrace::find_own_sources() {
  if (trace_.expressions.empty()) return;
  std::unordered_map<CellId, std::uint32_t> written;
  UnitId unit = nothing;
  for (std::uint32_t e = 0; e < trace_.events.size(); ++e) {
    if (units_.unit_of[e] == nothing) continue;
    if (unit != units_.unit_of[e]) written.clear();
    unit = units_.unit_of[e];
    const Event& event = trace_.events[e];
    const auto kind = static_cast<EventKind>(event.kind);
    const bool reads = reads_memory(kind);
    const bool renews = kind == TREADLE_EV_ALLOC || kind == TREADLE_EV_FREE;  // what stands there from then on is its doing
    const bool writes = renews || (writes_memory(kind) && !(is_buffered(event) && units_.all[unit].event == e));
    if (!reads && !writes) continue;
    const auto [first, end] = cells_within(units_, event.address, renews ? event.value : bytes_of(event));
    for (CellId c = first; c < end; ++c) {
      if (units_.left_unseen.contains(key(e, c))) written[c] = e;
      if (const auto own = written.find(c); reads && own != written.end()) own_sources_[key(e, c)] = own->second;
      if (writes) written[c] = e;
    }
  }
}

/// By expression: something else than an assertion depends on it.
std::vector<char> SymbolicTrace::looked_at() const {
  std::vector<char> marked(trace_.expressions.size(), 0);
  for (const Note& note : trace_.notes)
    if (!guards_failure(note) && note.expression < marked.size()) marked[note.expression] = 1;
  for (ExpressionId id = static_cast<ExpressionId>(marked.size()); id-- > 1;) {
    if (!marked[id]) continue;
    const Expression& e = trace_.expressions[id];
    const std::array operands{e.a, e.b, e.c};
    for (unsigned i = 0; i < operands_of(static_cast<ExpressionOp>(e.op)); ++i) marked[operands[i]] = 1;
  }
  return marked;
}

void SymbolicTrace::find_open_reads(CausalKind kind) {
  const std::vector<char> marked = kind == CausalKind::Maximal ? looked_at() : std::vector<char>(trace_.expressions.size(), 0);
  for (ExpressionId id = 1; id < trace_.expressions.size(); ++id) {
    const Expression& e = trace_.expressions[id];
    if (e.op != TREADLE_OP_READ || e.a >= trace_.events.size()) continue;
    const Event& event = trace_.events[e.a];
    const UnitId unit = units_.unit_of[e.a];
    if (unit == nothing) continue;
    if (!reads_memory(static_cast<EventKind>(event.kind)) || e.part + e.bits / 8u > bytes_of(event)) {
      tell_unmodelled(units_, unit, "an expression for something that was not read");
      continue;
    }
    if (marked[id]) continue;
    const auto [first, end] = cells_within(units_, event.address + e.part, e.bits / 8u);
    for (CellId c = first; c < end; ++c) {
      open_.insert(key(e.a, c));
      if (!own_sources_.contains(key(e.a, c))) open_in_.insert(key(unit, c));
    }
  }
  // Another event of the unit may stand behind a part of the same that has other uses.
  for (ExpressionId id = 1; id < trace_.expressions.size(); ++id) {
    const Expression& e = trace_.expressions[id];
    if (e.op != TREADLE_OP_READ || !marked[id] || e.a >= trace_.events.size()) continue;
    const auto [first, end] = cells_within(units_, trace_.events[e.a].address + e.part, e.bits / 8u);
    for (CellId c = first; c < end; ++c) open_.erase(key(e.a, c));
  }
}

bool SymbolicTrace::leaves(std::uint32_t event, CellId cell) const {
  const auto kind = static_cast<EventKind>(trace_.events[event].kind);
  return writes_memory(kind) || kind == TREADLE_EV_ALLOC || kind == TREADLE_EV_FREE || units_.left_unseen.contains(key(event, cell));
}

std::uint32_t SymbolicTrace::own_source(std::uint32_t event, CellId cell) const {
  const auto found = own_sources_.find(key(event, cell));
  return found == own_sources_.end() ? nothing : found->second;
}

Written SymbolicTrace::known_or_not(CellId cell, ValueId value) const {
  Written out;
  out.id = value;
  if (value == nothing || !units_.values[cell][value]) return out;
  out.kind = Written::Kind::Constant;
  out.value = *units_.values[cell][value];
  return out;
}

Written SymbolicTrace::written(std::uint32_t event, CellId cell) const {
  const Event& e = trace_.events[event];
  const Cell& at = units_.cells[cell];
  if (const auto notes = write_notes_.find(event); notes != write_notes_.end() && at.bytes <= 8)
    for (auto n = notes->second.rbegin(); n != notes->second.rend(); ++n) {
      const Note& note = trace_.notes[*n];
      const std::uint64_t begin = e.address + note.part;
      if (note.expression == 0 || at.start < begin || at.start + at.bytes > begin + (trace_.expressions[note.expression].bits + 7u) / 8)
        continue;
      Written out;
      out.kind = Written::Kind::Symbolic;
      out.expression = note.expression;
      out.lowest = static_cast<unsigned>(8 * (at.start - begin));
      return out;
    }
  if (const auto known = values_.find(key(event, cell)); known != values_.end()) return known_or_not(cell, known->second);
  Written out;
  if (e.kind == TREADLE_EV_RANGE_WRITE || bytes_of(e) > 8 || at.start < e.address || !writes_memory(static_cast<EventKind>(e.kind)))
    return out;
  out.kind = Written::Kind::Constant;  // one that the same unit has overwritten
  out.value = low_bytes(value_written(e) >> (8 * (at.start - e.address)), at.bytes);
  return out;
}

/// Of what a thread computes with, everything was read by itself before, or before it was created.
void SymbolicTrace::check_origins(Inputs inputs) {
  constexpr std::uint16_t nobody = 0xffff, several = 0xfffe;
  std::vector<std::uint16_t> reader(trace_.expressions.size(), nobody);
  for (ExpressionId id = 1; id < trace_.expressions.size(); ++id) {
    const Expression& e = trace_.expressions[id];
    if ((e.op == TREADLE_OP_READ || (e.op == TREADLE_OP_INPUT && inputs == Inputs::Free)) && e.a < trace_.events.size()) {
      const UnitId unit = units_.unit_of[e.a];
      if (unit != nothing) reader[id] = units_.all[unit].left_out ? several : trace_.events[e.a].thread;
      continue;
    }
    const std::array operands{e.a, e.b, e.c};
    for (unsigned i = 0; i < operands_of(static_cast<ExpressionOp>(e.op)); ++i)
      if (const std::uint16_t other = reader[operands[i]]; other != nobody)
        reader[id] = reader[id] == nobody || reader[id] == other ? other : several;
  }
  for (std::uint32_t n = 0; n < trace_.notes.size(); ++n) {
    const Note& note = trace_.notes[n];
    const bool is_ours = note.expression < reader.size() && (reader[note.expression] == nobody || reader[note.expression] == note.thread);
    const UnitId unit = unit_of_note_[n];
    if (note.kind == TREADLE_NOTE_NONE || note.expression == 0 || (is_ours && (unit != nothing || reader[note.expression] == nobody)))
      continue;
    if (unit != nothing && units_.all[unit].left_out) continue;
    if (unit == nothing || note.expression >= reader.size() || comes_from_elsewhere(note.expression, unit))
      tell_unmodelled(units_, unit == nothing ? 0 : unit, "a value that reached another thread by an unknown way");
  }
}

bool SymbolicTrace::comes_from_elsewhere(ExpressionId expression, UnitId unit) const {
  std::vector<ExpressionId> open{expression};
  std::unordered_set<ExpressionId> seen;
  while (!open.empty()) {
    const ExpressionId id = open.back();
    open.pop_back();
    if (!seen.insert(id).second) continue;
    const Expression& e = trace_.expressions[id];
    if (e.op == TREADLE_OP_READ || e.op == TREADLE_OP_INPUT) {
      const UnitId reader = e.a < trace_.events.size() ? units_.unit_of[e.a] : nothing;
      if (reader == nothing || reader == unit) continue;
      if (units_.all[reader].left_out || !must_precede(units_, reader, unit)) return true;
    }
    const std::array operands{e.a, e.b, e.c};
    for (unsigned i = 0; i < operands_of(static_cast<ExpressionOp>(e.op)); ++i) open.push_back(operands[i]);
  }
  return false;
}

}  // namespace treadle
