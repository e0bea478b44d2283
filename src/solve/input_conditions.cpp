// SPDX-License-Identifier: Apache-2.0
#include "solve/input_conditions.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <unordered_set>

#include "trace/happens_before.h"
#include "trace/spin_iterations.h"
#include "trace/store_buffers.h"

namespace treadle {
namespace {

Expression operation(ExpressionOp op, unsigned bits, unsigned part = 0) {
  Expression e{};
  e.op = static_cast<std::uint8_t>(op);
  e.bits = static_cast<std::uint8_t>(bits);
  e.part = static_cast<std::uint16_t>(part);
  return e;
}

/// One byte of memory that depends on inputs. What does not is as it was.
struct Byte {
  InputTerms::Term term = 0;
  std::uint8_t part = 0;   // which byte of it
  std::uint8_t bytes = 0;  // how many it has
  std::uint8_t value = 0;  // seen
};
using Memory = std::map<std::uint64_t, Byte>;

struct Range {
  std::uint64_t begin = 0, end = 0;
};

/// Where spin loops look in the course of an execution, and what is written there.
class Watched {
 public:
  explicit Watched(const Trace& trace) : trace_(trace) {
    for (std::uint32_t e = 0; e < trace.events.size(); ++e)
      if (trace.events[e].kind == TREADLE_EV_SPIN) add_iteration(e, trace.events[e].thread, iteration_ended_by(trace, trace.events[e]));
    for (const PendingOperation& pending : trace.pending) {
      if (!stands_in_loop(pending)) continue;
      const FruitlessIteration iteration = iteration_at_the_end(trace, index_of(pending.thread));
      add_iteration(static_cast<std::uint32_t>(trace.events.size()), index_of(pending.thread),
                    iteration.steps > 0 ? std::optional(iteration) : std::nullopt);
    }
    if (!looks_.empty()) count_writes();
  }

  bool is_pinned(std::uint32_t event) const { return pinned_.contains(event); }

 private:
  struct Look {
    Range range;
    std::uint32_t first;  // event of its iteration
  };

  /// Its events are those of its decisions before `end`. Of one whose decisions are not known: back to the thread's last step.
  void add_iteration(std::uint32_t end, unsigned thread, const std::optional<FruitlessIteration>& iteration) {
    std::vector<std::uint32_t> within;
    for (std::uint32_t e = end; e-- > 0;) {
      const Event& event = trace_.events[e];
      if (event.thread != thread) continue;
      if (iteration && event.step < iteration->first) break;
      within.push_back(e);
      const bool is_step = is_visible(static_cast<EventKind>(event.kind), Races::Stop) && event.kind != TREADLE_EV_SPIN;
      if (!iteration && is_step) break;
    }
    for (const std::uint32_t e : within) {
      const auto kind = static_cast<EventKind>(trace_.events[e].kind);
      if (reads_memory(kind)) looks_.push_back({range_of(trace_.events[e]), within.back()});
      if (writes_memory(kind)) pinned_.insert(e);
    }
  }

  static Range range_of(const Event& event) { return {event.address, event.address + bytes_of(event)}; }

  void count_writes() {
    std::vector<std::uint32_t> writes;
    for (std::uint32_t e = 0; e < trace_.events.size(); ++e)
      if (writes_memory(static_cast<EventKind>(trace_.events[e].kind))) writes.push_back(e);
    for (const Look& look : looks_) {
      std::vector<std::uint32_t> there;
      for (const std::uint32_t e : writes)
        if (const Range range = range_of(trace_.events[e]); range.begin < look.range.end && look.range.begin < range.end)
          there.push_back(e);
      if (there.size() == 1 && there.front() < look.first) continue;
      pinned_.insert(there.begin(), there.end());
    }
  }

  const Trace& trace_;
  std::vector<Look> looks_;
  std::set<std::uint32_t> pinned_;  // writes
};

class Walk {
 public:
  Walk(const Trace& trace, const GivenValues& given, InputTerms& terms) : trace_(trace), given_(given), terms_(terms), watched_(trace) {}

  InputConditions along() {
    find_inputs();
    if (inputs_.empty()) return std::move(found_);
    seen_ = evaluate(trace_.expressions);
    values_.resize(trace_.expressions.size());
    is_known_.assign(trace_.expressions.size(), 0);
    for (ExpressionId id = 1; id < trace_.expressions.size(); ++id)
      if (trace_.expressions[id].op == TREADLE_OP_READ) reads_[trace_.expressions[id].a].push_back(id);
    for (const Note& note : trace_.notes)
      if (note.kind == TREADLE_NOTE_WRITE) writes_[note.event].push_back(&note);
    std::uint32_t event = 0;
    const auto come_to = [&](std::size_t until) {
      for (; event < until && event < trace_.events.size(); ++event) take(event);
    };
    for (const Note& note : trace_.notes) {
      if (note.kind == TREADLE_NOTE_WRITE || note.kind == TREADLE_NOTE_NONE) continue;
      come_to(note.event);
      take(note);
    }
    come_to(trace_.events.size());
    return std::move(found_);
  }

