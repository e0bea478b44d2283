// SPDX-License-Identifier: Apache-2.0
// Which operation of one thread came before which of another because the program says so: the direct steps of happens-before.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/happens_before.h"
#include "trace/trace.h"

namespace treadle {

struct Arrow {
  std::uint64_t from = 0, to = 0;  // events
  bool operator==(const Arrow&) const = default;
};

/// Between different threads only, in the order of `to`. What follows from others by way of a third thread is left out.
std::vector<Arrow> synchronisation_arrows(const Trace& trace, const ReadsFrom& reads_from);

}  // namespace treadle
