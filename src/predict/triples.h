// SPDX-License-Identifier: Apache-2.0
// Three accesses to one location, the first and the last by one thread in something meant to be atomic, the one in between by another
// thread: of the eight combinations of reads and writes, five have no equal in which nobody interferes (Lu et al. 2006).
//
// Candidates are weeded out in stages, and what each leaves over is counted: creation and joining of threads, then locks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "predict/acquisition_history.h"
#include "predict/locations.h"
#include "predict/regions.h"
#include "predict/thread_order.h"

namespace treadle {

struct Triple {
  std::uint32_t first = 0, remote = 0, last = 0;  // events, as they are meant to come
  auto operator<=>(const Triple&) const = default;
};

struct TripleCounts {
  std::uint64_t all = 0;             // combinations that would be unserialisable
  std::uint64_t happens_before = 0;  // of these, not ordered by creation and joining
  std::uint64_t locks = 0;           // of these, not kept apart by locks
  std::uint64_t real = 0;            // of these, possible; the rest is not
  std::uint64_t left_out = 0;        // were not asked about, because there are too many
};

struct TripleCandidates {
  std::vector<Triple> triples;
  TripleCounts counts;
};

TripleCandidates triples_of(std::span<const Region> regions, std::span<const Location> locations, const ThreadOrder& order,
                            const AcquisitionHistory& locks);

}  // namespace treadle