 private:
  void find_inputs() {
    std::array<std::uint32_t, 256> asked{};
    for (std::uint32_t e = 0; e < trace_.events.size(); ++e) {
      const Event& event = trace_.events[e];
      if (event.kind != TREADLE_EV_INPUT) continue;
      const InputTerms::Input input{event.thread, asked[event.thread]++, 8};
      inputs_.emplace(e, static_cast<std::uint32_t>(found_.inputs.size()));
      const auto given = given_.find({input.thread, input.number});
      found_.inputs.push_back({input, event.size, event.value, given == given_.end() ? event.value : given->second});
    }
    for (const Note& note : trace_.notes) find_range(note);
  }

  void take(std::uint32_t number) {
    const Event& event = trace_.events[number];
    const auto kind = static_cast<EventKind>(event.kind);
    is_alone_ &= kind != TREADLE_EV_THREAD_CREATE;
    if (reads_memory(kind)) read(number);
    if (writes_memory(kind)) {
      is_buffered(event) ? buffer(number) : write(number);
    } else if (kind == TREADLE_EV_FLUSH) {
      std::erase(buffers_[event.thread], event.extra);
      if (event.extra < trace_.events.size()) write(static_cast<std::uint32_t>(event.extra));
    } else if (class_of(kind) == EventClass::SYNC && event.address != 0) {
      pin_bytes({event.address, event.address + 8});
    }
  }

  /// The bytes that the thread finds: those of its own stores under way first.
  std::vector<std::optional<Byte>> found_at(unsigned thread, const Range& range) {
    std::vector<std::optional<Byte>> found(range.end - range.begin);
    const auto add = [&](const Memory& from) {
      for (auto at = from.lower_bound(range.begin); at != from.end() && at->first < range.end; ++at)
        found[at->first - range.begin] = at->second;
    };
    add(memory_);
    for (const std::uint32_t store : buffers_[thread]) {
      const Event& event = trace_.events[store];
      for (std::uint64_t at = std::max(event.address, range.begin); at < std::min(event.address + bytes_of(event), range.end); ++at)
        found[at - range.begin].reset();
      add(left_by(store));
    }
    return found;
  }

  void read(std::uint32_t number) {
    const Event& event = trace_.events[number];
    const std::uint64_t bytes = bytes_of(event);
    const auto known = reads_.find(number);
    auto at = memory_.lower_bound(event.address);
    const bool any = (at != memory_.end() && at->first < event.address + bytes) || !buffers_[event.thread].empty();
    std::vector<std::optional<Byte>> found;
    if (any) found = found_at(event.thread, {event.address, event.address + bytes});
    if (known != reads_.end())
      for (const ExpressionId id : known->second) {
        const Expression& e = trace_.expressions[id];
        values_[id] = any ? put_together(found, e) : TermValue::number(value_in(e));
        is_known_[id] = 1;
        for (std::uint64_t i = e.part; any && i < e.part + e.bits / 8u && i < found.size(); ++i) found[i].reset();
      }
    for (const auto& byte : found)
      if (byte) pin(part_of(*byte), byte->value, 8);  // it keeps its value
  }

  TermValue part_of(const Byte& byte) {
    if (byte.bytes == 1) return {TermValue::Kind::Term, byte.term};
    return terms_.apply(operation(TREADLE_OP_EXTRACT, 8, 8u * byte.part), 8u * byte.bytes, 0, {TermValue::Kind::Term, byte.term}, {}, {});
  }

  /// Code without hooks may have left something else there: then it is as it was.
  TermValue put_together(const std::vector<std::optional<Byte>>& found, const Expression& e) {
    const std::uint64_t seen = value_in(e);
    const unsigned count = std::max(e.bits / 8u, 1u);
    const auto byte_at = [&](unsigned i) -> const Byte* {
      if (e.part + i >= found.size() || !found[e.part + i]) return nullptr;
      return found[e.part + i]->value == static_cast<std::uint8_t>(seen >> (8 * i)) ? &*found[e.part + i] : nullptr;
    };
    const Byte* const first = byte_at(0);
    bool whole = first != nullptr && first->part == 0 && first->bytes == count;
    for (unsigned i = 1; i < count && whole; ++i) whole = byte_at(i) != nullptr && byte_at(i)->term == first->term && byte_at(i)->part == i;
    if (whole && 8 * count == e.bits) return {TermValue::Kind::Term, first->term};
    TermValue all;
    for (unsigned i = 0; i < count; ++i) {
      const TermValue byte = byte_at(i) == nullptr ? TermValue::number(seen >> (8 * i) & 0xff) : part_of(*byte_at(i));
      all = i == 0 ? byte : terms_.apply(operation(TREADLE_OP_CONCAT, 8 * (i + 1)), 8, 8 * i, byte, all, {});
    }
    return 8 * count == e.bits ? all : terms_.apply(operation(TREADLE_OP_EXTRACT, e.bits), 8 * count, 0, all, {}, {});
  }

