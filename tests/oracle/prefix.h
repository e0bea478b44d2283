// SPDX-License-Identifier: Apache-2.0
// The beginning of an execution up to the order of independent operations (classes.h says which are independent).
#pragma once

#include <array>
#include <stdexcept>
#include <string>

#include "machine.h"
#include "names.h"

namespace oracle {

/// A state together with what led to it: each thread's operations with the latest write of each object they found there, and the order in
/// which writes reached each variable. These are the same for two beginnings exactly if the beginnings are equivalent, and then so are
/// their states.
class Prefix {
 public:
  explicit Prefix(const Machine& machine) : state(machine.start()) {}

  State state;

  Event add(const Machine& machine, Move move) {
    const Event event = machine.apply(state, move);
    if (move.kind == Move::Kind::Flush)
      for (int i = 0; i < event.touched; ++i)
        reach_memory(event.touches[i].object, buffered_.take_oldest(move.thread, event.touches[i].object));
    else
      operate(move, event);
    return event;
  }

  std::string of_execution(const Machine& machine) const { return key(machine); }
  std::string key(const Machine&) const {
    std::string form;
    for (const std::string& past : history_) append(form, past);
    for (const std::string& order : coherence_) append(form, order);
    return form;
  }

 private:
  void operate(Move move, const Event& event) {
    const int t = move.thread;
    if (++operations_[t] == 0) throw std::invalid_argument("an execution is too long");
    const Name name = name_of(t, operations_[t]);
    std::string& past = history_[t];
    past += char(move.kind), past += char(move.argument);
    for (int i = 0; i < event.touched; ++i) {
      const Touch touch = event.touches[i];
      if (touch.buffered) {  // nobody else sees it yet
        buffered_.put(t, touch.object, name);
        continue;
      }
      append(past, latest(t, touch.object));
      if (touch.writes && touch.object < kMaxVariables) reach_memory(touch.object, name);
      if (touch.writes) latest_[touch.object] = name;
    }
  }

  void reach_memory(int variable, Name name) {
    append(coherence_[variable], name);
    latest_[variable] = name;
  }

  /// The write that an operation of this thread meets: its own newest store, buffered or not, or what others left.
  Name latest(int thread, int object) const { return buffered_.newest(thread, object).value_or(latest_[object]); }

  std::array<std::uint8_t, kMaxThreads> operations_{};
  std::array<Name, kObjects> latest_{};
  std::array<std::string, kMaxThreads> history_;
  BufferedNames buffered_;
  std::array<std::string, kMaxVariables> coherence_;
};

}  // namespace oracle
