// SPDX-License-Identifier: Apache-2.0
// Probabilistic concurrency testing (Burckhardt, Kothari, Musuvathi, Nagarakatte, ASPLOS 2010).
//
// Threads get random priorities, the enabled thread of the highest runs, and at d-1 random points the running thread drops
// below all others. A bug that needs d ordering constraints is then found by each execution with probability at least
// 1/(n k^(d-1)), for n threads and k steps. Both are taken from the executions themselves: as long as they grow, the bound counts
// only the executions made with the largest k seen.
#pragma once

#include "explore/random.h"

namespace treadle {

class Pct final : public Strategy {
 public:
  Pct(Schedule base, std::uint32_t depth);

  std::optional<Item> next() override;
  void learn_from(Ticket ticket, const Trace& trace) override;
  std::size_t ahead() const override;
  bool samples() const override { return true; }
  std::string covers() const override;
  std::string save() const override;
  bool load(std::string_view bytes) override;

  std::uint32_t threads() const { return threads_; }  // n
  std::uint32_t length() const { return length_; }    // k in use
  double chance_per_execution() const;                // the bound

 private:
  Schedule base_;
  std::uint64_t seed_;
  std::uint32_t depth_;
  std::uint32_t threads_ = 1;
  std::uint32_t length_ = 0;
  std::uint32_t longest_ = 1;  // steps of the longest execution so far
  Numbers numbers_;
  std::uint64_t executions_ = 0;
  std::uint64_t next_review_ = 1;  // when k is looked at again: after 1, 2, 4, 8, … executions
  std::uint64_t with_this_length_ = 0;
};

}  // namespace treadle
