// SPDX-License-Identifier: Apache-2.0
// The partial order of an execution (happens-before over its transitions, as clock vectors) and its reversible races: the raw material of
// dpor, optimal and icb-dpor.
//
// What counts as a race: transitions i < j of different processes, dependent, with no third one ordered between them, such that j's process
// could have moved before i did. For an operation that waits (a lock, a semaphore, a join) the transition just before it is often the one
// that let it go on, which cannot be overtaken; then i is the last one before that it could have overtaken (for a lock: the acquisition
// before it), and the ones passed over do not count as "between" (overtaking.h).
//
// Fruitless iterations of spin loops are left out as if they had not happened, since without them everything else would have been the same.
// What they read still looks back for races, because an older value may end the loop.
//
// Operations that never happened because the execution ended first (blocked, or overtaken by exit) look back likewise.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_set>
#include <vector>

#include "explore/overtaking.h"
#include "explore/transition.h"
#include "trace/trace.h"

namespace treadle {

constexpr std::uint32_t none = UINT32_MAX;

struct Transition {
  Action action;
  std::uint32_t choice = 0;        // index of its first decision in Trace::choices
  std::uint32_t event = none;      // its visible event in Trace::events
  std::uint32_t events_end = 0;    // the first event after it
  std::uint32_t slot = 0;          // dense number of its process
  std::uint32_t count = 0;         // how-manieth of its process, from 1
  std::uint32_t before = none;     // the transition of the same process before it
  std::uint32_t own_flush = none;  // a load: the flush of its own thread's store that it has read
  std::uint64_t iteration = 0;     // hash of the loop iteration its thread is in and of what that has read so far; 0: none known
  EventKind kind = TREADLE_EV_NONE;
};

/// The transition `first` could have been overtaken by `action`, which stood, or would have stood, behind the first `at` transitions.
/// first == at: `action` is another thing that the same thread could have done there (waken another waiter, time out).
struct Race {
  std::uint32_t first = 0;
  std::uint32_t at = 0;
  Action action;  // as it will be once it comes first
  /// `first` has cancelled its thread or sent it a signal: without that it does something else, of which nothing is known.
  bool undisturbed = false;
  /// A writer overtakes `first` and these other readers together: as long as one of them has come and not left, it would have to wait.
  std::vector<std::uint32_t> also{};
  /// `action` belongs to an iteration that is left out: by slot, how many transitions the iteration comes after. What its earlier loads
  /// have read shows nowhere else. Empty otherwise.
  std::vector<std::uint32_t> past{};
  /// Likewise: the earlier steps of that iteration, which `action` cannot come without. Each stood behind the first `at` transitions.
  struct Step {
    std::uint32_t at;
    Action action;
  };
  std::vector<Step> leading{};
};

/// Which iterations of which loops are known to lead nowhere: hashes of where they start and what they read. Grows over a whole search.
using FruitlessIterations = std::unordered_set<std::uint64_t>;

class PartialOrder {
 public:
  PartialOrder(Races races, MemoryModel model, FruitlessIterations& fruitless) : races_mode_(races), model_(model), fruitless_(fruitless) {}

  /// An execution that followed the first `prefix` decisions and then ran on. Its first `common` transitions are those of the execution
  /// taken in before (0 is always right); races are wanted whose second part stands at position `from` or later. Returns how many of the
  /// transitions known before were kept.
  std::uint32_t take_in(const Trace& trace, std::uint32_t common, std::uint32_t from, std::uint32_t prefix);

  std::span<const Transition> transitions() const { return transitions_; }
  bool happens_before(std::uint32_t i, std::uint32_t j) const {  // i <= j; true for i == j
    return clock_of(j)[transitions_[i].slot] >= transitions_[i].count;
  }
  std::span<const Race> races() const { return races_; }

  /// Could not be where it is if the race were reversed.
  bool depends_on_overtaken(const Race& race, std::uint32_t k) const {
    return happens_before(race.first, k) ||
           std::ranges::any_of(race.also, [&](std::uint32_t other) { return other <= k && happens_before(other, k); });
  }

  /// The last decision of the prefix turned out to be a whole fruitless iteration: the execution is like one without it, and nothing after
  /// it was looked at.
  bool ends_in_vain() const { return in_vain_; }

