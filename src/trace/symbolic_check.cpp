// SPDX-License-Identifier: Apache-2.0
#include "trace/symbolic_check.h"

#include <sstream>

#include "abi/expression_value.h"
#include "trace/happens_before.h"

namespace treadle {
namespace {

std::string hex(std::uint64_t number) {
  std::ostringstream out;
  out << std::hex << std::showbase << number;
  return out.str();
}

template <class... Words>
std::string sentence(const Words&... words) {
  std::ostringstream out;
  (out << ... << words);
  return out.str();
}

bool is_range(const Event& event) { return event.kind == TREADLE_EV_RANGE_READ || event.kind == TREADLE_EV_RANGE_WRITE; }

std::uint64_t size_of(const Event& event) { return is_range(event) ? event.extra : event.size; }

/// Bytes [part, part + 8) of a value of up to 16 bytes, as far as the event says.
std::optional<std::uint64_t> piece(std::uint64_t low, std::optional<std::uint64_t> high, unsigned part, unsigned bits) {
  if (part * 8 + bits <= 64) return treadle_masked(low >> (part * 8), bits);
  if (part >= 8 && high) return treadle_masked(*high >> ((part - 8) * 8), bits);
  return std::nullopt;
}

/// What the event has read, or left; nothing: it does not say.
std::optional<std::uint64_t> read_by(const Event& event, unsigned part, unsigned bits) {
  if (is_range(event)) return std::nullopt;
  const bool wide = event.size == 16 && event.kind == TREADLE_EV_ATOMIC_READ;
  return piece(event.value, wide ? std::optional(event.extra) : std::nullopt, part, bits);
}

std::optional<std::uint64_t> left_by(const Event& event, unsigned part, unsigned bits) {
  if (is_range(event)) return std::nullopt;
  if (event.kind == TREADLE_EV_RMW || event.kind == TREADLE_EV_CAS_OK) return piece(event.extra, std::nullopt, part, bits);
  const bool wide = event.size == 16;
  return piece(event.value, wide ? std::optional(event.extra) : std::nullopt, part, bits);
}

std::optional<std::string> check_leaf(ExpressionId id, const Expression& e, const Event& event) {
  const bool input = e.op == TREADLE_OP_INPUT;
  if (input ? event.kind != TREADLE_EV_INPUT : !reads_memory(static_cast<EventKind>(event.kind)))
    return sentence("expression ", id, " is what event ", e.a, " has read, which is a ", text_of(static_cast<EventKind>(event.kind)));
  if (e.part + e.bits / 8u > size_of(event)) return sentence("expression ", id, " is more than event ", e.a, " has read");
  const auto seen = read_by(event, e.part, e.bits);
  if (seen && *seen != value_in(e))
    return sentence("expression ", id, " has the value ", hex(value_in(e)), ", but event ", e.a, " has read ", hex(*seen));
  return std::nullopt;
}

std::optional<std::string> check_note(std::size_t number, const Note& note, const Trace& trace, std::uint64_t value) {
  const unsigned bits = trace.expressions[note.expression].bits;
  if (note.kind != TREADLE_NOTE_WRITE) {
    if (value == 1) return std::nullopt;
    return sentence("note ", number, " (pc ", hex(note.pc), ", thread ", unsigned{note.thread}, ") says that expression ", note.expression,
                    " holds, which it does not");
  }
  const Event& event = trace.events[note.event];
  if (!writes_memory(static_cast<EventKind>(event.kind)))
    return sentence("note ", number, " is about what event ", note.event, " has written, which writes nothing");
  if (note.part + bits / 8u > size_of(event)) return sentence("note ", number, " is about more than event ", note.event, " has written");
  const auto left = left_by(event, note.part, bits);
  if (left && *left != value)
    return sentence("note ", number, " (pc ", hex(note.pc), ") says that event ", note.event, " left ", hex(value), ", but it left ",
                    hex(*left));
  if (event.thread != note.thread) return sentence("note ", number, " is of another thread than its event ", note.event);
  return std::nullopt;
}

}  // namespace

std::optional<std::string> check_symbolic(const Trace& trace) {
  if (!is_well_formed(trace.expressions, trace.events.size()) ||
      !is_well_formed(trace.notes, trace.expressions, trace.events.size(), trace.threads.size()))
    return "the expressions of the trace are not well formed";
  for (ExpressionId id = 1; id < trace.expressions.size(); ++id) {
    const Expression& e = trace.expressions[id];
    if (e.op != TREADLE_OP_READ && e.op != TREADLE_OP_INPUT) continue;
    if (auto problem = check_leaf(id, e, trace.events[e.a])) return problem;
  }
  const std::vector<std::uint64_t> values = evaluate(trace.expressions);
  std::uint32_t before = 0;
  for (std::size_t i = 0; i < trace.notes.size(); ++i) {
    const Note& note = trace.notes[i];
    if (auto problem = check_note(i, note, trace, values[note.expression])) return problem;
    if (note.kind == TREADLE_NOTE_WRITE) continue;
    if (note.event < before) return sentence("note ", i, " stands behind later ones");
    before = note.event;
  }
  return std::nullopt;
}

}  // namespace treadle
