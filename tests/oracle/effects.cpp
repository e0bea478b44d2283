// SPDX-License-Identifier: Apache-2.0
// What each visible operation does, and what it touches (classes.h has the table).
#include <algorithm>

#include "machine.h"
#include "values.h"

namespace oracle {
namespace {

bool releases(Order order) { return order == Order::Release || order == Order::AcqRel; }

void touch_memory(Event& event, int variable, int size, bool writes, bool buffered = false) {
  for (int i = 0; i < variables_of(size); ++i) event.touch(object_variable(variable + i), writes, buffered);
}

}  // namespace

Event Machine::flush(State& state, int t, int position) const {
  ThreadState& thread = state.threads[t];
  const Buffered entry = thread.buffer[position];
  write(state, entry.variable, entry.size, entry.value);
  const auto begin = thread.buffer.begin(), end = begin + thread.buffered;
  std::copy(begin + position + 1, end, begin + position);
  --thread.buffered;
  // A fence with nothing in front of it orders nothing any more.
  while (thread.buffered > 0 && thread.buffer[0].variable < 0) {
    std::copy(begin + 1, begin + thread.buffered, begin);
    --thread.buffered;
  }
  std::fill(begin + thread.buffered, end, Buffered{});
  Event event;
  touch_memory(event, entry.variable, entry.size, true);
  return event;
}

// Leaves the phase at Running when the thread goes on.
void Machine::operate(State& state, const Instruction& what, Move move, Event& event) const {
  const int t = move.thread;
  ThreadState& thread = state.threads[t];
  switch (what.op) {
    case Op::Load:
    case Op::Await:
    case Op::Store:
    case Op::FetchAdd:
    case Op::Exchange:
    case Op::CompareExchange:
    case Op::Fence:
      access_memory(state, what, t, event);
      break;
    case Op::Lock:
    case Op::Unlock:
    case Op::TryLock:
    case Op::ReadLock:
    case Op::WriteLock:
    case Op::TryReadLock:
    case Op::TryWriteLock:
    case Op::RwUnlock:
      use_lock(state, what, move, event);
      break;
    case Op::Wait:
    case Op::Signal:
    case Op::Broadcast:
      use_condition(state, what, move, event);
      break;
    case Op::SemWait:
      event.touch(object_semaphore(what.object), true);
      --state.count[what.object];
      break;
    case Op::SemPost:
      event.touch(object_semaphore(what.object), true);
      ++state.count[what.object];
      break;
    case Op::SemTry: {
      const bool gets_it = event.succeeded = state.count[what.object] > 0;
      event.touch(object_semaphore(what.object), gets_it);
      if (gets_it) --state.count[what.object];
      thread.registers[what.reg] = gets_it;
      break;
    }
    case Op::SemGetValue:
      event.touch(object_semaphore(what.object), false);
      thread.registers[what.reg] = state.count[what.object];
      break;
    case Op::FutexWait:
    case Op::FutexWake:
      use_futex(state, what, move, event);
      break;
    case Op::BarrierWait:
      use_barrier(state, what, t, event);
      break;
    case Op::OnceBegin:
      event.succeeded = state.once[what.object] == 0;
      event.touch(object_once(what.object), event.succeeded);
      if (event.succeeded)
        state.once[what.object] = std::int8_t(t + 1);
      else
        thread.pc = std::uint8_t(what.target - 1);
      break;
    case Op::OnceEnd:
      event.touch(object_once(what.object), true);
      state.once[what.object] = -1;
      break;
    case Op::Create:
      event.touch(object_thread(what.object), true);
      state.threads[what.object].phase = Phase::Created;
      break;
    case Op::Join:
      event.touch(object_thread(what.object), true);
      break;
    case Op::Exit: {
      event.touch(object_thread(t), true);
      const bool holds_some =
          std::count(state.owner.begin(), state.owner.end(), t) + std::count(state.writer.begin(), state.writer.end(), t) > 0;
      const auto reads = [t](std::uint8_t readers) { return (readers & 1u << t) != 0; };
      if (holds_some || std::any_of(state.readers.begin(), state.readers.end(), reads)) state.misused = true;
      thread.phase = Phase::Done;
      break;
    }
    default:  // ReadHandle has no effect, and local instructions never get here
      break;
  }
}

void Machine::access_memory(State& state, const Instruction& what, int t, Event& event) const {
  ThreadState& thread = state.threads[t];
  const auto touch = [&](bool writes, bool buffered = false) { touch_memory(event, what.object, what.size, writes, buffered); };
  switch (what.op) {
    case Op::Load:
      touch(false);
      thread.registers[what.reg] = read(state, t, what.object, what.size);
      break;
    case Op::Await:
      touch(false);
      break;
    case Op::Store: {
      const bool buffered = options_.model != Model::Sc && what.order != Order::SeqCst;
      touch(true, buffered);
      const std::int16_t value = value_of(what.value, thread);
      const bool waits = options_.model == Model::Pso && releases(what.order);
      if (buffered)
        put(thread, {std::int8_t(what.object), waits, value, std::uint8_t(what.size)});
      else
        write(state, what.object, what.size, value);
      break;
    }
    case Op::FetchAdd:
    case Op::Exchange: {
      touch(true);
      const std::int16_t old = in_memory(state, what.object, what.size), operand = value_of(what.value, thread);
      write(state, what.object, what.size, what.op == Op::Exchange ? operand : narrow(old + operand));
      thread.registers[what.reg] = old;
      break;
    }
    case Op::CompareExchange: {
      const std::int16_t old = in_memory(state, what.object, what.size);
      const bool succeeds = event.succeeded = same_bits(old, value_of(what.expected, thread), what.size);
      touch(succeeds);
      if (succeeds) write(state, what.object, what.size, value_of(what.value, thread));
      thread.registers[what.reg] = old;
      break;
    }
    default:  // a fence
      if (options_.model == Model::Pso && releases(what.order) && thread.buffered > 0 && thread.buffer[thread.buffered - 1].variable >= 0)
        put(thread, {-1, false, 0});
  }
}

void Machine::use_lock(State& state, const Instruction& what, Move move, Event& event) const {
  const int t = move.thread;
  ThreadState& thread = state.threads[t];
  const bool of_mutex = what.op <= Op::TryLock;
  std::int8_t& owner = (of_mutex ? state.owner : state.writer)[what.object];
  std::uint8_t& readers = state.readers[what.object];
  const std::uint8_t my_bit = std::uint8_t(1u << t);
  const int object = of_mutex ? object_mutex(what.object) : object_rwlock(what.object);
  const bool mine = owner == t || (!of_mutex && (readers & my_bit) != 0);
  switch (what.op) {
    case Op::Unlock:
      event.touch(object, true);
      if (!mine) state.misused = true;
      owner = -1;
      return;
    case Op::RwUnlock:
      event.touch(object, owner == t);
      if (!mine) state.misused = true;
      if (owner == t) owner = -1;
      readers &= std::uint8_t(~my_bit);
      return;
    default:
      break;
  }
  if (mine) state.misused = true;
  const bool reads = what.op == Op::ReadLock || what.op == Op::TryReadLock;
  const bool gets_it = event.succeeded = owner < 0 && (of_mutex || reads || readers == 0);
  // A failed attempt to write is also about the readers, whose coming and going only reads the lock.
  event.touch(object, of_mutex ? gets_it : !reads);
  if (gets_it && reads)
    readers |= my_bit;
  else if (gets_it)
    owner = std::int8_t(t);
  if (what.op == Op::TryLock || what.op == Op::TryReadLock || what.op == Op::TryWriteLock) thread.registers[what.reg] = gets_it;
}

void Machine::use_condition(State& state, const Instruction& what, Move move, Event& event) const {
  if (what.op == Op::Wait) {
    event.touch(object_condvar(what.object), true);
    event.touch(object_waiter(move.thread), true);
    event.touch(object_mutex(what.mutex), true);
    if (state.owner[what.mutex] != move.thread) state.misused = true;
    state.owner[what.mutex] = -1;
    state.threads[move.thread].phase = Phase::Waiting;
    return;
  }
  bool any = false;
  for (int w = 0; w < int(code_.size()); ++w) {
    ThreadState& waiter = state.threads[w];
    if (waiter.phase != Phase::Waiting || code_[w][waiter.pc].object != what.object) continue;
    if (what.op == Op::Signal && (move.kind != Move::Kind::Wake || move.argument != w)) continue;
    waiter.phase = Phase::Signalled;
    event.touch(object_waiter(w), true);
    any = true;
  }
  event.touch(object_condvar(what.object), any);
}

void Machine::use_futex(State& state, const Instruction& what, Move move, Event& event) const {
  ThreadState& thread = state.threads[move.thread];
  if (what.op == Op::FutexWait) {
    event.touch(object_variable(what.object), false);
    event.succeeded = state.memory[what.object] == value_of(what.expected, thread);
    if (event.succeeded) event.touch(object_futex(what.object), true);
    if (event.succeeded)
      thread.phase = Phase::Asleep;
    else
      thread.registers[what.reg] = 1;
    return;
  }
  for (int w = 0; w < int(code_.size()); ++w) {
    ThreadState& sleeper = state.threads[w];
    if (sleeper.phase != Phase::Asleep || code_[w][sleeper.pc].object != what.object) continue;
    if (!what.all && (move.kind != Move::Kind::Wake || move.argument != w)) continue;
    sleeper.phase = Phase::Roused;
    ++event.woken;
  }
  event.touch(object_futex(what.object), event.woken > 0);
  if (what.reg >= 0) thread.registers[what.reg] = event.woken;
}

void Machine::use_barrier(State& state, const Instruction& what, int t, Event& event) const {
  event.touch(object_barrier(what.object), true);
  event.opens_barrier = ++state.arrived[what.object] == program_.barriers[what.object];
  state.threads[t].phase = Phase::Arrived;
  if (!event.opens_barrier) return;
  state.arrived[what.object] = 0;
  for (std::size_t w = 0; w < code_.size(); ++w) {
    ThreadState& waiter = state.threads[w];
    if (waiter.phase == Phase::Arrived && code_[w][waiter.pc].object == what.object) waiter.phase = Phase::Released;
  }
}

}  // namespace oracle
