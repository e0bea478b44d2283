// SPDX-License-Identifier: Apache-2.0
// Small random programs with values that depend on each other and one random execution of each, as a symbolic Trace; for the tests of the
// symbolic model.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <random>
#include <vector>

#include "trace/made_up_symbolic.h"

namespace treadle {

struct SymbolicOp {
  enum Kind { Load, Opaque, Store, Add, Exchange, Branch, Assert, Pin, Lock, Unlock, Post, Wait } kind = Load;
  unsigned variable = 0;  // memory, lock or semaphore
  unsigned reg = 0;
  unsigned bytes = 4, offset = 0;
  std::uint64_t constant = 0;
  bool plain = false;  // no atomic access
};

class MadeUpSymbolicRun {
 public:
  static constexpr std::uint64_t memory_at = 0x1000, locks_at = 0x2000, semaphores_at = 0x3000;
  static constexpr unsigned variables = 2, registers = 2;

  MadeUpSymbolicRun(std::vector<std::vector<SymbolicOp>> threads, MemoryModel model, Races races, std::mt19937& random)
      : threads_(std::move(threads)),
        model_(model),
        races_(races),
        random_(random),
        at_(threads_.size(), 0),
        buffers_(threads_.size()),
        registers_(threads_.size()),
        e_(made_.trace.expressions) {
    made_.trace.threads = {{}};
    for (unsigned v = 0; v < variables; ++v) {
      memory_[memory_at + 8 * v] = static_cast<std::uint8_t>(random() % 3);
      event(0, TREADLE_EV_ATOMIC_READ, memory_at + 8 * v, load(memory_at + 8 * v, 4), 0, 4);  // so that all is known
    }
    for (unsigned t = 0; t < threads_.size(); ++t) {
      made_.trace.threads.push_back({0, static_cast<std::uint16_t>(t + 1)});
      event(0, TREADLE_EV_THREAD_CREATE, 0, t + 1);
      for (unsigned r = 0; r < registers; ++r) registers_[t].push_back(e_.constant(r, 32));
    }
    initial_ = memory_;
    while (step()) {
    }
    made_.end(TREADLE_END_COMPLETED);
  }

  const Trace& trace() const { return made_.trace; }
  std::uint8_t initial(std::uint64_t address) const {
    const auto found = initial_.find(address);
    return found == initial_.end() ? 0 : found->second;
  }

 private:
  struct Buffered {
    std::uint64_t address, value, event;
    unsigned bytes;
  };

  std::uint32_t event(unsigned thread, EventKind kind, std::uint64_t address, std::uint64_t value, std::uint64_t extra = 0,
                      unsigned bytes = 0, unsigned order = 0, bool own_step = true) {
    const auto number = made_.event(thread, kind, address, value, extra, 0, bytes, order);
    if (!own_step) {
      made_.trace.choices.pop_back();
      made_.trace.events.back().step = static_cast<std::uint32_t>(made_.trace.choices.size() - 1);
    }
    return static_cast<std::uint32_t>(number);
  }

  void note(unsigned t, TreadleNoteKind kind, ExpressionId expression, unsigned reason = 0) {
    Note n{};
    n.kind = static_cast<std::uint8_t>(kind);
    n.thread = static_cast<std::uint8_t>(t + 1);
    n.reason = static_cast<std::uint8_t>(reason);
    n.event = static_cast<std::uint32_t>(made_.trace.events.size() - (kind == TREADLE_NOTE_WRITE ? 1 : 0));
    n.expression = expression;
    made_.trace.notes.push_back(n);
  }

  std::uint64_t load(std::uint64_t address, unsigned bytes) {
    std::uint64_t value = 0;
    for (unsigned i = bytes; i-- > 0;) value = value << 8 | memory_[address + i];
    return value;
  }
  void store(std::uint64_t address, std::uint64_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; ++i) memory_[address + i] = static_cast<std::uint8_t>(value >> (8 * i));
  }

  bool is_local(const SymbolicOp& op) const {
    return op.kind == SymbolicOp::Branch || op.kind == SymbolicOp::Assert || op.kind == SymbolicOp::Pin;
  }
  bool is_visible_op(const SymbolicOp& op) const { return !is_local(op) && !(op.plain && races_ != Races::Explore); }

  bool step() {
    std::vector<std::pair<unsigned, int>> can;
    for (unsigned t = 0; t < threads_.size(); ++t) {
      if (enabled(t)) can.emplace_back(t, -1);
      for (std::size_t i = 0; i < buffers_[t].size(); ++i)
        if (may_flush(t, i)) can.emplace_back(t, static_cast<int>(i));
    }
    if (can.empty()) return false;
    const auto [t, store_number] = can[random_() % can.size()];
    if (store_number >= 0) {
      flush(t, static_cast<std::size_t>(store_number));
      return true;
    }
    bool first = true;
    do {
      make(t, threads_[t][at_[t]], first);
      first = false;
      ++at_[t];
    } while (at_[t] < threads_[t].size() && !is_visible_op(threads_[t][at_[t]]));
    return true;
  }

  bool may_flush(unsigned t, std::size_t i) const {
    if (model_ == MemoryModel::Tso) return i == 0;
    for (std::size_t k = 0; k < i; ++k) {
      const Buffered &a = buffers_[t][k], &b = buffers_[t][i];
      if (a.address < b.address + b.bytes && b.address < a.address + a.bytes) return false;
    }
    return true;
  }

  bool enabled(unsigned t) {
    if (at_[t] == threads_[t].size()) return false;
    const SymbolicOp& op = threads_[t][at_[t]];
    const bool passes = op.kind == SymbolicOp::Load || op.kind == SymbolicOp::Opaque || op.kind == SymbolicOp::Store;
    if (!passes && !buffers_[t].empty()) return false;
    if (op.kind == SymbolicOp::Lock) return !held_[op.variable];
    if (op.kind == SymbolicOp::Wait) return semaphores_[op.variable] > 0;
    return true;
  }

