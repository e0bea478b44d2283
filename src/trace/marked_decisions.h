// SPDX-License-Identifier: Apache-2.0
// Decisions of a trace that is looked at otherwise than it was made. Where alternatives were not recorded, Choice has room to say so.
#pragma once

#include "trace/trace.h"

namespace treadle {

enum class Mark : std::uint32_t {
  None = 0,
  ThoughtOf = 0xffffffff,  // not made: what a thread waited for at the end, as if it had come
  PutAside = 0xfffffffe,   // made, but nobody may make it: it stands behind where its thread is followed
  Plain = 0xfffffffd       // no decision: a plain access that came with the one before, by itself (plain_steps.h)
};

inline Mark mark_of(const Choice& choice) {
  const bool is_mark = choice.alternatives == 0 && choice.first_alternative >= static_cast<std::uint32_t>(Mark::Plain);
  return is_mark ? static_cast<Mark>(choice.first_alternative) : Mark::None;
}

inline void set_mark(Choice& choice, Mark mark) {
  choice.alternatives = 0;
  choice.first_alternative = static_cast<std::uint32_t>(mark);
}

/// How many decisions were made.
inline std::size_t decisions_made(const Trace& trace) {
  std::size_t made = trace.choices.size();
  while (made > 0 && mark_of(trace.choices[made - 1]) == Mark::ThoughtOf) --made;
  return made;
}

}  // namespace treadle
