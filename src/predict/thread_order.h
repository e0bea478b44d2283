// SPDX-License-Identifier: Apache-2.0
// Which events come before which whatever the schedule: program order, and what creating and joining threads adds to it.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace treadle {

class ThreadOrder {
 public:
  explicit ThreadOrder(const Trace& trace);

  /// `a` has happened whenever `b` happens.
  bool comes_before(std::uint32_t a, std::uint32_t b) const {
    const Place &first = places_[a], &second = places_[b];
    if (first.thread == second.thread) return first.number < second.number;
    const Clock& known = clocks_[second.clock];
    return first.thread < known.size() && first.number < known[first.thread];
  }
  bool ordered(std::uint32_t a, std::uint32_t b) const { return comes_before(a, b) || comes_before(b, a); }

  /// Events of one thread with the same number know the same of other threads.
  std::uint32_t segment(std::uint32_t event) const { return places_[event].clock; }

 private:
  using Clock = std::vector<std::uint32_t>;  // by thread: so many of its events come before
  struct Place {
    std::uint32_t thread = 0;
    std::uint32_t number = 0;  // of the event in its thread, from 0
    std::uint32_t clock = 0;   // in clocks_
  };
  struct Thread {
    std::uint32_t events = 0;
    std::uint32_t clock = 0;
  };
  Thread& thread(std::size_t number);
  /// What `from` has seen, the events it has made included, is known to `to`.
  void tell(std::size_t from, std::size_t to);

  std::vector<Place> places_;
  std::vector<Clock> clocks_{{}};
  std::vector<Thread> threads_;
};

}  // namespace treadle
