// SPDX-License-Identifier: Apache-2.0
// Which definitions a use of a shared variable may see: the π-functions of concurrent static single assignment form. Only creating and
// joining threads orders events here, besides each thread's own order.
#pragma once

#include <map>
#include <vector>

#include "trace/trace.h"

namespace treadle {

/// A mutex, a spin lock, a semaphore: one of its units is taken (-1) or given back (+1); 0: none of this.
int change_of_semaphore(const Event& event);

class Definitions {
 public:
  explicit Definitions(const Trace& trace);  // which must outlive this

  static constexpr std::uint64_t kInitial = UINT64_MAX;  // what was there from the start

  /// In the order of the trace, the initial one first.
  std::vector<std::uint64_t> seen_by(std::uint64_t event) const;
  /// x_1, x_2, … : the how-manieth definition at its address.
  unsigned number_of(std::uint64_t event) const;

  /// Does a happen before b whatever the schedule?
  bool must_precede(std::uint64_t a, std::uint64_t b) const;

 private:
  const Trace& trace_;
  std::vector<std::uint32_t> place_;                // of an event in its thread, from 1
  std::vector<std::uint32_t> knows_;                // index into clocks_, by event
  std::vector<std::vector<std::uint32_t>> clocks_;  // by thread: how many of its events come before
  std::vector<std::uint64_t> defining_;             // events, in order
  std::map<std::uint64_t, unsigned> numbers_;       // of defining events
};

}  // namespace treadle
