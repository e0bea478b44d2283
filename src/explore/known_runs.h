// SPDX-License-Identifier: Apache-2.0
// Executions that were made, found again by what one that is about to be made begins with: if one of them begins so when its independent
// steps are made in another order, that one need not be made. No class of executions is run twice.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "explore/learned_program.h"
#include "explore/run_order.h"

namespace treadle {

class KnownRuns {
 public:
  KnownRuns(Races races, MemoryModel model) : races_(races), model_(model) {}

  /// From now on what is found is told to another search, which has been told of nothing.
  void begin_search() {
    ++search_;
    told_ = 0;
  }

  /// `places`: where each thread was when it ended (rehearsal.h); empty: nobody could follow it. Without events of trouble.
  enum class Told : std::uint8_t { No, Yes };
  void keep(Trace trace, std::span<const Place* const> places, bool in_any_order, Told told);

  /// One of them that the search was not told of when it was made, in an order that begins with these decisions, and of use. `places`:
  /// where they lead the threads, as far as that is known.
  using IsOfUse = std::function<bool(const Trace&)>;
  std::optional<Trace> beginning_with(std::span<const Decision> prefix, std::span<const Place* const> places, const IsOfUse& is_of_use);

  bool empty() const { return runs_.empty(); }
  std::size_t events() const { return events_; }

 private:
  struct Run {
    Trace trace;
    bool in_any_order;     // nothing raced in it: plain accesses, which need not be steps, read the same whatever the order
    unsigned told_in = 0;  // this search, when it was made
    std::unique_ptr<RunOrder> order{};
  };
  using Numbers = std::vector<std::uint32_t>;

  std::optional<Trace> look_at(Run& run, std::span<const Decision> prefix);

  Races races_;
  MemoryModel model_;
  std::deque<Run> runs_;
  std::size_t events_ = 0, told_ = 0;
  unsigned search_ = 1;
  std::unordered_map<const Place*, Numbers> came_by_;  // of the runs: whose threads were there
  Numbers not_followed_;
};

}  // namespace treadle
