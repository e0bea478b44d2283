// SPDX-License-Identifier: Apache-2.0
#include "machine.h"

#include <algorithm>
#include <stdexcept>

#include "flatten.h"
#include "values.h"

namespace oracle {
namespace {

// Everything but loads, buffered stores and weak fences happens only while the own buffer is empty.
bool drains(const Instruction& what) {
  switch (what.op) {
    case Op::Load:
    case Op::Await:
    case Op::ReadHandle:
      return false;
    case Op::Store:
    case Op::Fence:
      return what.order == Order::SeqCst;
    default:
      return true;
  }
}

}  // namespace

Machine::Machine(const Program& program, MachineOptions options) : program_(program), options_(options) {
  const std::string why = why_malformed(program);
  if (!why.empty()) throw std::invalid_argument("malformed program: " + why);
  for (const Block& block : program.threads) {
    code_.push_back(flatten(block, program.onces, options.handle_reads));
    registers_.push_back(registers_of(block));
  }
}

State Machine::start() const {
  State state;
  for (std::size_t v = 0; v < program_.variables.size(); ++v) state.memory[v] = narrow(program_.variables[v].initial);
  for (std::size_t s = 0; s < program_.semaphores.size(); ++s) state.count[s] = std::int8_t(program_.semaphores[s]);
  state.threads[0].phase = Phase::Running;
  Event ignored;
  run_on(state, 0, ignored);
  return state;
}

bool Machine::is_local(const Instruction& instruction) const {
  if (instruction.op >= Op::Input) return true;
  return !options_.plain_is_visible && (instruction.op == Op::ReadHandle ||
                                        ((instruction.op == Op::Load || instruction.op == Op::Store) && instruction.order == Order::Plain));
}

bool Machine::drained(const State& state, int t) const { return state.threads[t].buffered == 0 || !drains(code_[t][state.threads[t].pc]); }

bool Machine::enabled(const State& state, int t) const {
  const ThreadState& thread = state.threads[t];
  const Instruction& next = code_[t][thread.pc];
  switch (thread.phase) {
    case Phase::Unborn:
    case Phase::Waiting:
    case Phase::Arrived:
    case Phase::Asleep:
    case Phase::Done:
      return false;
    case Phase::Created:
    case Phase::Signalled:
    case Phase::Released:
    case Phase::Roused:
      return true;
    case Phase::Relocking:
      return state.owner[next.mutex] < 0;
    case Phase::Running:
      break;
  }
  if (!drained(state, t)) return false;
  switch (next.op) {
    case Op::Lock:
      return state.owner[next.object] < 0 || state.owner[next.object] == t;  // taking it twice is a step, and a misuse
    case Op::TryLock:
      return !next.timed || state.owner[next.object] < 0;
    case Op::SemWait:
      return state.count[next.object] > 0;
    case Op::SemTry:
      return !next.timed || state.count[next.object] > 0;
    case Op::ReadLock:
      return state.writer[next.object] < 0;
    case Op::WriteLock:
      return state.writer[next.object] < 0 && state.readers[next.object] == 0;
    case Op::TryReadLock:
      return !next.timed || state.writer[next.object] < 0;
    case Op::TryWriteLock:
      return !next.timed || (state.writer[next.object] < 0 && state.readers[next.object] == 0);
    case Op::OnceBegin:
      return state.once[next.object] <= 0;
    case Op::Join:
      return state.threads[next.object].phase == Phase::Done;
    case Op::Await:
      return read(state, t, next.object, next.size) == next.value.add;
    default:
      return true;
  }
}

// Only what would have to wait for somebody else times out.
bool Machine::can_time_out(const State& state, int t) const {
  const ThreadState& thread = state.threads[t];
  if (!code_[t][thread.pc].timed) return false;
  if (thread.phase == Phase::Waiting || thread.phase == Phase::Asleep) return true;
  return thread.phase == Phase::Running && code_[t][thread.pc].op != Op::FutexWait && drained(state, t) && !enabled(state, t);
}

bool Machine::may_flush(const ThreadState& thread, int position) const {
  if (options_.model == Model::Tso) return position == 0;
  const Buffered& entry = thread.buffer[position];
  if (entry.variable < 0) return false;
  if (entry.release) return position == 0;
  for (int i = 0; i < position; ++i)
    if (thread.buffer[i].variable < 0 || overlap(thread.buffer[i], entry)) return false;
  return true;
}

void Machine::moves_of(const State& state, int t, std::vector<Move>& out) const {
  const auto add = [&out, t](Move::Kind kind, int argument) { out.push_back({kind, std::uint8_t(t), std::uint8_t(argument)}); };
  const ThreadState& thread = state.threads[t];
  for (int i = 0; i < thread.buffered; ++i)
    if (may_flush(thread, i)) add(Move::Kind::Flush, i);
  if (can_time_out(state, t)) add(Move::Kind::Timeout, 0);
  if (!enabled(state, t)) return;
  bool wakes = false;
  const Instruction& next = code_[t][thread.pc];
  const bool rouses = next.op == Op::FutexWake && !next.all;
  if (thread.phase == Phase::Running && (next.op == Op::Signal || rouses)) {
    for (int w = 0; w < int(code_.size()); ++w) {
      if (state.threads[w].phase != (rouses ? Phase::Asleep : Phase::Waiting) || code_[w][state.threads[w].pc].object != next.object)
        continue;
      add(Move::Kind::Wake, w);
      wakes = true;
    }
  }
  if (!wakes) add(Move::Kind::Step, 0);
}

void Machine::moves(const State& state, std::vector<Move>& out) const {
  out.clear();
  if (state.failed || state.misused || state.fruitless) return;
  for (int t = 0; t < int(code_.size()); ++t) moves_of(state, t, out);
  const auto spins = [&state](Move move) { return state.threads[move.thread].round != Round::None && move.kind == Move::Kind::Step; };
  if (std::all_of(out.begin(), out.end(), spins) && nobody_leaves_its_loop(state, out)) out.clear();
}

bool Machine::nobody_leaves_its_loop(const State& state, const std::vector<Move>& moves) const {
  for (const Move move : moves) {
    State later = state;
    do {
      step(later, move);
    } while (later.threads[move.thread].round == Round::Middle && !later.fruitless && enabled(later, move.thread));
    if (later.threads[move.thread].round != Round::Middle && !later.fruitless) return false;  // perhaps it is in the next loop already
  }
  return true;
}

Ending Machine::ending(const State& state) const {
  if (state.misused) return Ending::Misused;
  if (state.failed) return Ending::Failed;
  if (state.fruitless) return Ending::NoExecution;
  if (state.threads[0].phase == Phase::Done) return Ending::Completed;
  const auto in_the_middle = [](const ThreadState& thread) { return thread.round == Round::Middle; };
  return std::any_of(state.threads.begin(), state.threads.end(), in_the_middle) ? Ending::NoExecution : Ending::Stuck;
}

Event Machine::apply(State& state, Move move) const {
  return move.kind == Move::Kind::Flush ? flush(state, move.thread, move.argument) : step(state, move);
}

Event Machine::step(State& state, Move move) const {
  Event event;
  const int t = move.thread;
  ThreadState& thread = state.threads[t];
  const Instruction& next = code_[t][thread.pc];
  event.phase = thread.phase;
  event.instruction = &next;
  if (thread.round == Round::Beginning) thread.round = Round::Middle;
  switch (thread.phase) {
    case Phase::Created:
      event.touch(object_thread(t), true);
      thread.phase = Phase::Running;
      break;
    case Phase::Waiting:  // times out
      event.touch(object_waiter(t), false);
      event.touch(object_condvar(next.object), true);
      thread.registers[next.reg] = 1;
      thread.phase = Phase::Relocking;
      return event;
    case Phase::Signalled:
      event.touch(object_waiter(t), false);
      if (next.timed) thread.registers[next.reg] = 0;
      thread.phase = Phase::Relocking;
      return event;
    case Phase::Relocking:
      event.touch(object_mutex(next.mutex), true);
      state.owner[next.mutex] = std::int8_t(t);
      thread.phase = Phase::Running;
      ++thread.pc;
      break;
    case Phase::Asleep:  // times out
    case Phase::Roused:
      event.touch(object_futex(next.object), thread.phase == Phase::Asleep);
      thread.registers[next.reg] = thread.phase == Phase::Asleep ? 2 : 0;
      thread.phase = Phase::Running;
      ++thread.pc;
      break;
    case Phase::Released:
      event.touch(object_barrier(next.object), false);
      thread.phase = Phase::Running;
      ++thread.pc;
      break;
    default:
      operate(state, next, move, event);
      if (thread.phase != Phase::Running) return event;
      ++thread.pc;
  }
  run_on(state, t, event);
  return event;
}

int Machine::input(int number) const {
  return std::size_t(number) < options_.inputs.size() ? options_.inputs[number] : program_.inputs[number].lowest;
}

// Local instructions, up to the next visible operation.
void Machine::run_on(State& state, int t, Event& event) const {
  ThreadState& thread = state.threads[t];
  while (!state.failed && !state.fruitless && is_local(code_[t][thread.pc])) {
    const Instruction& next = code_[t][thread.pc];
    bool jumps = false;
    switch (next.op) {
      case Op::Input:
        thread.registers[next.reg] = narrow(input(next.object));
        break;
      case Op::Choose: {
        const unsigned chosen = unsigned(value_of(next.value, thread)) % unsigned(next.bound);
        for (unsigned k = 0; k + 1 < unsigned(next.bound); ++k) event.branch(k == chosen);
        thread.pc = std::uint8_t(thread.pc + 2 * chosen);
        break;
      }
      case Op::Assume:
        state.fruitless = !holds(next.condition, thread);
        break;
      case Op::Assert:
        state.failed = !holds(next.condition, thread);
        if (state.failed)
          event.failed = &next;
        else
          event.branch(true);
        break;
      case Op::Jump:
        jumps = true;
        break;
      case Op::JumpUnless:
        jumps = !holds(next.condition, thread);
        event.branch(!jumps);
        break;
      case Op::SetCounter:
        thread.counters[next.object] = 0;
        break;
      case Op::JumpIfCounted:
        jumps = thread.counters[next.object] == next.bound || holds(next.condition, thread);
        event.branch(jumps);
        if (jumps)
          thread.counters[next.object] = 0;
        else
          ++thread.counters[next.object];
        break;
      case Op::SpinBegin:
        thread.round = Round::Beginning;
        break;
      case Op::SpinEnd:
        thread.round = Round::None;
        state.fruitless = !holds(next.condition, thread);
        event.branch(!state.fruitless);
        break;
      default: {  // a plain access
        Event ignored;
        operate(state, next, {.thread = std::uint8_t(t)}, ignored);
      }
    }
    thread.pc = std::uint8_t(jumps ? next.target : thread.pc + 1);
  }
}

std::vector<int> Machine::outcome(const State& state) const {
  std::vector<int> values;
  for (std::size_t v = 0; v < program_.variables.size(); ++v) values.push_back(state.memory[v]);
  for (std::size_t t = 0; t < code_.size(); ++t)
    for (int r = 0; r < registers_[t]; ++r) values.push_back(state.threads[t].registers[r]);
  return values;
}

std::string Machine::key(const State& state) const {
  std::string key;
  key.reserve(96);
  const auto wide = [&key](int value) { key += char(value), key += char(value >> 8); };
  for (std::size_t v = 0; v < program_.variables.size(); ++v) wide(state.memory[v]);
  for (int i = 0; i < kMaxObjects; ++i) {
    key += char(state.owner[i]), key += char(state.writer[i]), key += char(state.readers[i]);
    key += char(state.count[i]), key += char(state.arrived[i]), key += char(state.once[i]);
  }
  for (std::size_t t = 0; t < code_.size(); ++t) {
    const ThreadState& thread = state.threads[t];
    key += char(thread.phase), key += char(thread.round), key += char(thread.pc), key += char(thread.buffered);
    for (const std::int8_t counter : thread.counters) key += char(counter);
    for (int r = 0; r < registers_[t]; ++r) wide(thread.registers[r]);
    for (int i = 0; i < thread.buffered; ++i)
      key += char(thread.buffer[i].variable), key += char(thread.buffer[i].size), key += char(thread.buffer[i].release),
          wide(thread.buffer[i].value);
  }
  key += char(state.failed), key += char(state.misused), key += char(state.fruitless);
  return key;
}

}  // namespace oracle
