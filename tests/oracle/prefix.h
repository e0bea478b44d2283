// SPDX-License-Identifier: Apache-2.0
// The beginning of an execution up to the order of independent operations (classes.h says which are independent).
#pragma once

#include <algorithm>
#include <array>
#include <string>

#include "machine.h"

namespace oracle {

using Clock = std::array<std::uint8_t, kMaxThreads>;

inline void join(Clock& clock, const Clock& other) {
  for (int t = 0; t < kMaxThreads; ++t) clock[t] = std::max(clock[t], other[t]);
}

/// A state together with the partial order of the operations that led to it: each operation's vector clock counts, per thread, the
/// operations that it depends on. The clocks, thread by thread, are the same for two beginnings exactly if these are equivalent.
struct Prefix {
  State state;
  std::array<Clock, kMaxThreads> clocks{};
  std::array<Clock, kObjects> written{}, touched{};  // join of the clocks of the writes, of all operations
  std::array<std::string, kMaxThreads> history;

  Event add(const Machine& machine, Move move) {
    const Event event = machine.apply(state, move);
    Clock& clock = clocks[move.thread];
    for (int i = 0; i < event.touched; ++i) {
      const Touch touch = event.touches[i];
      join(clock, touch.writes ? touched[touch.object] : written[touch.object]);
    }
    ++clock[move.thread];
    for (int i = 0; i < event.touched; ++i) {
      const Touch touch = event.touches[i];
      join(touched[touch.object], clock);
      if (touch.writes) join(written[touch.object], clock);
    }
    std::string& past = history[move.thread];
    past.append(clock.begin(), clock.end());
    past += char(move.argument);
    return event;
  }

  std::string canonical() const {
    std::string form;
    for (const std::string& past : history) {
      form += char(past.size()), form += char(past.size() >> 8);
      form += past;
    }
    return form;
  }
};

}  // namespace oracle