  /// What the store leaves, as far as it depends on inputs.
  Memory left_by(std::uint32_t number) {
    Memory left;
    const auto notes = writes_.find(number);
    if (notes == writes_.end()) return left;
    for (const Note* note : notes->second) {
      const unsigned bits = trace_.expressions[note->expression].bits;
      const std::uint64_t begin = trace_.events[number].address + note->part;
      TermValue value = value_of(note->expression);
      const unsigned bytes = (bits + 7) / 8;
      if (value.kind == TermValue::Kind::Term && 8 * bytes != bits)
        value = terms_.apply(operation(TREADLE_OP_ZEXT, 8 * bytes), bits, 0, value, {}, {});
      for (unsigned i = 0; i < bytes; ++i) {
        left.erase(begin + i);
        if (value.kind == TermValue::Kind::Term)
          left.emplace(begin + i, Byte{static_cast<InputTerms::Term>(value.what), static_cast<std::uint8_t>(i),
                                       static_cast<std::uint8_t>(bytes), static_cast<std::uint8_t>(seen_[note->expression] >> (8 * i))});
      }
    }
    return left;
  }

  void write(std::uint32_t number) {
    const Event& event = trace_.events[number];
    memory_.erase(memory_.lower_bound(event.address), memory_.lower_bound(event.address + bytes_of(event)));
    for (const auto& [at, byte] : left_by(number)) memory_[at] = byte;
    if (watched_.is_pinned(number)) pin_bytes({event.address, event.address + bytes_of(event)});
  }

  void buffer(std::uint32_t number) {
    buffers_[trace_.events[number].thread].push_back(number);
    if (!watched_.is_pinned(number)) return;
    for (const auto& [at, byte] : left_by(number)) pin(part_of(byte), byte.value, 8);
  }

  void pin_bytes(const Range& range) {
    for (auto at = memory_.lower_bound(range.begin); at != memory_.end() && at->first < range.end; ++at)
      pin(part_of(at->second), at->second.value, 8);
  }

  void pin(const TermValue& what, std::uint64_t value, unsigned bits) {
    if (what.is_number()) return;
    const TermValue holds = terms_.apply(operation(TREADLE_OP_EQ, 1), bits, bits, what, TermValue::number(value), {});
    if (!holds.is_number())
      found_.all.push_back({static_cast<InputTerms::Term>(holds.what), static_cast<InputTerms::Term>(what.what), value});
  }

  void take(const Note& note) {
    found_.is_full |= note.kind == TREADLE_NOTE_PIN && note.reason == TREADLE_PIN_FULL;
    if (note.expression == 0 || ranges_.contains(&note)) return;
    const TermValue holds = value_of(note.expression);
    if (holds.kind != TermValue::Kind::Term) return;
    InputCondition condition{static_cast<InputTerms::Term>(holds.what)};
    const Expression& e = trace_.expressions[note.expression];
    if (note.kind == TREADLE_NOTE_PIN && e.op == TREADLE_OP_EQ)
      if (const TermValue what = value_of(e.a); what.kind == TermValue::Kind::Term && value_of(e.b).is_number()) {
        condition.pinned = static_cast<InputTerms::Term>(what.what);
        condition.value = value_of(e.b).what;
      }
    condition.is_assumed = note.kind == TREADLE_NOTE_ASSUME && is_alone_;
    found_.all.push_back(condition);
  }

  /// treadle_input_range: it lies within whatever it is given. No other assumption stands where the input is asked for.
  void find_range(const Note& note) {
    if (note.kind != TREADLE_NOTE_ASSUME) return;
    const Expression& e = trace_.expressions[note.expression];
    if (e.op != TREADLE_OP_SLE) return;
    const Expression &a = trace_.expressions[e.a], &b = trace_.expressions[e.b];
    const bool is_lowest = a.op == TREADLE_OP_CONSTANT && b.op == TREADLE_OP_INPUT;
    const bool is_highest = a.op == TREADLE_OP_INPUT && b.op == TREADLE_OP_CONSTANT;
    if (!is_lowest && !is_highest) return;
    const Expression &leaf = is_lowest ? b : a, &border = is_lowest ? a : b;
    const auto input = inputs_.find(leaf.a);
    if (input == inputs_.end() || note.pc != trace_.events[leaf.a].pc || leaf.part != 0 || leaf.bits != 64) return;
    auto& range = found_.inputs[input->second].range;
    if (!range) range.emplace();
    (is_lowest ? range->lowest : range->highest) = value_in(border);
    ranges_.insert(&note);
  }

