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

// ---- A value and the variables that it is in: one, whatever the value is, or four bits of each of `size` bytes.

constexpr int kBits = 4;

inline int variables_of(int size) { return size == 0 ? 1 : size; }

inline std::int16_t part_of(std::int16_t value, int size, int number) {
  return size == 0 ? value : std::int16_t(value >> (kBits * number) & ((1 << kBits) - 1));
}

/// `part` gives the value of each variable.
template <class Part>
std::int16_t join_parts(int variable, int size, Part part) {
  if (size == 0) return part(variable);
  int joined = 0;
  for (int i = 0; i < size; ++i) joined |= part(variable + i) << (kBits * i);
  return std::int16_t(joined);
}

/// As far as they are stored.
inline bool same_bits(std::int16_t a, std::int16_t b, int size) {
  for (int i = 0; i < variables_of(size); ++i)
    if (part_of(a, size, i) != part_of(b, size, i)) return false;
  return true;
}

inline bool covers(const Buffered& entry, int variable) {
  return entry.variable >= 0 && entry.variable <= variable && variable < entry.variable + variables_of(entry.size);
}

inline bool overlap(const Buffered& a, const Buffered& b) { return covers(a, b.variable) || covers(b, a.variable); }

inline std::int16_t in_memory(const State& state, int variable, int size) {
  return join_parts(variable, size, [&state](int v) { return state.memory[v]; });
}

inline void write(State& state, int variable, int size, std::int16_t value) {
  for (int i = 0; i < variables_of(size); ++i) state.memory[variable + i] = part_of(value, size, i);
}

/// What a load by this thread gets: its own newest buffered store, else memory.
inline std::int16_t read(const State& state, int thread, int variable, int size) {
  const ThreadState& self = state.threads[thread];
  return join_parts(variable, size, [&](int v) {
    for (int i = self.buffered - 1; i >= 0; --i)
      if (const Buffered& own = self.buffer[i]; covers(own, v)) return part_of(own.value, own.size, v - own.variable);
    return state.memory[v];
  });
}

inline void put(ThreadState& thread, Buffered entry) {
  if (thread.buffered == kMaxBuffered) throw std::invalid_argument("too many stores in flight");
  thread.buffer[thread.buffered++] = entry;
}

}  // namespace oracle
