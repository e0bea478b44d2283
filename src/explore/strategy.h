// SPDX-License-Identifier: Apache-2.0
// A strategy chooses the next Schedule and learns from what it did. One file each.
#pragma once

#include <optional>
#include <string>

#include "subject/subject.h"
#include "trace/schedule.h"
#include "trace/trace.h"

namespace treadle {

class Strategy {
 public:
  virtual ~Strategy() = default;
  virtual std::optional<Schedule> next() = 0;           // nothing: the search space is exhausted
  virtual void learn_from(const Trace& trace) = 0;      // in the order of next()
  virtual Recording needs() const { return {}; }        // what must be recorded
  virtual bool independent() const { return false; }    // may next() be called several times before learn_from()?
  virtual std::string covers() const = 0;               // what is known once next() has returned nothing
};

}  // namespace treadle
