// SPDX-License-Identifier: Apache-2.0
#include "machine.h"

#include <algorithm>
#include <stdexcept>

#include "flatten.h"

namespace oracle {
namespace {

bool holds(const Condition& condition, const ThreadState& thread) {
  if (condition.reg < 0) return false;
  return (thread.registers[condition.reg] == condition.constant) == condition.equal;
}

std::int16_t narrow(int value) {
  if (value < INT16_MIN || value > INT16_MAX) throw std::invalid_argument("a value does not fit 16 bits");
  return std::int16_t(value);
}

std::int16_t value_of(const Value& value, const ThreadState& thread) {
  return narrow((value.reg < 0 ? 0 : thread.registers[value.reg]) + value.add);
}

bool releases(Order order) { return order == Order::Release || order == Order::AcqRel; }

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

std::int16_t read(const State& state, int thread, int variable) {
  const ThreadState& self = state.threads[thread];
  for (int i = self.buffered - 1; i >= 0; --i)
    if (self.buffer[i].variable == variable) return self.buffer[i].value;
  return state.memory[variable];
}

void put(ThreadState& thread, Buffered entry) {
  if (thread.buffered == kMaxBuffered) throw std::invalid_argument("too many stores in flight");
  thread.buffer[thread.buffered++] = entry;
}

}  // namespace

Machine::Machine(const Program& program, MachineOptions options) : program_(program), options_(options) {
  const std::string why = why_malformed(program);
  if (!why.empty()) throw std::invalid_argument("malformed program: " + why);
  for (const Block& block : program.threads) {
    code_.push_back(flatten(block, options.handle_reads));
    registers_.push_back(registers_of(block));
  }
}

State Machine::start() const {
  State state;
  for (std::size_t v = 0; v < program_.variables.size(); ++v) state.memory[v] = narrow(program_.variables[v].initial);
  for (std::size_t s = 0; s < program_.semaphores.size(); ++s) state.count[s] = std::int8_t(program_.semaphores[s]);
  state.threads[0].phase = Phase::Running;
  run_on(state, 0);
  return state;
}

bool Machine::is_local(const Instruction& instruction) const {
  if (instruction.op >= Op::Assert) return true;
  return !options_.plain_is_visible && (instruction.op == Op::ReadHandle ||
                                        ((instruction.op == Op::Load || instruction.op == Op::Store) && instruction.order == Order::Plain));
}

bool Machine::enabled(const State& state, int t) const {
  const ThreadState& thread = state.threads[t];
  const Instruction& next = code_[t][thread.pc];
  switch (thread.phase) {
    case Phase::Unborn:
    case Phase::Waiting:
    case Phase::Arrived:
    case Phase::Done:
      return false;
    case Phase::Created:
    case Phase::Signalled:
    case Phase::Released:
      return true;
    case Phase::Relocking:
      return state.owner[next.mutex] < 0;
    case Phase::Running:
      break;
  }
  if (drains(next) && thread.buffered > 0) return false;
  switch (next.op) {
    case Op::Lock:
      return state.owner[next.object] < 0 || state.owner[next.object] == t;  // taking it twice is a step, and a misuse
    case Op::SemWait:
      return state.count[next.object] > 0;
    case Op::Join:
      return state.threads[next.object].phase == Phase::Done;
    case Op::Await:
      return read(state, t, next.object) == next.value.add;
    default:
      return true;
  }
}

bool Machine::may_flush(const ThreadState& thread, int position) const {
  if (options_.model == Model::Tso) return position == 0;
  const Buffered& entry = thread.buffer[position];
  if (entry.variable < 0) return false;
  if (entry.release) return position == 0;
  for (int i = 0; i < position; ++i)
    if (thread.buffer[i].variable == entry.variable || thread.buffer[i].variable < 0) return false;
  return true;
}

void Machine::flush(State& state, int t, int position) const {
  ThreadState& thread = state.threads[t];
  state.memory[thread.buffer[position].variable] = thread.buffer[position].value;
  const auto begin = thread.buffer.begin(), end = begin + thread.buffered;
  std::copy(begin + position + 1, end, begin + position);
  --thread.buffered;
  // A fence with nothing in front of it orders nothing any more.
  while (thread.buffered > 0 && thread.buffer[0].variable < 0) {
    std::copy(begin + 1, begin + thread.buffered, begin);
    --thread.buffered;
  }
  std::fill(begin + thread.buffered, end, Buffered{});
}

void Machine::moves(const State& state, std::vector<Move>& out) const {
  out.clear();
  if (state.failed || state.misused) return;
  for (int t = 0; t < int(code_.size()); ++t) {
    const ThreadState& thread = state.threads[t];
    for (int i = 0; i < thread.buffered; ++i)
      if (may_flush(thread, i)) out.push_back({Move::Kind::Flush, std::uint8_t(t), std::uint8_t(i)});
    if (!enabled(state, t)) continue;
    bool wakes = false;
    if (thread.phase == Phase::Running && code_[t][thread.pc].op == Op::Signal) {
      for (int w = 0; w < int(code_.size()); ++w) {
        if (state.threads[w].phase != Phase::Waiting || code_[w][state.threads[w].pc].object != code_[t][thread.pc].object) continue;
        out.push_back({Move::Kind::Wake, std::uint8_t(t), std::uint8_t(w)});
        wakes = true;
      }
    }
    if (!wakes) out.push_back({Move::Kind::Step, std::uint8_t(t), 0});
  }
}

Event Machine::apply(State& state, Move move) const {
  if (move.kind == Move::Kind::Flush) {
    flush(state, move.thread, move.argument);
    return {};
  }
  return step(state, move.thread, move.kind == Move::Kind::Wake ? move.argument : -1);
}

Event Machine::step(State& state, int t, int woken) const {
  Event event;
  ThreadState& thread = state.threads[t];
  const Instruction& next = code_[t][thread.pc];
  event.phase = thread.phase;
  event.instruction = &next;
  switch (thread.phase) {
    case Phase::Created:
      event.touch(object_thread(t), true);
      thread.phase = Phase::Running;
      break;
    case Phase::Signalled:
      event.touch(object_condvar(next.object), true);
      thread.phase = Phase::Relocking;
      return event;
    case Phase::Relocking:
      event.touch(object_mutex(next.mutex), true);
      state.owner[next.mutex] = std::int8_t(t);
      thread.phase = Phase::Running;
      ++thread.pc;
      break;
    case Phase::Released:
      event.touch(object_barrier(next.object), false);
      thread.phase = Phase::Running;
      ++thread.pc;
      break;
    default:
      operate(state, t, next, woken, event);
      if (thread.phase != Phase::Running) return event;
      ++thread.pc;
  }
  run_on(state, t);
  return event;
}

// The effect of a visible operation. Leaves the phase at Running when the thread goes on.
void Machine::operate(State& state, int t, const Instruction& what, int woken, Event& event) const {
  ThreadState& thread = state.threads[t];
  std::int16_t& memory = state.memory[what.op <= Op::Await ? what.object : 0];
  switch (what.op) {
    case Op::Load:
      event.touch(object_variable(what.object), false);
      thread.registers[what.reg] = read(state, t, what.object);
      break;
    case Op::Await:
      event.touch(object_variable(what.object), false);
      break;
    case Op::Store:
      event.touch(object_variable(what.object), true);
      if (options_.model == Model::Sc || what.order == Order::SeqCst)
        memory = value_of(what.value, thread);
      else
        put(thread, {std::int8_t(what.object), options_.model == Model::Pso && releases(what.order), value_of(what.value, thread)});
      break;
    case Op::FetchAdd:
    case Op::Exchange: {
      event.touch(object_variable(what.object), true);
      const std::int16_t old = memory, operand = value_of(what.value, thread);
      memory = what.op == Op::Exchange ? operand : narrow(old + operand);
      thread.registers[what.reg] = old;
      break;
    }
    case Op::CompareExchange: {
      const std::int16_t old = memory;
      const bool succeeds = old == value_of(what.expected, thread);
      event.touch(object_variable(what.object), succeeds);
      if (succeeds) memory = value_of(what.value, thread);
      thread.registers[what.reg] = old;
      break;
    }
    case Op::Fence:
      if (options_.model == Model::Pso && releases(what.order) && thread.buffered > 0 && thread.buffer[thread.buffered - 1].variable >= 0)
        put(thread, {-1, false, 0});
      break;
    case Op::Lock:
      event.touch(object_mutex(what.object), true);
      if (state.owner[what.object] == t) state.misused = true;
      state.owner[what.object] = std::int8_t(t);
      break;
    case Op::Unlock:
      event.touch(object_mutex(what.object), true);
      if (state.owner[what.object] != t) state.misused = true;
      state.owner[what.object] = -1;
      break;
    case Op::TryLock: {
      const bool free = state.owner[what.object] < 0;
      if (state.owner[what.object] == t) state.misused = true;
      event.touch(object_mutex(what.object), free);
      if (free) state.owner[what.object] = std::int8_t(t);
      thread.registers[what.reg] = free;
      break;
    }
    case Op::Wait:
      event.touch(object_condvar(what.object), true);
      event.touch(object_mutex(what.mutex), true);
      if (state.owner[what.mutex] != t) state.misused = true;
      state.owner[what.mutex] = -1;
      thread.phase = Phase::Waiting;
      break;
    case Op::Signal:
      event.touch(object_condvar(what.object), woken >= 0);
      if (woken >= 0) state.threads[woken].phase = Phase::Signalled;
      break;
    case Op::Broadcast: {
      bool any = false;
      for (std::size_t w = 0; w < code_.size(); ++w) {
        if (state.threads[w].phase != Phase::Waiting || code_[w][state.threads[w].pc].object != what.object) continue;
        state.threads[w].phase = Phase::Signalled;
        any = true;
      }
      event.touch(object_condvar(what.object), any);
      break;
    }
    case Op::SemWait:
      event.touch(object_semaphore(what.object), true);
      --state.count[what.object];
      break;
    case Op::SemPost:
      event.touch(object_semaphore(what.object), true);
      ++state.count[what.object];
      break;
    case Op::BarrierWait:
      event.touch(object_barrier(what.object), true);
      event.opens_barrier = ++state.arrived[what.object] == program_.barriers[what.object];
      if (!event.opens_barrier) {
        thread.phase = Phase::Arrived;
      } else {
        state.arrived[what.object] = 0;
        for (std::size_t w = 0; w < code_.size(); ++w)
          if (state.threads[w].phase == Phase::Arrived && code_[w][state.threads[w].pc].object == what.object)
            state.threads[w].phase = Phase::Released;
      }
      break;
    case Op::Create:
      event.touch(object_thread(what.object), true);
      state.threads[what.object].phase = Phase::Created;
      break;
    case Op::Join:
      event.touch(object_thread(what.object), true);
      break;
    case Op::Exit:
      event.touch(object_thread(t), true);
      if (std::count(state.owner.begin(), state.owner.end(), t) > 0) state.misused = true;
      thread.phase = Phase::Done;
      break;
    default:  // ReadHandle has no effect, and local instructions never get here
      break;
  }
}

// Local instructions, up to the next visible operation.
void Machine::run_on(State& state, int t) const {
  ThreadState& thread = state.threads[t];
  while (!state.failed && is_local(code_[t][thread.pc])) {
    const Instruction& next = code_[t][thread.pc];
    bool jumps = false;
    switch (next.op) {
      case Op::Assert:
        state.failed = !holds(next.condition, thread);
        break;
      case Op::Jump:
        jumps = true;
        break;
      case Op::JumpUnless:
        jumps = !holds(next.condition, thread);
        break;
      case Op::SetCounter:
        thread.counters[next.object] = 0;
        break;
      case Op::JumpIfCounted:
        jumps = thread.counters[next.object] == next.bound || holds(next.condition, thread);
        if (jumps)
          thread.counters[next.object] = 0;
        else
          ++thread.counters[next.object];
        break;
      default: {
        Event ignored;
        operate(state, t, next, -1, ignored);
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
  for (int i = 0; i < kMaxObjects; ++i) key += char(state.owner[i]), key += char(state.count[i]), key += char(state.arrived[i]);
  for (std::size_t t = 0; t < code_.size(); ++t) {
    const ThreadState& thread = state.threads[t];
    key += char(thread.phase), key += char(thread.pc), key += char(thread.buffered);
    for (const std::int8_t counter : thread.counters) key += char(counter);
    for (int r = 0; r < registers_[t]; ++r) wide(thread.registers[r]);
    for (int i = 0; i < thread.buffered; ++i)
      key += char(thread.buffer[i].variable), key += char(thread.buffer[i].release), wide(thread.buffer[i].value);
  }
  key += char(state.failed), key += char(state.misused);
  return key;
}

}  // namespace oracle
