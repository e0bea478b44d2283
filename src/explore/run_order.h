// SPDX-License-Identifier: Apache-2.0
// An execution that was made, in any order of its independent steps: whoever made the same steps in another one would have recorded what
// is said here, and need not run the program for that.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "explore/transition.h"

namespace treadle {

class RunOrder {
 public:
  RunOrder(const Trace& trace, Races races, MemoryModel model);

  /// Its transitions, by number, in an order that begins with these decisions. Nothing: there is none.
  std::optional<std::vector<std::uint32_t>> beginning_with(const Trace& trace, std::span<const Decision> prefix) const;

  /// The execution with its transitions in that order. They need not be all of them: the end is then another one, and not for us to tell.
  Trace reordered(const Trace& trace, std::span<const std::uint32_t> order) const;

  /// The transition that the decision belongs to; nothing: it is not known.
  std::optional<std::uint32_t> with_decision(std::uint32_t choice) const;

  /// Whether each transition comes after one of these, or is one.
  std::vector<char> comes_after(const std::vector<char>& these) const;

  std::uint32_t size() const { return static_cast<std::uint32_t>(steps_.size()); }
  Process process(std::uint32_t t) const { return slots_[steps_[t].slot]; }
  std::uint32_t decisions(std::uint32_t t) const { return steps_[t].decisions; }
  std::span<const Event> events(const Trace& trace, std::uint32_t t) const {
    return std::span(trace.events).subspan(events_begin(t), steps_[t].events_end - events_begin(t));
  }

 private:
  struct Step {
    std::uint32_t choice, decisions;  // in Trace::choices
    std::uint32_t events_end;         // the first event after it
    std::uint32_t slot;               // dense number of its process
    std::uint32_t count;              // how-manieth of its process, from 1
    bool comes_last;                  // it ends the execution
  };
  class Alternatives;

  void keep_buffers_in_order(const Trace& trace);
  std::uint32_t events_begin(std::uint32_t t) const { return t == 0 ? 0 : steps_[t - 1].events_end; }

  std::vector<Step> steps_;
  std::vector<Process> slots_;
  std::vector<std::vector<std::uint32_t>> of_slot_;
  std::vector<std::uint32_t> clocks_;                                // slots_.size() for each step
  std::vector<std::pair<std::uint32_t, std::uint32_t>> own_stores_;  // steps that stay in this order, sorted by the later one
};

}  // namespace treadle
