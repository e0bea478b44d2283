// SPDX-License-Identifier: Apache-2.0
// Does some execution under SC have a data race? Two accesses of different threads to a plain variable, at least one a store, neither of
// which happens before the other in the sense of C11:
//   a release store (or a relaxed one behind a release fence) synchronises with an acquire load (or a relaxed one in front of an acquire
//   fence) that reads from it or from a read-modify-write of its release sequence; a later relaxed store ends the sequence (C++20)
//   unlock → lock (also within a condition wait; of a readers-writer lock unless both read), sem_post → sem_wait, all arrivals → all
//   departures of a barrier, create → start, exit → join, the end of pthread_once's initialiser → whoever finds it run
// Signals order nothing by themselves; the mutex does.
#pragma once

#include <cstdint>

#include "program.h"

namespace oracle {

enum class Racy { No, Yes, Unknown };  // Unknown: the limit was hit

Racy can_race(const Program& program, std::uint64_t most_prefixes = 2'000'000);

}  // namespace oracle
