// SPDX-License-Identifier: Apache-2.0
// Acting out an execution on what is known of the program (learned_program.h), without running it: the same decisions, the same rules for
// who can move, the same events as the runtime would record. It breaks off where the program would do something that has not been seen.
//
// Learning is the same play with the prompter's book open: a real trace is followed event by event, and what was not known is added.
#pragma once

#include <array>
#include <memory>
#include <span>

#include "explore/stage.h"

namespace treadle {

/// The trace without the events that tell of trouble: those a rehearsal cannot foresee.
Trace without_troubles(const Trace& trace);

class Rehearsal {
 public:
  Rehearsal(LearnedProgram& program, const Schedule& base);

  /// Acts out `prefix`, then the policy Continue. True: all of it is known, and trace() is what the runtime would have recorded. False: it
  /// came to something unknown.
  bool act(std::span<const Decision> prefix);

  /// Takes in what a run has shown.
  void learn(const Trace& trace);

  /// Could the run last learned from be followed to its end? If not, its keys mean nothing.
  bool followed() const { return !lost_; }

  /// Can it be acted out, too, in whatever order its independent steps are made?
  bool could_act_it_out() const { return !lost_ && !strange_; }

  /// Was there anything in it that the rules do not know?
  bool went_beyond_the_rules() const { return beyond_rules_; }

  const Trace& trace() const { return trace_; }

  /// Step by step. An iteration of a spin loop that led nowhere stands still for good: without it, the same would have happened.
  bool start();
  bool step(const Decision& decision);
  bool over() const { return over_; }
  bool find_moves() { return step_ < max_steps_ && collect(); }  // false, as above: they are not known
  std::span<const Decision> moves() const { return alternatives_; }
  void end_here() { nobody_can_go_on(); }

  /// Some thread stands still although what it waited for has happened.
  bool waits_in_vain() const;

  /// Equal: the same can happen from here on, and lead to the same values (and, with writers, to the same reads-from).
  std::uint64_t state_key(bool with_writers) const;

  MemoryModel model() const { return model_; }
  unsigned threads() const { return highest_ + 1; }
  unsigned live() const { return live_; }
  bool lives(unsigned id) const { return id <= highest_ && actors_[id].live; }
  const Place& place_of(unsigned id) const { return *actors_[id].at; }
  /// Where each thread has come to, by number; null: there is no such thread.
  std::vector<const Place*> places() const;
  /// Of the prefix last acted out: where it led them, or as far as it was known.
  std::vector<const Place*> places_behind_prefix() const { return knows_prefix_ ? behind_prefix_ : places(); }
  /// Whatever the thread may still do, flushes included, comes behind it.
  const Place& earliest_of(unsigned id) const;
  /// Whatever the thread may still do, but for its stores under way, comes behind it.
  const Place& goes_on_from(unsigned id) const;
  std::span<const StoreUnderWay> under_way(unsigned id) const { return actors_[id].buffer.stores; }
  const StoreUnderWay& next_to_flush(unsigned id, std::uint16_t number) const;
  bool waits_for_own_stores(unsigned id) const;
  bool in_exclusive_section() const { return exclusive_ > 0; }

  /// Where the play is, to go on from there once more; its trace is not kept.
  struct Moment;
  void save(Moment& moment) const;
  void restore(const Moment& moment);

  /// Of the execution last acted out or learned from: what all threads have seen, and (reads_from_key) also whose writes they have read.
  /// Equal keys: equal values for equal reads.
  std::uint64_t values_key() const;
  std::uint64_t reads_from_key() const;

  /// How often a run did something else than what would have been acted out; only a bug of ours, or a program that is not determined by
  /// its schedule, makes it so.
  std::uint64_t surprises() const { return surprises_; }

 private:
  struct Watch {  // read in vain by an iteration of a spin loop
    EventKind kind;
    std::uint64_t address;
    std::uint8_t size;
    std::uint64_t value;
    bool operator==(const Watch&) const = default;
  };
  struct Actor {
    bool exists = false, live = false;
    Place* at = nullptr;
    Place* from = nullptr;  // where it was before its last event
    Buffer buffer;
    std::uint64_t waits_on = 0;    // condition variable or futex
    std::uint64_t waits_with = 0;  // mutex
    std::uint64_t woken_by = 0;    // 1 + event; 0: by none
    std::uint64_t round = 0;       // of the barrier it stands at
    std::uint64_t writes = 0, rf = 0;
    std::uint64_t result = 0;     // of a thread that has ended
    History life;                 // ended, detached, joined
    bool spoken_for = false;      // detached or joined
    std::uint64_t time_then = 0;  // what had been done to the time when it came to where it stands
    // the spin loop it may be in
    Place* iteration = nullptr;
    std::uint64_t rf_before = 0, writes_before = 0;  // up to there: a fruitless iteration does not count
    std::uint32_t iteration_steps = 0, first_at = 0;
    bool stands_still = false, ruleless_in_iteration = false;
    std::vector<Watch> watched;
  };

  // rehearsal.cpp: the play
  void begin();
  bool take(const Decision& decision);
  bool go_on(Actor& actor, unsigned id);
  bool act_out(std::span<const Decision> prefix);
  bool must_move(const Decision& decision);
  bool collect();
  bool add_moves(unsigned id);
  const Decision& choose() const;
  bool make_event(Actor& actor, unsigned id, const Decision& decision);
  enum class Short { Done, Unknown, TakeTheLongWay };
  Short access_memory(Actor& actor, unsigned id);
  void record(Event event, unsigned id);
  void arrive(Actor& actor);
  void end(Ending ending, ThreadId thread, std::uint64_t detail);
  void end_as(const HowItEnded& how);
  void describe_pending();
  void nobody_can_go_on();
  bool spins(const Actor& actor) const;

