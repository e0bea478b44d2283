// SPDX-License-Identifier: Apache-2.0
// Who holds what: mutexes, readers-writer locks, spinlocks, and initialisers that run exactly once.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace treadle {

struct Held {
  ThreadId thread{};
  std::uint64_t object = 0;
  std::uint64_t event = 0;  // that took it
  bool shared = false;      // by a reader
};

/// Follows a trace event by event.
class LockWatch {
 public:
  void take_in(const Event& event, std::uint64_t number);

  /// Of all threads, in the order they were taken.
  const std::vector<Held>& held() const { return held_; }

 private:
  std::vector<Held> held_;
};

/// The locks held after the first `events` events, in the order they were taken.
std::vector<Held> locks_held(const Trace& trace, std::uint64_t events = UINT64_MAX);

/// Operations on mutexes, readers-writer locks and spinlocks that tell by Event::extra whether they succeeded: 0, or an error number.
bool has_lock_result(EventKind kind);

/// Does this operation always give up after some time? A wait for a condition may or may not.
bool has_time_limit(EventKind kind);

/// Does this operation wait until nobody (else) holds its object?
bool waits_for_holder(EventKind kind);

}  // namespace treadle
