// SPDX-License-Identifier: Apache-2.0
// A strategy that also learns from executions it did not ask for, made by somebody else while it searches.
#pragma once

#include "trace/trace.h"

namespace treadle {

class Listener {
 public:
  virtual void hear_of(const Trace& trace) = 0;

 protected:
  ~Listener() = default;
};

}  // namespace treadle