  // rehearsal_rules.cpp: what operations need and return
  enum class Can { Move, Wait, Unknown };
  Can can_move(const Actor& actor, unsigned id);
  bool awaits_own_buffer(const Actor& actor, bool& unknown) const;
  std::optional<std::uint64_t> outcome(Actor& actor, unsigned id, const Event& next, const Decision& decision);
  bool fill_in(Actor& actor, Event& event, const Decision& decision);
  std::optional<std::uint64_t> outcome_by_rules(Actor& actor, unsigned id, const Event& next, const Decision& decision);
  std::uint64_t misuse_by(const Event& event) const;
  bool would_only_read(const Actor& actor);
  std::uint64_t woken_at_futex(const Event& wake, const Decision& decision);

  // rehearsal_circumstances.cpp: where the rules do not say
  std::optional<std::uint64_t> circumstances(const Actor& actor, unsigned id, const Event& next) const;
  const Place::Circumstances* present_circumstances(const Actor& actor, unsigned id) const;
  void note_history(Actor& actor, unsigned id, const Event& event, const Decision& decision);
  bool is_joined_by_another(unsigned id, std::uint64_t target) const;
  void disturb(Actor& actor, std::uint64_t by);
  void learn_ruleless(Place& place, const Event& event, bool rules_are_silent);
  void learn_moves(const Trace& trace, std::uint32_t choice);
  const HowItEnded* refused(const Place& place) const;
  bool learn_lost_store(Actor& actor, std::uint16_t number, const HowItEnded& end);
  void learn_refusal(Place& place, const HowItEnded& end, bool announced);

  // rehearsal_effects.cpp: what they do
  void apply(Actor& actor, unsigned id, const Event& event, const Decision& decision);
  void wake_at_futex(const Event& event, const Decision& decision);
  void release_mutex(std::uint64_t address);

  // rehearsal_memory.cpp
  std::optional<std::uint64_t> see(const Actor& actor, std::uint64_t address, unsigned size, Writer& from, bool& own) const;
  std::optional<std::uint64_t> hash_range(std::uint64_t address, std::uint64_t bytes) const;
  void store(Actor& actor, unsigned id, const Event& event);
  bool may_flush(const Buffer& buffer, std::size_t position) const;
  bool flush(unsigned id, std::uint16_t number);
  bool touches_freed(const Event& event) const;
  void watch(Actor& actor, const Event& event, std::uint64_t value);
  const Watch* changed(const Actor& actor) const;
  std::uint64_t watched_value(const Actor& actor, const Watch& watch) const;

  // rehearsal_learning.cpp
  void follow(const Trace& trace);
  void distrust(Place& place);
  void lose(Actor& actor);
  void learn_event(const Trace& trace, unsigned id, Event event, const Decision& decision, bool announced);
  std::uint64_t learn_outcome(Actor& actor, unsigned id, Event& event, const Decision& decision);
  void learn_memory(const Actor& actor, const Event& event);
  void learn_time_outs(const Trace& trace, std::uint32_t choice);
  void learn_end(const Trace& trace);

  LearnedProgram& program_;
  MemoryModel model_;
  Races races_;
  bool spurious_;
  std::uint32_t max_steps_;

  Trace trace_;
  std::array<Actor, 256> actors_;
  unsigned highest_ = 0, live_ = 0, current_ = 0;
  std::uint32_t step_ = 0, prefix_ = 0;
  std::vector<Decision> alternatives_;
  bool over_ = false, learning_ = false, lost_ = false;
  bool strange_ = false;  // what was learned from does something that is never acted out
  bool beyond_rules_ = false;
  bool unsure_ = false;             // how it ends is known but for what others would have done next
  bool ended_in_its_step_ = false;  // learned from: without having made the operation it was to make
  bool lists_all_ = false;          // alternatives of every decision
  bool knows_prefix_ = false;       // all of it was acted out
  std::vector<const Place*> behind_prefix_;
  bool waits_ = false;              // the program waits for condition variables: see must_move()
  unsigned exclusive_ = 0, exclusive_owner_ = 0;

  Memory memory_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> freed_;
  std::vector<std::uint64_t> destroyed_;                // synchronisation objects
  std::unordered_map<std::uint64_t, LockState> locks_;  // mutexes, readers-writer locks, spin locks, onces: by address
  std::unordered_map<std::uint64_t, std::vector<std::uint8_t>> waiters_;
  std::unordered_map<std::uint64_t, std::uint64_t> semaphores_;
  std::unordered_map<std::uint64_t, BarrierState> barriers_;
  History time_, signals_;
  std::uint64_t surprises_ = 0;
};

struct Rehearsal::Moment {
  std::vector<Actor> actors;
  unsigned live = 0, current = 0, exclusive = 0, exclusive_owner = 0;
  std::uint32_t step = 0;
  Memory::Moment memory;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> freed;
  std::vector<std::uint64_t> destroyed;
  std::unordered_map<std::uint64_t, LockState> locks;
  std::unordered_map<std::uint64_t, std::vector<std::uint8_t>> waiters;
  std::unordered_map<std::uint64_t, std::uint64_t> semaphores;
  std::unordered_map<std::uint64_t, BarrierState> barriers;
  History time, signals;
};

}  // namespace treadle
