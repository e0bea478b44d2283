// SPDX-License-Identifier: Apache-2.0
// Symbolic traces made by hand, for tests only.
#pragma once

#include "trace/made_up.h"

namespace treadle {

/// Expressions of a made-up trace, and their values in it.
class NumberedExpressions {
 public:
  explicit NumberedExpressions(std::vector<Expression>& all) : all_(all) {
    if (all_.empty()) all_.emplace_back();
  }

  ExpressionId constant(std::uint64_t value, unsigned bits) { return leaf(TREADLE_OP_CONSTANT, 0, 0, value, bits); }
  ExpressionId read(std::uint64_t event, std::uint64_t value, unsigned bits) {
    return leaf(TREADLE_OP_READ, static_cast<std::uint32_t>(event), 0, value, bits);
  }
  ExpressionId make(ExpressionOp op, unsigned bits, ExpressionId a, ExpressionId b = 0, unsigned part = 0) {
    all_.push_back({static_cast<std::uint8_t>(op), static_cast<std::uint8_t>(bits), static_cast<std::uint16_t>(part), a, b, 0});
    return static_cast<ExpressionId>(all_.size() - 1);
  }
  /// Zero-extended or cut to a width.
  ExpressionId wide(ExpressionId id, unsigned bits) {
    const unsigned has = all_[id].bits;
    return has == bits ? id : make(has < bits ? TREADLE_OP_ZEXT : TREADLE_OP_EXTRACT, bits, id);
  }
  std::uint64_t value(ExpressionId id) const { return evaluate(all_)[id]; }

 private:
  ExpressionId leaf(ExpressionOp op, std::uint32_t a, unsigned part, std::uint64_t value, unsigned bits) {
    all_.push_back({static_cast<std::uint8_t>(op), static_cast<std::uint8_t>(bits), static_cast<std::uint16_t>(part), a,
                    static_cast<std::uint32_t>(value), static_cast<std::uint32_t>(value >> 32)});
    return static_cast<ExpressionId>(all_.size() - 1);
  }
  std::vector<Expression>& all_;
};

/// Accesses with expressions, conditions on a thread's way.
class MadeUpSymbolicTrace : public MadeUpTrace {
 public:
  MadeUpSymbolicTrace() : e(trace.expressions) {}

  /// A plain read of four bytes, as a symbol.
  ExpressionId read(unsigned thread, std::uint64_t address, std::uint64_t value) {
    return e.read(event(thread, TREADLE_EV_READ, address, value, 0, 0, 4), value, 32);
  }
  /// A plain write of four bytes; `before`: what stood there.
  std::uint64_t write(unsigned thread, std::uint64_t address, ExpressionId what, std::uint64_t before) {
    const std::uint64_t number = event(thread, TREADLE_EV_WRITE, address, e.value(what), before, 0, 4);
    note(thread, TREADLE_NOTE_WRITE, what);
    return number;
  }
  std::uint32_t note(unsigned thread, TreadleNoteKind kind, ExpressionId expression, unsigned reason = 0, std::uint64_t pc = 0) {
    Note n{};
    n.kind = static_cast<std::uint8_t>(kind);
    n.thread = static_cast<std::uint8_t>(thread);
    n.reason = static_cast<std::uint8_t>(reason);
    n.event = static_cast<std::uint32_t>(trace.events.size() - (kind == TREADLE_NOTE_WRITE ? 1 : 0));
    n.expression = expression;
    n.pc = pc;
    trace.notes.push_back(n);
    return static_cast<std::uint32_t>(trace.notes.size() - 1);
  }
  std::uint32_t asserts(unsigned thread, ExpressionId condition, std::uint64_t pc = 0) {
    return note(thread, TREADLE_NOTE_BRANCH, condition, TREADLE_GUARDS_ASSERTION, pc);
  }
  ExpressionId number(std::uint64_t value) { return e.constant(value, 32); }
  ExpressionId plus(ExpressionId a, std::uint64_t b) { return e.make(TREADLE_OP_ADD, 32, a, number(b)); }
  ExpressionId is(ExpressionId a, std::uint64_t b) { return e.make(TREADLE_OP_EQ, 1, a, number(b)); }
  ExpressionId is_less(ExpressionId a, ExpressionId b) { return e.make(TREADLE_OP_SLT, 1, a, b); }

  NumberedExpressions e;
};

}  // namespace treadle
