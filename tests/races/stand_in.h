// SPDX-License-Identifier: Apache-2.0
// As much of the engine as the race detector needs: a World, threads that are switched by hand, and the races it reports.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/race.h"

namespace treadle {

struct Reported {
  std::uint64_t address;
  unsigned size;
  unsigned earlier_thread;
  Access earlier, later;
  bool operator==(const Reported&) const = default;
};

/// Everything reported since the last call of begin().
extern std::vector<Reported> g_reported;

/// Once. Address space layout randomisation must be off: see without_randomisation().
void prepare(unsigned threads);
/// Starts the program again when its addresses are random.
void without_randomisation(char** argv);

/// A new execution with one thread, number 0.
void begin();
inline void run(unsigned thread) { world().current = &world().threads[thread]; }
void create(unsigned thread);  // by the running thread
void finish();                 // the running thread

/// The part of memory that a snapshot saves by copying.
std::vector<char> save();
void restore(const std::vector<char>& saved);

}  // namespace treadle
