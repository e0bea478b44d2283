// SPDX-License-Identifier: Apache-2.0
// Where the schedules of a search begin alike, the steps that they have in common are made once: the first one saves a snapshot where the
// next one leaves its way, and that one goes on from there. What there is to resume from is a stack, as the program keeps it (subject.h).
//
// A snapshot takes about as long as a reset, that is some steps; it is saved only where at least so many are shared. Measured over the
// programs in bench/ (bench/RESULTS.md): with 8 steps some are a tenth faster and none is slower beyond the noise. Executions that take
// long for other reasons (they compute) save every step.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "subject/subject.h"

namespace treadle {

class SharedPrefixes {
 public:
  /// For each of the schedules of a batch, which are run in this order, by the process that ran all earlier ones.
  std::span<const Snapshots> plan(const std::vector<Schedule>& schedules, const Recording& recording);

  /// So long it took to run them.
  void took(std::size_t executions, double seconds);

  /// What was saved is of no use any more.
  void forget() { stack_.clear(); }

 private:
  struct Saved {
    std::uint64_t name;
    std::size_t at;
  };
  struct Kind {         // executions of different kinds share nothing
    Schedule schedule;  // without its prefix
    bool plain = false, choices = false, leaks = false, spins_block = false;
  };
  bool is_of_kind(const Schedule& schedule, const Recording& recording) const;

  std::vector<Snapshots> planned_;
  std::vector<Saved> stack_;    // on the way of the last schedule
  std::vector<Decision> path_;  // its prefix
  std::optional<Kind> kind_;
  std::uint64_t names_ = 0;
  double seconds_each_ = 0;
};

}  // namespace treadle
