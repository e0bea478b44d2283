// SPDX-License-Identifier: Apache-2.0
#include "trace/codec.h"

#include <algorithm>

#include "base/check.h"

namespace treadle {
namespace {

template <class Enum>
Enum get_enum(ByteReader& in, Enum last) {
  const std::uint8_t value = in.byte();
  if (value > static_cast<std::uint64_t>(last)) return in.fail(), Enum{};
  return static_cast<Enum>(value);
}

ThreadId get_thread(ByteReader& in) {
  const std::uint8_t number = in.byte();
  if (number >= TREADLE_MAX_THREADS) return in.fail(), ThreadId{};
  return ThreadId{number};
}

bool get_bool(ByteReader& in) {
  const std::uint8_t value = in.byte();
  if (value > 1) in.fail();
  return value == 1;
}

std::uint32_t get_u32(ByteReader& in) { return static_cast<std::uint32_t>(in.up_to(UINT32_MAX)); }
std::uint16_t get_u16(ByteReader& in) { return static_cast<std::uint16_t>(in.up_to(UINT16_MAX)); }

/// Reads as many elements as the bytes say; memory grows with what is really there.
template <class T, class GetOne>
std::vector<T> get_many(ByteReader& in, std::size_t least_bytes_each, GetOne get_one) {
  std::vector<T> all;
  const std::size_t count = in.count(least_bytes_each);
  all.reserve(std::min<std::size_t>(count, 4096));
  for (std::size_t i = 0; i < count && in.ok(); ++i) all.push_back(get_one());
  return all;
}

std::vector<std::string> get_texts(ByteReader& in) {
  return get_many<std::string>(in, 1, [&] { return std::string(in.text()); });
}

void put_events(ByteWriter& out, const std::vector<Event>& events) {
  out.varint(events.size());
  Event before{};
  for (const Event& event : events) {
    out.byte(event.kind);
    out.byte(event.thread);
    out.byte(event.size);
    out.byte(event.order);
    out.varint(zigzag(std::uint64_t{event.step} - before.step));
    out.varint(zigzag(event.pc - before.pc));
    out.varint(zigzag(event.address - before.address));
    out.varint(event.value);
    out.varint(event.extra);
    before = event;
  }
}

std::vector<Event> get_events(ByteReader& in) {
  Event before{};
  return get_many<Event>(in, 9, [&] {
    Event event{};
    event.kind = get_enum(in, static_cast<EventKind>(TREADLE_EV_COUNT - 1));
    event.thread = static_cast<std::uint8_t>(get_thread(in));
    event.size = in.byte();
    event.order = in.byte();
    const std::uint64_t step = before.step + unzigzag(in.varint());
    if (step > UINT32_MAX) in.fail();
    event.step = static_cast<std::uint32_t>(step);
    event.pc = before.pc + unzigzag(in.varint());
    event.address = before.address + unzigzag(in.varint());
    event.value = in.varint();
    event.extra = in.varint();
    before = event;
    return event;
  });
}

void put_choices(ByteWriter& out, const Trace& trace) {
  out.varint(trace.alternatives.size());
  for (const Decision& decision : trace.alternatives) put(out, decision);
  out.varint(trace.choices.size());
  for (const Choice& choice : trace.choices) {
    put(out, choice.taken);
    out.varint(choice.first_alternative);
    out.varint(choice.alternatives);
  }
}

void get_choices(ByteReader& in, Trace& trace) {
  trace.alternatives = get_many<Decision>(in, 3, [&] { return get_decision(in); });
  trace.choices = get_many<Choice>(in, 5, [&] {
    Choice choice;
    choice.taken = get_decision(in);
    choice.first_alternative = get_u32(in);
    choice.alternatives = get_u32(in);
    if (std::uint64_t{choice.first_alternative} + choice.alternatives > trace.alternatives.size()) in.fail();
    return choice;
  });
}

void put_end(ByteWriter& out, const HowItEnded& end) {
  out.byte(static_cast<std::uint8_t>(end.ending));
  out.byte(static_cast<std::uint8_t>(end.thread));
  for (const std::uint64_t word : {end.detail, end.address, end.extra, end.pc}) out.varint(word);
  out.text(end.text);
}

HowItEnded get_end(ByteReader& in) {
  HowItEnded end;
  end.ending = get_enum(in, static_cast<Ending>(TREADLE_ENDING_COUNT - 1));
  end.thread = get_thread(in);
  for (std::uint64_t* word : {&end.detail, &end.address, &end.extra, &end.pc}) *word = in.varint();
  end.text = in.text();
  return end;
}

void put_pending(ByteWriter& out, const PendingOperation& pending) {
  out.byte(static_cast<std::uint8_t>(pending.thread));
  out.byte(pending.state);
  out.byte(static_cast<std::uint8_t>(pending.kind));
  out.byte(pending.enabled);
  out.varint(pending.locks_held);
  for (const std::uint64_t word : {pending.pc, pending.address, pending.extra}) out.varint(word);
  out.byte(pending.size);
  out.byte(pending.only_reads);
}

PendingOperation get_pending(ByteReader& in) {
  PendingOperation pending;
  pending.thread = get_thread(in);
  pending.state = in.byte();
  if (pending.state > TREADLE_THREAD_FINISHED) in.fail();
  pending.kind = get_enum(in, static_cast<EventKind>(TREADLE_EV_COUNT - 1));
  pending.enabled = get_bool(in);
  pending.locks_held = get_u32(in);
  for (std::uint64_t* word : {&pending.pc, &pending.address, &pending.extra}) *word = in.varint();
  pending.size = in.byte();
  pending.only_reads = get_bool(in);
  return pending;
}

void put_stack(ByteWriter& out, const Stack& stack) {
  out.varint(stack.event);
  out.byte(static_cast<std::uint8_t>(stack.thread));
  out.varint(stack.frames.size());
  for (const std::uint64_t pc : stack.frames) out.varint(pc);
}

Stack get_stack(ByteReader& in) {
  Stack stack;
  stack.event = in.varint();
  stack.thread = get_thread(in);
  stack.frames = get_many<std::uint64_t>(in, 1, [&] { return in.varint(); });
  return stack;
}

void put_symbolic(ByteWriter& out, const Trace& trace) {
  out.varint(trace.expressions.size());
  for (const Expression& e : trace.expressions) {
    out.byte(e.op);
    out.byte(e.bits);
    for (const std::uint32_t word : {std::uint32_t{e.part}, e.a, e.b, e.c}) out.varint(word);
  }
  out.varint(trace.notes.size());
  std::uint64_t before = 0;
  for (const Note& note : trace.notes) {
    out.byte(note.kind);
    out.byte(note.thread);
    out.byte(note.reason);
    for (const std::uint32_t word : {note.event, note.expression, note.part}) out.varint(word);
    out.varint(zigzag(note.pc - before));
    before = note.pc;
  }
}

void get_symbolic(ByteReader& in, Trace& trace) {
  trace.expressions = get_many<Expression>(in, 6, [&] {
    Expression e{};
    e.op = in.byte();
    e.bits = in.byte();
    e.part = get_u16(in);
    for (std::uint32_t* word : {&e.a, &e.b, &e.c}) *word = get_u32(in);
    return e;
  });
  std::uint64_t before = 0;
  trace.notes = get_many<Note>(in, 7, [&] {
    Note note{};
    note.kind = in.byte();
    note.thread = in.byte();
    note.reason = in.byte();
    for (std::uint32_t* word : {&note.event, &note.expression, &note.part}) *word = get_u32(in);
    note.pc = before + unzigzag(in.varint());
    before = note.pc;
    return note;
  });
  if (!in.ok()) return;
  if (!trace.expressions.empty() && trace.expressions.front().op != TREADLE_OP_NONE) in.fail();
  if (!is_well_formed(trace.expressions, trace.events.size()) ||
      !is_well_formed(trace.notes, trace.expressions, trace.events.size(), trace.threads.size()))
    in.fail();
}

}  // namespace

void put(ByteWriter& out, const Decision& decision) {
  out.byte(static_cast<std::uint8_t>(decision.kind));
  out.byte(static_cast<std::uint8_t>(decision.thread));
  out.varint(decision.argument);
}

Decision get_decision(ByteReader& in) {
  Decision decision;
  decision.kind = get_enum(in, DecisionKind::Any);
  decision.thread = get_thread(in);
  decision.argument = get_u16(in);
  return decision;
}

void put(ByteWriter& out, const std::vector<ThreadName>& threads) {
  check(threads.empty() || is_well_formed(threads), "a table of thread names is well formed when it is written");
  out.varint(threads.size());
  for (const ThreadName& name : threads) {
    out.varint(name.parent);
    out.varint(name.ordinal);
  }
}

std::vector<ThreadName> get_threads(ByteReader& in) {
  auto threads = get_many<ThreadName>(in, 2, [&] {
    ThreadName name;
    name.parent = get_u16(in);
    name.ordinal = get_u16(in);
    return name;
  });
  if (in.ok() && !threads.empty() && !is_well_formed(threads)) in.fail();
  return threads;
}

static void put(ByteWriter& out, const GivenInputs& inputs) {
  out.varint(inputs.threads.size());
  for (const auto& [thread, values] : inputs.threads) {
    out.text(thread);
    out.varint(values.size());
    for (const std::uint64_t value : values) out.varint(value);
  }
  out.varint(inputs.names.size());
  for (const auto& [name, value] : inputs.names) {
    out.text(name);
    out.varint(value);
  }
}

static GivenInputs get_inputs(ByteReader& in) {
  GivenInputs inputs;
  inputs.threads = get_many<GivenInputs::OfThread>(in, 2, [&] {
    GivenInputs::OfThread entry;
    entry.thread = in.text();
    entry.values = get_many<std::uint64_t>(in, 1, [&] { return in.varint(); });
    return entry;
  });
  inputs.names = get_many<GivenInputs::OfName>(in, 2, [&] {
    GivenInputs::OfName entry;
    entry.name = in.text();
    entry.value = in.varint();
    return entry;
  });
  return inputs;
}

void put(ByteWriter& out, const Schedule& schedule) {
  put(out, schedule.threads);
  out.varint(schedule.prefix.size());
  for (const Decision& decision : schedule.prefix) put(out, decision);
  out.byte(static_cast<std::uint8_t>(schedule.policy));
  out.byte(static_cast<std::uint8_t>(schedule.model));
  out.byte(static_cast<std::uint8_t>(schedule.races));
  out.byte(schedule.spurious_wakeups);
  out.byte(schedule.status_matters);
  out.varint(schedule.seed);
  out.varint(schedule.pct_depth);
  out.varint(schedule.pct_length);
  out.varint(schedule.max_steps);
  put(out, schedule.inputs);
}

Schedule get_schedule(ByteReader& in) {
  Schedule schedule;
  schedule.threads = get_threads(in);
  schedule.prefix = get_many<Decision>(in, 3, [&] { return get_decision(in); });
  schedule.policy = get_enum(in, Policy::Patient);
  schedule.model = get_enum(in, MemoryModel::Pso);
  schedule.races = get_enum(in, Races::Ignore);
  schedule.spurious_wakeups = get_bool(in);
  schedule.status_matters = get_bool(in);
  schedule.seed = in.varint();
  schedule.pct_depth = get_u32(in);
  schedule.pct_length = get_u32(in);
  schedule.max_steps = get_u32(in);
  schedule.inputs = get_inputs(in);
  return schedule;
}

static void put_essence(ByteWriter& out, const Essence& essence) {
  out.text(essence.kind);
  out.text(essence.function);
  out.varint(essence.functions.size());
  for (const std::string& function : essence.functions) out.text(function);
  out.varint(essence.steps.size());
  for (const EssentialStep& step : essence.steps) {
    for (const std::string& text : {step.thread, step.function, step.operation}) out.text(text);
    out.varint(step.occurrence);
  }
}

static Essence get_essence(ByteReader& in) {
  Essence essence;
  essence.kind = in.text();
  essence.function = in.text();
  essence.functions = get_texts(in);
  essence.steps = get_many<EssentialStep>(in, 4, [&] {
    EssentialStep step;
    for (std::string* text : {&step.thread, &step.function, &step.operation}) *text = in.text();
    step.occurrence = get_u32(in);
    return step;
  });
  return essence;
}

void put(ByteWriter& out, const Witness& witness) {
  put(out, witness.schedule);
  out.text(witness.program);
  out.fixed64(witness.binary_hash);
  out.varint(witness.arguments.size());
  for (const std::string& argument : witness.arguments) out.text(argument);
  out.varint(witness.environment.size());
  for (const std::string& variable : witness.environment) out.text(variable);
  put_essence(out, witness.essence);
}

Witness get_witness(ByteReader& in) {
  Witness witness;
  witness.schedule = get_schedule(in);
  witness.program = in.text();
  witness.binary_hash = in.fixed64();
  witness.arguments = get_texts(in);
  witness.environment = get_texts(in);
  witness.essence = get_essence(in);
  return witness;
}

void put(ByteWriter& out, const Trace& trace) {
  put(out, trace.threads);
  put_events(out, trace.events);
  put_choices(out, trace);
  put_end(out, trace.end);
  out.varint(trace.pending.size());
  for (const PendingOperation& pending : trace.pending) put_pending(out, pending);
  out.varint(trace.stacks.size());
  for (const Stack& stack : trace.stacks) put_stack(out, stack);
  out.varint(trace.texts.size());
  for (const std::string& text : trace.texts) out.text(text);
  for (const std::uint64_t word : {trace.plain_hash, trace.heap_bytes, std::uint64_t{trace.preemptions}, std::uint64_t{trace.inputs_used}})
    out.varint(word);
  put_symbolic(out, trace);
}

Trace get_trace(ByteReader& in) {
  Trace trace;
  trace.threads = get_threads(in);
  trace.events = get_events(in);
  get_choices(in, trace);
  trace.end = get_end(in);
  trace.pending = get_many<PendingOperation>(in, 8, [&] { return get_pending(in); });
  trace.stacks = get_many<Stack>(in, 3, [&] { return get_stack(in); });
  trace.texts = get_texts(in);
  trace.plain_hash = in.varint();
  trace.heap_bytes = in.varint();
  trace.preemptions = get_u32(in);
  trace.inputs_used = get_u32(in);
  get_symbolic(in, trace);
  return trace;
}

}  // namespace treadle
