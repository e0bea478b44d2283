// SPDX-License-Identifier: Apache-2.0
#include "base/deadline.h"

#include <chrono>

namespace treadle {
namespace {

constexpr double longest = 1e9;  // seconds

std::int64_t nanoseconds_now() { return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace

std::atomic<std::int64_t> Deadline::at_{Deadline::never};

Deadline::Deadline(std::optional<double> seconds_from_now) {
  at_ = seconds_from_now && *seconds_from_now < longest ? nanoseconds_now() + static_cast<std::int64_t>(*seconds_from_now * 1e9) : some_day;
}

Deadline::~Deadline() { at_ = never; }

void Deadline::bring_forward() noexcept {
  std::int64_t at = at_.load();
  while (at != never && !at_.compare_exchange_weak(at, 0)) {
  }
}

bool Deadline::is_over() noexcept { return nanoseconds_now() >= at_.load(std::memory_order_relaxed); }

double Deadline::seconds_left() noexcept {
  const std::int64_t at = at_.load(std::memory_order_relaxed);
  return at >= some_day ? longest : static_cast<double>(at - nanoseconds_now()) * 1e-9;
}

}  // namespace treadle