  void flush(unsigned t, std::size_t i) {
    const Buffered b = buffers_[t][i];
    buffers_[t].erase(buffers_[t].begin() + static_cast<std::ptrdiff_t>(i));
    event(t + 1, TREADLE_EV_FLUSH, b.address, b.value, b.event, b.bytes);
    made_.trace.choices.back().taken = {DecisionKind::Flush, ThreadId{static_cast<std::uint8_t>(t + 1)}, 0};
    store(b.address, b.value, b.bytes);
  }

  std::uint64_t seen(unsigned t, std::uint64_t address, unsigned bytes) {
    std::uint64_t value = 0;
    for (unsigned i = bytes; i-- > 0;) {
      std::uint8_t byte = memory_[address + i];
      for (const Buffered& b : buffers_[t])
        if (b.address <= address + i && address + i < b.address + b.bytes)
          byte = static_cast<std::uint8_t>(b.value >> (8 * (address + i - b.address)));
      value = value << 8 | byte;
    }
    return value;
  }

  ExpressionId condition(unsigned t, const SymbolicOp& op) {
    const ExpressionId reg = registers_[t][op.reg];
    return e_.make(op.constant % 2 == 0 ? TREADLE_OP_ULT : TREADLE_OP_EQ, 1, reg, e_.constant(op.constant / 2, 32));
  }

  void make(unsigned t, const SymbolicOp& op, bool own_step) {
    const std::uint64_t address = memory_at + 8 * op.variable + op.offset;
    const unsigned id = t + 1, bits = 8 * op.bytes;
    ExpressionId& reg = registers_[t][op.reg];
    const auto sum = [&](ExpressionId a) { return e_.make(TREADLE_OP_ADD, bits, a, e_.constant(op.constant & 0xff, bits)); };
    switch (op.kind) {
      case SymbolicOp::Load:
      case SymbolicOp::Opaque: {
        const std::uint64_t value = seen(t, address, op.bytes);
        const auto number = event(id, op.plain ? TREADLE_EV_READ : TREADLE_EV_ATOMIC_READ, address, value, 0, op.bytes, 0, own_step);
        if (op.kind == SymbolicOp::Load) reg = e_.wide(e_.read(number, value, bits), 32);
        return;
      }
      case SymbolicOp::Store: {
        const ExpressionId what = sum(e_.wide(reg, bits));
        const std::uint64_t value = e_.value(what);
        const bool buffered = model_ != MemoryModel::Sc && own_step;
        const auto number = event(id, op.plain ? TREADLE_EV_WRITE : TREADLE_EV_ATOMIC_WRITE, address, value,
                                  load(address, op.bytes), op.bytes, buffered ? TREADLE_ORDER_BUFFERED : 0, own_step);
        note(t, TREADLE_NOTE_WRITE, what);
        if (buffered)
          buffers_[t].push_back({address, value, number, op.bytes});
        else
          store(address, value, op.bytes);
        return;
      }
      case SymbolicOp::Add:
      case SymbolicOp::Exchange: {
        const std::uint64_t value = load(address, op.bytes);
        const auto number = static_cast<std::uint32_t>(made_.trace.events.size());
        const ExpressionId found = e_.read(number, value, bits);
        const ExpressionId what = sum(op.kind == SymbolicOp::Add ? found : e_.wide(reg, bits));
        event(id, TREADLE_EV_RMW, address, value, e_.value(what), op.bytes, 0, own_step);
        note(t, TREADLE_NOTE_WRITE, what);
        store(address, e_.value(what), op.bytes);
        reg = e_.wide(found, 32);
        return;
      }
      case SymbolicOp::Branch:
      case SymbolicOp::Assert: {
        ExpressionId c = condition(t, op);
        if (e_.value(c) == 0) c = e_.make(TREADLE_OP_NOT, 1, c);
        return note(t, TREADLE_NOTE_BRANCH, c, op.kind == SymbolicOp::Assert ? TREADLE_GUARDS_ASSERTION : TREADLE_GUARDS_NOTHING);
      }
      case SymbolicOp::Pin:
        return note(t, TREADLE_NOTE_PIN, e_.make(TREADLE_OP_EQ, 1, reg, e_.constant(e_.value(reg), 32)));
      case SymbolicOp::Lock:
      case SymbolicOp::Unlock:
        held_[op.variable] = op.kind == SymbolicOp::Lock;
        event(id, op.kind == SymbolicOp::Lock ? TREADLE_EV_LOCK : TREADLE_EV_UNLOCK, locks_at + 8 * op.variable,
              op.kind == SymbolicOp::Lock);
        return;
      case SymbolicOp::Post:
        event(id, TREADLE_EV_SEM_POST, semaphores_at + 8 * op.variable, static_cast<std::uint64_t>(++semaphores_[op.variable]));
        return;
      case SymbolicOp::Wait:
        event(id, TREADLE_EV_SEM_WAIT, semaphores_at + 8 * op.variable, static_cast<std::uint64_t>(--semaphores_[op.variable]));
        return;
    }
  }

  std::vector<std::vector<SymbolicOp>> threads_;
  MemoryModel model_;
  Races races_;
  std::mt19937& random_;
  std::vector<std::size_t> at_;
  std::vector<std::deque<Buffered>> buffers_;
  MadeUpTrace made_;
  std::vector<std::vector<ExpressionId>> registers_;
  NumberedExpressions e_;
  std::map<std::uint64_t, std::uint8_t> memory_, initial_;
  std::map<unsigned, bool> held_;
  std::map<unsigned, int> semaphores_;
};

}  // namespace treadle
