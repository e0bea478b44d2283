// SPDX-License-Identifier: Apache-2.0
// Intel PT of the processor itself, through the kernel's perf events: one event for each core that follows the program's threads, another
// for what is to be known about threads and code. What is behind the packets is the same as for emulated ones.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>

#include "base/result.h"

namespace treadle {

/// A Problem says why not: no such processor, no such right.
Result<Done> has_intel_pt();

class PtHardware {
 public:
  /// The process has not called exec yet, which switches tracing on.
  static Result<std::unique_ptr<PtHardware>> open(pid_t process, const std::string& folder);
  virtual ~PtHardware() = default;

  /// Empties the buffers; to be called every few milliseconds.
  virtual Result<Done> drain() = 0;

  /// When the program has ended: what is left, and the file `pt`.
  virtual Result<Done> finish() = 0;
};

}  // namespace treadle
