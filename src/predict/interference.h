// SPDX-License-Identifier: Apache-2.0
// Does it make a difference that somebody else's access came between two of an atomic region? Two accesses whose order makes none are
// independent, although they conflict (guarded independence, Wang, Limaye, Ganai and Gupta 2010): writes of equal values, a write of what
// was there already.
#pragma once

#include <vector>

#include "predict/triples.h"

namespace treadle {

/// By the values of the trace, in which the three came in this order. What is not known makes a difference.
bool interferes(const Trace& trace, const Triple& triple);

/// All three access the same bytes, whose values are recorded.
bool same_bytes(const Trace& trace, const Triple& triple);

/// The same for the three in this order in another execution, as far as that can be told. `open` says, by event, which accesses may have
/// other values there than here.
bool could_interfere(const Trace& trace, const Triple& triple, const std::vector<char>& open);

/// Reads, and writes of what was made of reads.
std::vector<char> open_values(const Trace& trace);

/// All that the trace itself shows: its regions whose accesses were interfered with.
std::vector<Triple> interferences(const Trace& trace, std::span<const Region> regions, std::span<const Location> locations);

}  // namespace treadle