  /// A thread stands still in a spin loop whose iteration, begun within the prefix, led nowhere: the others ran on without it. A livelock
  /// in which nothing of what it had read was written any more does not count: that is how it ends.
  bool stands_still() const { return stands_still_; }

  /// By slot: how many transitions of that process happened before i, i included.
  std::span<const std::uint32_t> clock(std::uint32_t i) const { return {clock_of(i), slots_.size()}; }

 private:
  /// Who touched an object, the newest first: `below` leads to the one before.
  struct Touch {
    Access access;
    std::uint32_t transition;
    std::uint32_t made_by;  // the transition with which it came into the list: the same, but for loads served by a store buffer
    std::uint32_t below;
    std::uint32_t write_below;  // the next one down that writes
    std::uint32_t head;         // in heads_
  };
  struct Forwarded {  // a load that was served by its own thread's store buffer
    std::uint32_t load;
    std::uint64_t store;  // event
  };
  struct Standing {  // still in a spin loop, since an iteration that began with this choice
    std::uint32_t slot, choice;
  };
  struct Waits {
    std::uint32_t transition;
    std::uint8_t thread;
    std::uint64_t before;
  };

  const std::uint32_t* clock_of(std::uint32_t i) const { return &clocks_[static_cast<std::size_t>(i) * stride_]; }
  std::uint32_t* clock_of(std::uint32_t i) { return &clocks_[static_cast<std::size_t>(i) * stride_]; }
  bool in_past(std::uint32_t i, const std::uint32_t* clock) const { return clock[transitions_[i].slot] >= transitions_[i].count; }
  void join(std::uint32_t* clock, std::uint32_t i) const;

  // partial_order.cpp
  void truncate(std::uint32_t size);
  void add_transition(const Trace& trace, std::uint32_t choice, std::uint32_t& event, bool find_races);
  void group_exclusive_section(const Trace& trace, Transition& t, std::uint32_t& event);
  void order(const Trace& trace, std::uint32_t i);
  void order_buffers(const Trace& trace, const Transition& t, std::uint32_t* clock);
  void touch(const Trace& trace, std::uint32_t i);
  std::uint64_t waits_for_stores_before(const Trace& trace, std::uint32_t store, std::uint64_t event) const;
  std::uint32_t slot_of(Process process);
  const std::uint32_t* past_of(std::uint32_t slot) const;
  std::vector<std::uint32_t> past_in_iteration(const Trace& trace, const Transition& t);

  // own_stores.cpp
  std::uint32_t serving_store(const Trace& trace, const Event& load, std::uint32_t from) const;
  void read_in_part(const Trace& trace, std::uint32_t i);

  // fruitless_iterations.cpp
  void leave_out_fruitless(const Trace& trace, std::uint32_t first_event, std::uint32_t prefix);
  bool went_on_without(const Standing& standing) const;
  void follow_loop(const Event& event);

  // touch_table.cpp
  std::uint32_t head_of(Space space, std::uint64_t name);
  void push_touch(const Access& access, std::uint32_t transition, std::uint32_t made_by);
  void pop_touches(std::uint32_t size);
  /// f(touch, whether it covers all of the access that the list at hand is about) until it returns false; newest first in each list.
  template <class F>
  void each_touch(const Access& access, F f) const;

