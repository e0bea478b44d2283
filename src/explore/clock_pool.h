// SPDX-License-Identifier: Apache-2.0
// Vector clocks for one pass over a trace, all of the same length, in one piece of memory that the next pass uses again.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace treadle {

class ClockPool {
 public:
  using Clock = std::uint32_t;  // a handle; `none` stands for a clock of zeroes that was never made
  static constexpr Clock none = UINT32_MAX;

  void begin(unsigned threads) {
    threads_ = threads;
    times_.clear();
  }

  std::uint32_t& time(Clock clock, unsigned thread) { return times_[clock + thread]; }

  void join(Clock& into, Clock from) {
    if (from == none) return;
    if (into == none) return copy(into, from);
    for (unsigned i = 0; i < threads_; ++i) times_[into + i] = std::max(times_[into + i], times_[from + i]);
  }

  void copy(Clock& into, Clock from) {
    if (into == none) into = make();
    for (unsigned i = 0; i < threads_; ++i) times_[into + i] = times_[from + i];
  }

  Clock make() {
    const auto made = static_cast<Clock>(times_.size());
    times_.resize(times_.size() + threads_);
    return made;
  }

 private:
  std::vector<std::uint32_t> times_;
  unsigned threads_ = 0;
};

}  // namespace treadle
