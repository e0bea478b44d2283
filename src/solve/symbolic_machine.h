// SPDX-License-Identifier: Apache-2.0
// A trace program executed step by step, for tests only: the definition of the symbolic model, without solver, cells or candidates. Memory
// is bytes; a thread goes on only along the way that was recorded.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "solve/symbolic_trace.h"
#include "solve/unit_parts.h"
#include "trace/happens_before.h"

namespace treadle {

class SymbolicMachine {
 public:
  using Initial = std::function<std::uint8_t(std::uint64_t address)>;

  SymbolicMachine(const Trace& trace, const Units& units, CausalKind kind, Races races, Initial initial)
      : trace_(trace),
        units_(units),
        symbolic_(trace, copy_ = units, kind, races),
        initial_(std::move(initial)),
        done_(units.all.size(), 0) {
    for (const Expression& e : trace.expressions)
      if (e.op == TREADLE_OP_READ) named_.insert(e.a);
    for (std::uint32_t e = 0; e < trace.events.size(); ++e)
      if (units.unit_of[e] != nothing) events_[units.unit_of[e]].push_back(e);
  }

  /// It can make its step here.
  bool is_enabled(UnitId u) const {
    const Unit& unit = units_.all[u];
    if (done_[u] || unit.left_out || (unit.before != nothing && left_.contains(unit.before))) return false;
    for (const UnitId m : unit.must)
      if (!done_[m]) return false;
    for (const std::uint32_t s : unit.syncs) {
      const Event& e = trace_.events[s];
      if (e.kind == TREADLE_EV_LOCK && held_.contains(e.address)) return false;
      if (e.kind == TREADLE_EV_SEM_WAIT && count(e.address) == 0) return false;
    }
    return true;
  }

  /// Makes it. False: it left its way before it was through; `failed` is the first condition that did not hold (or nothing).
  bool make(UnitId u, std::uint32_t& failed) {
    failed = nothing;
    const Unit& unit = units_.all[u];
    if (unit.is_flush) {
      const Store& store = buffered_.at(unit.partner);
      for (std::size_t i = 0; i < store.bytes.size(); ++i) memory_[store.address + i] = store.bytes[i];
      done_[u] = 1;
      return true;
    }
    std::uint32_t note = 0;
    const auto conditions = symbolic_.conditions_of(u);
    const auto follow = [&](std::uint32_t before) {
      for (; note < conditions.size() && trace_.notes[conditions[note]].event <= before; ++note)
        if (value_of(trace_.notes[conditions[note]].expression) == 0) {
          failed = conditions[note];
          return symbolic_.is_trailing(failed) && left_.insert(u).second;
        }
      return true;
    };
    for (const std::uint32_t number : events_[u]) {
      if (!follow(number)) return false;
      if (!act(u, number)) return false;
    }
    if (!follow(nothing)) return false;
    done_[u] = 1;
    return true;
  }

  std::vector<std::uint64_t> state() const {
    std::vector<std::uint64_t> all(done_.begin(), done_.end());
    for (const auto& [at, byte] : memory_) all.insert(all.end(), {at, byte});
    for (const auto& [event, value] : seen_) all.insert(all.end(), {event, value});
    for (const auto& [unit, store] : buffered_) all.insert(all.end(), store.bytes.begin(), store.bytes.end());
    return all;
  }

 private:
  struct Store {
    std::uint64_t address = 0;
    std::vector<std::uint8_t> bytes;
  };

  std::uint64_t count(std::uint64_t semaphore) const {
    const auto found = counts_.find(semaphore);
    return found == counts_.end() ? 0 : found->second;
  }

  std::uint8_t byte(UnitId u, std::uint64_t at) const {
    for (UnitId v = u; v != nothing; v = units_.all[v].before) {  // own stores that nobody else sees yet
      const auto store = buffered_.find(v);
      if (store == buffered_.end() || done_[units_.all[v].partner]) continue;
      const std::uint64_t offset = at - store->second.address;
      if (at >= store->second.address && offset < store->second.bytes.size()) return store->second.bytes[offset];
    }
    const auto found = memory_.find(at);
    return found == memory_.end() ? initial_(at) : found->second;
  }

  std::uint64_t value_of(ExpressionId id) const {
    return evaluate(trace_.expressions, [&](const Expression& leaf) {
      const auto found = seen_.find(leaf.a);
      return found == seen_.end() ? value_in(leaf) : found->second >> (8 * leaf.part);
    })[id];
  }

  bool act(UnitId u, std::uint32_t number) {
    const Event& e = trace_.events[number];
    const auto kind = static_cast<EventKind>(e.kind);
    if (kind == TREADLE_EV_LOCK) held_.insert(e.address);
    if (kind == TREADLE_EV_UNLOCK) held_.erase(e.address);
    if (kind == TREADLE_EV_SEM_POST) ++counts_[e.address];
    if (kind == TREADLE_EV_SEM_WAIT) --counts_[e.address];
    if (reads_memory(kind)) {
      std::uint64_t value = 0;
      for (unsigned i = e.size; i-- > 0;) value = value << 8 | byte(u, e.address + i);
      if (!stays_open(number) && value != value_read(e)) return false;
      seen_[number] = value;
    }
    if (!writes_memory(kind)) return true;
    std::uint64_t value = value_written(e);
    for (const Note& note : trace_.notes)
      if (note.kind == TREADLE_NOTE_WRITE && note.event == number) value = value_of(note.expression);
    Store store{e.address, {}};
    for (unsigned i = 0; i < e.size; ++i) store.bytes.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
    if (is_buffered(e)) {
      buffered_[u] = store;
      return true;
    }
    for (std::size_t i = 0; i < store.bytes.size(); ++i) memory_[e.address + i] = store.bytes[i];
    return true;
  }

  bool stays_open(std::uint32_t event) const {
    if (!named_.contains(event)) return false;
    const Event& e = trace_.events[event];
    const auto [first, end] = cells_within(units_, e.address, e.size);
    for (CellId c = first; c < end; ++c)
      if (!symbolic_.is_open(event, c)) return false;
    return true;
  }

  const Trace& trace_;
  const Units& units_;
  Units copy_;
  SymbolicTrace symbolic_;
  Initial initial_;
  std::vector<char> done_;
  std::set<std::uint32_t> named_;
  std::map<UnitId, std::vector<std::uint32_t>> events_;
  std::map<std::uint64_t, std::uint8_t> memory_;
  std::map<std::uint32_t, std::uint64_t> seen_;  // by event
  std::map<UnitId, Store> buffered_;             // by the unit that stores
  std::set<UnitId> left_;                        // behind them their threads have left their ways
  std::set<std::uint64_t> held_;
  std::map<std::uint64_t, std::uint64_t> counts_;
};

/// All conditions that some order of the steps breaks.
class EveryOrder {
 public:
  EveryOrder(const SymbolicMachine& start, std::size_t units) : units_(units) { go(start); }
  bool can_fail(std::uint32_t note) const { return failing_.contains(note); }

 private:
  void go(const SymbolicMachine& machine) {
    if (!states_.insert(machine.state()).second) return;
    for (UnitId u = 0; u < units_; ++u) {
      if (!machine.is_enabled(u)) continue;
      SymbolicMachine next = machine;
      std::uint32_t failed = nothing;
      const bool went_on = next.make(u, failed);
      if (failed != nothing) failing_.insert(failed);
      if (went_on) go(next);
    }
  }

  std::size_t units_;
  std::set<std::vector<std::uint64_t>> states_;
  std::set<std::uint32_t> failing_;
};

}  // namespace treadle
