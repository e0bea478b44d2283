// SPDX-License-Identifier: Apache-2.0
#include "trace/guarded_assignments.h"

#include <array>

namespace treadle {
namespace {

constexpr std::array kGuarded{
#define X(name, text) text,
    TREADLE_GUARDED(X)
#undef X
};
constexpr std::array kPins{
#define X(name, text) text,
    TREADLE_PINS(X)
#undef X
};

bool is_scalar_read(const Event& event) {
  return event.kind == TREADLE_EV_READ || event.kind == TREADLE_EV_ATOMIC_READ || event.kind == TREADLE_EV_CAS_OK ||
         event.kind == TREADLE_EV_CAS_FAIL;
}

struct Uses {
  unsigned count = 0;
  std::size_t last_note = 0;
};

/// In how many notes the symbol of each event occurs, and in which.
std::vector<Uses> uses_of_reads(const Trace& trace) {
  std::vector<Uses> uses(trace.events.size());
  std::vector<std::size_t> seen_by(trace.expressions.size(), SIZE_MAX);
  std::vector<ExpressionId> open;
  for (std::size_t i = 0; i < trace.notes.size(); ++i) {
    open.push_back(trace.notes[i].expression);
    while (!open.empty()) {
      const ExpressionId id = open.back();
      open.pop_back();
      if (seen_by[id] == i) continue;
      seen_by[id] = i;
      const Expression& e = trace.expressions[id];
      if (e.op == TREADLE_OP_READ) uses[e.a] = {uses[e.a].count + 1, i};
      const std::array operands{e.a, e.b, e.c};
      for (unsigned k = 0; k < operands_of(static_cast<ExpressionOp>(e.op)); ++k) open.push_back(operands[k]);
    }
  }
  return uses;
}

GuardedAssignment of_note(const Note& note) {
  GuardedAssignment step;
  step.thread = ThreadId{note.thread};
  step.guard = note.expression;
  step.pc = note.pc;
  if (note.kind == TREADLE_NOTE_PIN) {
    step.remark = kPins.at(note.reason);
  } else if (note.kind == TREADLE_NOTE_CHECK || (note.kind == TREADLE_NOTE_BRANCH && note.reason != TREADLE_GUARDS_NOTHING)) {
    step.kind = GuardedAssignment::Kind::Assert;
    step.remark = kGuarded.at(note.reason);
  } else if (note.kind == TREADLE_NOTE_ASSUME) {
    step.remark = "assumed by the program";
  }
  return step;
}

GuardedAssignment of_event(const Trace& trace, std::uint64_t number) {
  const Event& event = trace.events[number];
  GuardedAssignment step;
  step.thread = ThreadId{event.thread};
  step.event = number;
  step.pc = event.pc;
  return step;
}

bool is_shown(const Event& event) {
  const auto kind = static_cast<EventKind>(event.kind);
  return kind == TREADLE_EV_INPUT || (is_visible(kind, Races::Explore) && kind != TREADLE_EV_SPIN && kind != TREADLE_EV_FLUSH);
}

}  // namespace

std::vector<GuardedAssignment> guarded_assignments(const Trace& trace) {
  const std::vector<Uses> uses = uses_of_reads(trace);
  std::vector<GuardedAssignment> steps;
  std::vector<std::size_t> last_of(256, SIZE_MAX);  // by thread
  auto append = [&](GuardedAssignment step) {
    last_of[index_of(step.thread)] = steps.size();
    steps.push_back(step);
  };
  std::size_t next = 0;
  auto notes_before = [&](std::uint64_t event) {
    for (; next < trace.notes.size(); ++next) {
      const Note& note = trace.notes[next];
      if (note.kind == TREADLE_NOTE_WRITE) continue;
      if (note.event > event) return;
      GuardedAssignment step = of_note(note);
      const std::size_t last = last_of[note.thread];
      const std::uint64_t read = last == SIZE_MAX || steps[last].guard != 0 ? UINT64_MAX : steps[last].event;
      if (read != UINT64_MAX && is_scalar_read(trace.events[read]) && uses[read].count == 1 && uses[read].last_note == next) {
        step.event = read;
        step.reads_inline = true;
        steps[last] = step;  // what it says holds from there on
        continue;
      }
      append(step);
    }
  };
  for (std::uint64_t event = 0; event < trace.events.size(); ++event) {
    notes_before(event);
    if (is_shown(trace.events[event])) append(of_event(trace, event));
  }
  notes_before(trace.events.size());
  return steps;
}

}  // namespace treadle