  /// What was given, as the program saw it. That it lies within the range, or outside, is a condition.
  TermValue input(const InputSeen& seen) {
    const auto [known, is_new] = input_terms_.try_emplace(seen.which());
    if (!is_new) return known->second;
    const TermValue given = terms_.input(seen.input, 0, 64, seen.given);
    if (!seen.range) return known->second = given;
    const InputRange& range = *seen.range;
    const TermValue above = at_most(TermValue::number(range.lowest), given), below = at_most(given, TermValue::number(range.highest));
    if (range.has(seen.given)) {
      add(above), add(below);
      return known->second = given;
    }
    add(terms_.either(terms_.negated(above), terms_.negated(below)));
    const TermValue width = TermValue::number(range.highest - range.lowest + 1);
    const TermValue within = terms_.apply(operation(TREADLE_OP_UREM, 64), 64, 64, given, width, {});
    return known->second = terms_.apply(operation(TREADLE_OP_ADD, 64), 64, 64, within, TermValue::number(range.lowest), {});
  }

  TermValue at_most(const TermValue& a, const TermValue& b) { return terms_.apply(operation(TREADLE_OP_SLE, 1), 64, 64, a, b, {}); }

  void add(const TermValue& condition) {
    if (!condition.is_number()) found_.all.push_back({static_cast<InputTerms::Term>(condition.what)});
  }

  /// Operands stand in front of what is made of them: those that are missing are evaluated first.
  TermValue value_of(ExpressionId id) {
    open_.assign(1, id);
    while (!open_.empty()) {
      const ExpressionId next = open_.back();
      const Expression& e = trace_.expressions[next];
      const std::array operands{e.a, e.b, e.c};
      const unsigned count = operands_of(static_cast<ExpressionOp>(e.op));
      bool ready = true;
      for (unsigned i = 0; i < count && !is_known_[next]; ++i)
        if (!is_known_[operands[i]]) {
          open_.push_back(operands[i]);
          ready = false;
        }
      if (!ready) continue;
      if (!is_known_[next]) values_[next] = compute(e);
      is_known_[next] = 1;
      open_.pop_back();
    }
    return values_[id];
  }

  TermValue compute(const Expression& e) {
    switch (e.op) {
      case TREADLE_OP_CONSTANT:
        return TermValue::number(value_in(e));
      case TREADLE_OP_READ:  // it has not been made
        found_.is_lost = true;
        return TermValue::number(value_in(e));
      case TREADLE_OP_INPUT: {
        const auto input = inputs_.find(e.a);
        if (input == inputs_.end()) {
          found_.is_lost = true;
          return TermValue::number(value_in(e));
        }
        const TermValue whole = this->input(found_.inputs[input->second]);
        if (e.part == 0 && e.bits == 64) return whole;
        return terms_.apply(operation(TREADLE_OP_EXTRACT, e.bits, 8u * e.part), 64, 0, whole, {}, {});
      }
      default:
        break;
    }
    const unsigned count = operands_of(static_cast<ExpressionOp>(e.op));
    const auto bits = [&](ExpressionId operand) { return unsigned{trace_.expressions[operand].bits}; };
    return terms_.apply(e, bits(e.a), count > 1 ? bits(e.b) : 0, values_[e.a], count > 1 ? values_[e.b] : TermValue{},
                        count > 2 ? values_[e.c] : TermValue{});
  }

  const Trace& trace_;
  const GivenValues& given_;
  InputTerms& terms_;
  Watched watched_;
  InputConditions found_;
  std::unordered_map<std::uint32_t, std::uint32_t> inputs_;             // by event: its number in found_.inputs
  std::unordered_map<std::uint32_t, std::vector<ExpressionId>> reads_;  // by event
  std::unordered_map<std::uint32_t, std::vector<const Note*>> writes_;  // likewise
  std::unordered_set<const Note*> ranges_;                              // notes that say from which range an input comes
  std::map<WhichInput, TermValue> input_terms_;
  std::vector<std::uint64_t> seen_;  // by expression
  std::vector<TermValue> values_;    // likewise
  std::vector<char> is_known_;
  std::vector<ExpressionId> open_;
  Memory memory_;
  std::array<std::vector<std::uint32_t>, 256> buffers_;  // by thread: stores under way, the oldest first
  bool is_alone_ = true;
};

}  // namespace

bool InputRange::has(std::uint64_t value) const {
  const auto is = [](std::uint64_t number) { return static_cast<std::int64_t>(number); };
  return is(lowest) <= is(value) && is(value) <= is(highest);
}

InputConditions conditions_on_inputs(const Trace& trace, const GivenValues& given, InputTerms& terms) {
  return Walk(trace, given, terms).along();
}

}  // namespace treadle
