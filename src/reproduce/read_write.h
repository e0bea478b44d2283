// SPDX-License-Identifier: Apache-2.0
// How many read-write constraints (Section 6.3.3 of the seed) a solver would be given for the run that a recording is of: for each read and
// each write that it may have read from, that the write comes before the read, and that no other write comes between them. Reproduction
// does without them, since the program itself says what a read returns; they are counted because they measure what is left open.
//
// Without the order on each core, "none in between" is one constraint for each other write (CLAP). With it the writes of a core stand in a
// row, and one constraint says between which two of them the pair goes (H3, Algorithm 12); many candidates are out of the question
// altogether. What is known by program order, or by creating and joining threads, is left out of both.
#pragma once

#include <optional>

#include "reproduce/known_order.h"

namespace treadle {

struct ReadWriteCount {
  std::uint64_t reads = 0, writes = 0;            // of places that several threads access
  std::uint64_t candidates = 0, constraints = 0;  // pairs of a read and a write that it may have read from; what they take
};

/// `in_rows`: other writes that are known to follow each other share a constraint. Nothing: there are too many to be counted one by one.
std::optional<ReadWriteCount> count_read_write(const LedAccesses& accesses, bool in_rows);

}  // namespace treadle
