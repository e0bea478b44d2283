// SPDX-License-Identifier: Apache-2.0
// Registers, memory and store buffers of a State.
#pragma once

#include <stdexcept>

#include "machine.h"

namespace oracle {

inline std::int16_t narrow(int value) {
  if (value < INT16_MIN || value > INT16_MAX) throw std::invalid_argument("a value does not fit 16 bits");
  return std::int16_t(value);
}

inline std::int16_t value_of(const Value& value, const ThreadState& thread) {
  return narrow((value.reg < 0 ? 0 : thread.registers[value.reg]) + value.add);
}

inline bool holds(const Condition& condition, const ThreadState& thread) {
  if (condition.reg < 0) return false;
  const int with = condition.constant + (condition.other < 0 ? 0 : thread.registers[condition.other]);
  return (thread.registers[condition.reg] == with) == condition.equal;
}

/// What a load by this thread gets: its own newest buffered store, else memory.
inline std::int16_t read(const State& state, int thread, int variable) {
  const ThreadState& self = state.threads[thread];
  for (int i = self.buffered - 1; i >= 0; --i)
    if (self.buffer[i].variable == variable) return self.buffer[i].value;
  return state.memory[variable];
}

inline void put(ThreadState& thread, Buffered entry) {
  if (thread.buffered == kMaxBuffered) throw std::invalid_argument("too many stores in flight");
  thread.buffer[thread.buffered++] = entry;
}

}  // namespace oracle
