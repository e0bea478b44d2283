// SPDX-License-Identifier: Apache-2.0
#include "explore/turns.h"

#include <algorithm>
#include <array>

#include "base/hash.h"
#include "trace/happens_before.h"

namespace treadle {
namespace {

bool is_leaf(const Expression& e) { return e.op == TREADLE_OP_READ || e.op == TREADLE_OP_INPUT; }

/// `e == constant`, or that it is not: what is compared. 0: neither.
ExpressionId compared(const Trace& trace, ExpressionId condition) {
  const Expression* e = &trace.expressions[condition];
  if (e->op == TREADLE_OP_NOT) e = &trace.expressions[e->a];
  if (e->op != TREADLE_OP_EQ && e->op != TREADLE_OP_NE) return 0;
  if (trace.expressions[e->b].op == TREADLE_OP_CONSTANT) return e->a;
  return trace.expressions[e->a].op == TREADLE_OP_CONSTANT ? e->b : 0;
}

TurnKind kind_of(const Note& note) {
  switch (note.kind) {
    case TREADLE_NOTE_PIN:
      return TurnKind::Pin;
    case TREADLE_NOTE_CHECK:
      return TurnKind::Check;
    case TREADLE_NOTE_ASSUME:
      return TurnKind::Assume;
    default:
      return TurnKind::Branch;
  }
}

}  // namespace

Turns::Turns(const Trace& trace, const Units& units, std::size_t made) : trace_(trace), units_(units), made_(made) {
  find_reads();
  hash_expressions();
  find_turns();
}

/// Fruitless iterations of spin loops count for nothing: how many there were is a matter of the schedule.
void Turns::find_reads() {
  ordinal_.assign(trace_.events.size(), nothing);
  reads_.resize(256);
  for (std::uint32_t e = 0; e < trace_.events.size(); ++e) {
    const Event& event = trace_.events[e];
    const UnitId unit = units_.unit_of[e];
    if (unit == nothing || units_.all[unit].left_out || units_.all[unit].is_flush) continue;
    if (event.kind != TREADLE_EV_INPUT && !reads_memory(static_cast<EventKind>(event.kind))) continue;
    ordinal_[e] = static_cast<std::uint32_t>(reads_[event.thread].size());
    reads_[event.thread].push_back(e);
  }
}

void Turns::hash_expressions() {
  hash_.assign(trace_.expressions.size(), 0);
  for (ExpressionId id = 1; id < hash_.size(); ++id) {
    const Expression& e = trace_.expressions[id];
    Hash hash;
    hash.add(std::uint64_t{e.op} | std::uint64_t{e.bits} << 8 | std::uint64_t{e.part} << 16);
    if (is_leaf(e)) {
      const bool known = e.a < trace_.events.size();
      hash.add(known ? trace_.events[e.a].thread : ~0ull).add(known ? ordinal_[e.a] : ~0ull);
    } else if (e.op == TREADLE_OP_CONSTANT) {
      hash.add(value_in(e));
    } else {
      const std::array operands{e.a, e.b, e.c};
      for (unsigned i = 0; i < operands_of(static_cast<ExpressionOp>(e.op)); ++i) hash.add(hash_[operands[i]]);
    }
    hash_[id] = hash.value();
    by_hash_.try_emplace(hash_[id], id);
  }
}

Turn Turns::turn_of(std::uint32_t note) const {
  const Note& what = trace_.notes[note];
  Turn turn;
  turn.kind = kind_of(what);
  turn.fails = guards_failure(what);
  turn.unit = unit_of_note_[note];
  turn.notes = {note};
  turn.label = Hash().add(hash_[what.expression]).value();
  return turn;
}

/// Of a switch none of whose cases was taken each case has its note: together they are one turn.
bool Turns::continues(const Turn& turn, std::uint32_t note) const {
  if (turn.kind != TurnKind::Branch || turn.notes.empty()) return false;
  const Note &first = trace_.notes[turn.notes.front()], &what = trace_.notes[note];
  if (what.kind != TREADLE_NOTE_BRANCH || what.pc != first.pc || what.event != first.event || what.reason != first.reason) return false;
  const ExpressionId subject = compared(trace_, what.expression);
  return subject != 0 && subject == compared(trace_, first.expression);
}

/// What came of an operation that may turn out in several ways; which, depends on the order alone.
std::optional<Turn> Turns::result_of(UnitId unit) const {
  const Unit& what = units_.all[unit];
  if (what.event == nothing) return std::nullopt;
  const Event& event = trace_.events[what.event];
  std::uint64_t result = event.extra;
  switch (what.kind) {
    case TREADLE_EV_TRYLOCK:
    case TREADLE_EV_TIMEDLOCK:
    case TREADLE_EV_TRYRDLOCK:
    case TREADLE_EV_TRYWRLOCK:
    case TREADLE_EV_TIMEDRDLOCK:
    case TREADLE_EV_TIMEDWRLOCK:
    case TREADLE_EV_SEM_TRYWAIT:
    case TREADLE_EV_SEM_TIMEDWAIT:
    case TREADLE_EV_SPIN_TRYLOCK:
    case TREADLE_EV_COND_WOKEN:
      break;
    case TREADLE_EV_ONCE_BEGIN:
    case TREADLE_EV_SEM_GETVALUE:
      result = event.value;
      break;
    case TREADLE_EV_FUTEX_WOKEN:
      if (event.value == 0 && event.extra == 0) result = 2;  // by itself
      break;
    case TREADLE_EV_FUTEX_WAKE:
      if (event.size == 1) return std::nullopt;
      result = event.value;
      break;
    case TREADLE_EV_BARRIER_ARRIVE: {
      if (event.size == 1) return std::nullopt;
      const auto of_round = [&](const Event& e, EventKind kind) {
        return e.kind == kind && e.address == event.address && e.extra == event.extra;
      };
      const bool left = std::ranges::any_of(trace_.events, [&](const Event& e) { return of_round(e, TREADLE_EV_BARRIER_LEAVE); });
      const bool later = std::any_of(trace_.events.begin() + what.event + 1, trace_.events.end(),
                                     [&](const Event& e) { return of_round(e, TREADLE_EV_BARRIER_ARRIVE); });
      result = left && !later;
      break;
    }
    default:
      return std::nullopt;
  }
  Turn turn;
  turn.kind = TurnKind::Result;
  turn.unit = unit;
  turn.label = Hash().add(what.kind).add(result).value();
  if (what.kind == TREADLE_EV_SEM_GETVALUE || what.kind == TREADLE_EV_FUTEX_WAKE) turn.count = result;
  return turn;
}

void Turns::find_turns() {
  threads_.resize(trace_.threads.size());
  unit_of_note_.assign(trace_.notes.size(), nothing);
  std::array<UnitId, 256> last{};
  last.fill(nothing);
  // Of the first unit the operation is not the first event: what main did before it stands there, too.
  const auto pass = [&](std::uint32_t event) {
    const UnitId unit = units_.unit_of[event];
    const Unit& what = units_.all[unit];
    if (what.is_flush) return;
    last[index_of(what.thread)] = unit;
    if (what.event != event || what.left_out || what.choice == nothing || what.choice >= made_) return;
    if (auto result = result_of(unit)) threads_[index_of(what.thread)].push_back(std::move(*result));
  };
  std::uint32_t event = 0;
  for (std::uint32_t n = 0; n <= trace_.notes.size(); ++n) {
    const std::uint32_t until = n < trace_.notes.size() ? trace_.notes[n].event : static_cast<std::uint32_t>(trace_.events.size());
    if (n < trace_.notes.size() && !is_condition(trace_.notes[n])) continue;
    for (; event < until && event < trace_.events.size(); ++event)
      if (units_.unit_of[event] != nothing) pass(event);
    if (n == trace_.notes.size()) break;
    const Note& note = trace_.notes[n];
    const UnitId unit = last[note.thread];
    if (note.expression == 0 || unit == nothing || units_.all[unit].left_out) continue;
    unit_of_note_[n] = unit;
    auto& turns = threads_[note.thread];
    if (!turns.empty() && continues(turns.back(), n)) {
      turns.back().notes.push_back(n);
      turns.back().label = Hash().add(turns.back().label).add(hash_[note.expression]).value();
      continue;
    }
    turns.push_back(turn_of(n));
  }
}

bool are_complements(const PortableCondition& a, const PortableCondition& b) {
  if (a.hold.size() != 1 || b.hold.size() != 1) return false;
  const Expression &one = a.expressions[a.hold[0]], &other = b.expressions[b.hold[0]];
  if (one.op == TREADLE_OP_NOT && a.hashes[one.a] == b.hashes[b.hold[0]]) return true;
  if (other.op == TREADLE_OP_NOT && b.hashes[other.a] == a.hashes[a.hold[0]]) return true;
  const auto are = [&](ExpressionOp first, ExpressionOp second) {
    return (one.op == first && other.op == second) || (one.op == second && other.op == first);
  };
  const bool same = a.hashes[one.a] == b.hashes[other.a] && a.hashes[one.b] == b.hashes[other.b];
  const bool swapped = a.hashes[one.a] == b.hashes[other.b] && a.hashes[one.b] == b.hashes[other.a];
  if (are(TREADLE_OP_EQ, TREADLE_OP_NE)) return same || swapped;
  return swapped && (are(TREADLE_OP_ULT, TREADLE_OP_ULE) || are(TREADLE_OP_SLT, TREADLE_OP_SLE));
}

PortableCondition Turns::portable(const Turn& turn) const {
  PortableCondition out;
  std::unordered_map<ExpressionId, ExpressionId> made;
  const auto bring = [&](auto& self, ExpressionId id) -> ExpressionId {
    if (const auto known = made.find(id); known != made.end()) return known->second;
    Expression e = trace_.expressions[id];
    std::uint16_t reader = 0;
    if (is_leaf(e)) {
      reader = trace_.events[e.a].thread;
      e.a = ordinal_[e.a];
    } else if (e.op != TREADLE_OP_CONSTANT) {
      const unsigned count = operands_of(static_cast<ExpressionOp>(e.op));
      if (count > 0) e.a = self(self, e.a);
      if (count > 1) e.b = self(self, e.b);
      if (count > 2) e.c = self(self, e.c);
    }
    out.expressions.push_back(e);
    out.readers.push_back(reader);
    out.hashes.push_back(hash_[id]);
    return made[id] = static_cast<ExpressionId>(out.expressions.size() - 1);
  };
  for (const std::uint32_t note : turn.notes) out.hold.push_back(bring(bring, trace_.notes[note].expression));
  return out;
}

bool Turns::is_about_reads_before(std::uint32_t thread, const Turn& turn, const PortableCondition& condition) const {
  if (turn.notes.empty()) return false;
  const auto& reads = reads_[thread];
  const auto before = std::ranges::lower_bound(reads, trace_.notes[turn.notes.front()].event) - reads.begin();
  for (ExpressionId id = 1; id < condition.expressions.size(); ++id) {
    const Expression& e = condition.expressions[id];
    if (is_leaf(e) && condition.readers[id] == thread && e.a >= before) return false;
  }
  return true;
}

std::optional<std::vector<ExpressionId>> Turns::brought_into(Trace& trace, const PortableCondition& condition) {
  std::vector<ExpressionId> now(condition.expressions.size(), 0);
  for (ExpressionId id = 1; id < now.size(); ++id) {
    Expression e = condition.expressions[id];
    if (const auto known = by_hash_.find(condition.hashes[id]); known != by_hash_.end()) {
      now[id] = known->second;
      continue;
    }
    if (is_leaf(e)) {
      const auto& reads = reads_[condition.readers[id]];
      if (e.a >= reads.size()) return std::nullopt;
      e.a = reads[e.a];
    } else if (e.op != TREADLE_OP_CONSTANT) {
      const unsigned count = operands_of(static_cast<ExpressionOp>(e.op));
      if (count > 0) e.a = now[e.a];
      if (count > 1) e.b = now[e.b];
      if (count > 2) e.c = now[e.c];
    }
    trace.expressions.push_back(e);
    now[id] = by_hash_[condition.hashes[id]] = static_cast<ExpressionId>(trace.expressions.size() - 1);
  }
  std::vector<ExpressionId> hold;
  for (const ExpressionId id : condition.hold) hold.push_back(now[id]);
  return hold;
}

}  // namespace treadle
