// SPDX-License-Identifier: Apache-2.0
// What the threads of an execution have seen so far: the results of their operations, and nothing of the order that led to them.
#pragma once

#include <array>
#include <stdexcept>
#include <string>

#include "classes.h"
#include "machine.h"
#include "names.h"
#include "values.h"

namespace oracle {

/// A state together with what each thread saw on the way to it. Two beginnings with the same key go on in the same ways and see the same
/// from there on.
class Sights {
 public:
  Sights(const Machine& machine, TellApart by) : state(machine.start()), sources_(by == TellApart::ReadsFrom) {}

  State state;

  void add(const Machine& machine, Move move) {
    const Event event = machine.apply(state, move);
    if (move.kind == Move::Kind::Flush) {
      for (int i = 0; i < event.touched; ++i) {
        const int variable = event.touches[i].object;
        latest_[variable] = buffered_.take_oldest(move.thread, variable);
      }
      return;
    }
    if (++operations_[move.thread] == 0) throw std::invalid_argument("an execution is too long");
    see(move.thread, event);
    write(move.thread, event);
  }

  std::string key(const Machine& machine) const {
    std::string key = machine.key(state);
    append_seen(key);
    if (!sources_) return key;
    for (const Name name : latest_) append(key, name);
    buffered_.append_to(key);
    return key;
  }

  /// The class of a whole execution. Main looks at all variables in the end; who gets stuck, stands somewhere.
  std::string of_execution(const Machine& machine) const {
    std::string text(1, char(machine.ending(state)));
    append_seen(text);
    if (machine.ending(state) != Ending::Completed)
      for (const std::uint8_t count : operations_) text += char(count);
    else if (sources_)
      for (const Name name : latest_) append(text, name);
    else
      for (const std::int16_t value : state.memory) append(text, Name(value));
    return text;
  }

 private:
  void append_seen(std::string& text) const {
    for (const std::string& seen : seen_) append(text, seen);
  }

  // Everything that the instruction tells its thread.
  void see(int t, const Event& event) {
    const Instruction& what = *event.instruction;
    std::string& seen = seen_[t];
    if (event.phase == Phase::Waiting || event.phase == Phase::Signalled) {
      if (what.timed) seen += char(event.phase == Phase::Waiting);
      return;
    }
    if (event.phase == Phase::Asleep || event.phase == Phase::Roused) {
      if (what.timed) seen += char(event.phase == Phase::Asleep);
      return;
    }
    if (event.phase != Phase::Running) return;
    switch (what.op) {
      case Op::Load:
      case Op::FetchAdd:
      case Op::Exchange:
      case Op::CompareExchange:
      case Op::Await:  // leaves with one value only
        if (sources_)
          for (int i = 0; i < variables_of(what.size); ++i) append(seen, source(t, what.object + i));
        else if (what.op != Op::Await)
          append(seen, Name(state.threads[t].registers[what.reg]));
        break;
      case Op::FutexWait:
        append(seen, sources_ ? source(t, what.object) : Name(state.memory[what.object]));
        break;
      case Op::FutexWake:
        if (what.reg >= 0) seen += char(event.woken);
        break;
      case Op::TryLock:
      case Op::TryReadLock:
      case Op::TryWriteLock:
      case Op::SemTry:
      case Op::SemGetValue:
        append(seen, Name(state.threads[t].registers[what.reg]));
        break;
      case Op::OnceBegin:
        seen += char(event.succeeded);
        break;
      case Op::BarrierWait:
        seen += char(event.opens_barrier);  // it is told that it is the one
        break;
      default:
        break;
    }
  }

  void write(int t, const Event& event) {
    for (int i = 0; i < event.touched; ++i) {
      const Touch touch = event.touches[i];
      if (!touch.writes || touch.object >= kMaxVariables) continue;
      const Name name = name_of(t, ++writes_[t]);
      if (touch.buffered)
        buffered_.put(t, touch.object, name);
      else
        latest_[touch.object] = name;
    }
  }

  /// What a read by this thread gets: its own newest buffered store, else what is in memory.
  Name source(int thread, int variable) const { return buffered_.newest(thread, variable).value_or(latest_[variable]); }

  bool sources_;  // a read sees the write that it reads from, not the value
  std::array<std::uint8_t, kMaxThreads> operations_{}, writes_{};
  std::array<Name, kMaxVariables> latest_{};
  std::array<std::string, kMaxThreads> seen_;
  BufferedNames buffered_;
};

}  // namespace oracle