  // look_back.cpp, and never_happened.cpp for what an execution left to be done
  struct Spun {  // a step of a fruitless iteration
    std::uint32_t event, slot;
    std::uint32_t at;   // behind so many transitions
    std::uint32_t nth;  // of its iteration, from 0
    Action action;
    std::size_t of_event;
    std::uint64_t iteration;
    std::vector<std::uint32_t> past;
  };
  struct Later {
    Event event;  // decides whether it can overtake
    const Action& action;
    std::size_t of_event;  // so many of its accesses are those of the event
    std::uint32_t at;
    const std::uint32_t* past;                 // what happened before its process got there
    std::uint64_t iteration;                   // as in Transition, before this operation
    const Spun* spun = nullptr;                // the step itself, when it is of an iteration that leads nowhere
    std::span<const std::uint32_t> made_by{};  // of a group: the event behind each access
  };
  const Event& event_of_access(const Trace& trace, const Later& later, std::size_t access) const;
  static std::uint32_t place_in_group(const Later& later, std::size_t access);
  void look_back(const Trace& trace, const Later& later);
  std::vector<Race::Step> steps_leading_to(const Spun& step) const;
  const Spun* first_look_of_last_iteration(const Trace& trace, ThreadId thread) const;
  void spun_until_the_end(const Trace& trace, ThreadId thread);
  void look_at_memory(const Trace& trace, const Spun& step, Event event);
  void look_back_from_the_end(const Trace& trace, const Later& later);
  struct Candidate {
    std::uint32_t transition;
    std::size_t access;  // which of the later one's leads there
    Overtake how;
    const Touch* touch;
    std::vector<std::uint32_t> also{};  // as in Race
  };
  Overtake rule(const Trace& trace, const Later& later, std::size_t access, const Touch& touch, bool passed_a_write) const;
  bool was_disturbed(const Later& later) const;
  bool was_disturbed_by_another(const Later& later) const;
  bool overtakes_all_of(const Candidate& candidate, const Candidate& other) const;
  bool is_adjacent(const Later& later, const Candidate& candidate) const;
  void add_race(const Trace& trace, const Later& later, const Candidate& candidate);
  void predict(const Trace& trace, const Later& later, const Candidate& candidate, Action& action) const;
  std::optional<std::uint64_t> value_before(const Trace& trace, const Touch& touch, const Event& reader) const;
  bool had_way_out(const Trace& trace, std::uint32_t i, ThreadId thread) const;
  bool overtake_readers(const Trace& trace, const Later& later, Candidate& candidate) const;  // readers.cpp
  void other_ways(const Trace& trace, std::uint32_t i);
  std::uint32_t before_the_end() const;
  bool reads_what_it_waits_for(const Trace& trace, const PendingOperation& pending) const;
  void never_happened(const Trace& trace);
  void overtaken_by_the_end(const Trace& trace);
  void foresee_flush(const Trace& trace, const Decision& flush, Action& action) const;
  void touches_of_signal(const Trace& trace, std::uint64_t condition, std::uint32_t first, Action& action) const;

  std::vector<Candidate> candidates_, passed_over_;  // scratch of look_back()
  std::vector<std::uint32_t> made_by_;               // scratch of add_transition(): as in Later
  Races races_mode_;
  MemoryModel model_;
  FruitlessIterations& fruitless_;
  std::vector<Transition> transitions_;
  std::vector<std::uint32_t> clocks_;  // stride_ for each transition
  std::size_t stride_ = 16;
  std::vector<Process> slots_;
  std::vector<std::uint32_t> last_;  // by slot: the last transition
  std::vector<Touch> touches_;
  std::vector<std::uint32_t> heads_;                                  // of the lists of touches
  std::vector<std::pair<std::uint64_t, std::uint32_t>> table_{1024};  // key, index in heads_ + 1; open addressing
  std::vector<std::uint32_t> wide_;                                   // touches of ranges too large for lists by address
  std::vector<Forwarded> forwarded_;
  std::vector<std::uint32_t> disturbed_;   // transitions that cancel a thread or send it a signal
  std::vector<Waits> waits_;               // an undo log of the next
  std::vector<std::uint64_t> waiting_on_;  // by thread: the condition variable it waits for
  std::vector<std::uint64_t> loop_;        // by thread: hash of the iteration it is in
  std::vector<char> left_out_;             // by choice, from first_choice_ on
  std::vector<Race> races_;
  std::vector<Spun> spun_;
  std::vector<std::vector<std::uint32_t>> iteration_past_;  // by thread: see past_in_iteration
  std::uint32_t first_choice_ = 0;
  std::uint32_t in_vain_at_ = none;  // the choice
  bool in_vain_ = false;
  bool stands_still_ = false;
  std::vector<Standing> standing_;
  std::uint32_t clean_ = none;  // transitions before anything was left out: only they stand where an execution without it has them
};

/// What an iteration knows after it has read `value` at `address`.
std::uint64_t iteration_after(std::uint64_t iteration, std::uint64_t address, std::uint64_t value);

}  // namespace treadle
