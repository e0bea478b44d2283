// SPDX-License-Identifier: Apache-2.0
// Thinking that may take long is given up when the time for it is over: whoever thinks looks now and then. This is the one place where we
// throw: what is left in the middle is of no use to anybody, and nobody on the way back has to know. Whoever sets a Deadline catches.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

namespace treadle {

struct OutOfTime {};

class Deadline {
 public:
  explicit Deadline(std::optional<double> seconds_from_now);
  ~Deadline();
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;

  /// To now, if there is one: from a signal handler, too.
  static void bring_forward() noexcept;

  /// Throws OutOfTime when it is over.
  static void look() {
    if (at_.load(std::memory_order_relaxed) != never && is_over()) throw OutOfTime{};
  }
  static bool is_over() noexcept;
  static double seconds_left() noexcept;  // many, if there is none

 private:
  static constexpr std::int64_t never = INT64_MAX, some_day = INT64_MAX - 1;  // nanoseconds; there is none, or none yet
  static std::atomic<std::int64_t> at_;
};

}  // namespace treadle
