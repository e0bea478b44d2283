// SPDX-License-Identifier: Apache-2.0
// The program as far as executions have shown it: per thread, what it does next after everything it has seen so far.
//
// A thread is determined by what its operations returned to it: the values it read, whether a try-lock succeeded, how a wait ended. So its
// past, told in these outcomes, is a path in a tree, and a place in the tree knows what the thread does next. From the trees of all threads
// an execution can be acted out without being run (rehearsal.h), as long as it stays on known ground.
//
// An iteration of a spin loop that led nowhere leads back to where it began: the tree has loops there.
//
// Where the rules do not say what an operation returns, or whether it can be made (signals, cancellation, the clock, …), that
// is known for the circumstances it was seen in: which operations on the same things came before (rehearsal_circumstances.cpp).
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "trace/locks.h"
#include "trace/trace.h"

namespace treadle {

/// Where a thread stands: after a certain past.
struct Place {
  struct Branch {
    std::uint64_t outcome;  // of `next`, as the thread sees it: see outcome_of()
    Event event;            // as it was recorded; fields that depend on others' doings are made up anew each time
    Place* after;
  };
  struct Circumstances {
    std::uint64_t key;
    bool knows_moves = false;
    std::vector<Decision> moves{};              // of the thread, flushes apart
    std::optional<PendingOperation> pending{};  // as it was told when an execution ended
  };
  struct Disturbance {
    std::uint64_t by;  // the place behind it
    Place* after;
  };
  /// What the thread does next ends the execution by itself, or the heap does not let it happen.
  struct Refusal {
    bool announced = false;  // it would have been a visible operation
    bool by_heap = false;    // depends on whether `address` has been freed
    std::uint64_t address = 0;
    std::unique_ptr<HowItEnded> when_freed{}, otherwise{};
  };
  // What every step looks at comes first.
  Event next{};  // kind, address, size, order and pc are right; the rest is one possibility
  bool knows_next = false;
  bool opaque = false;        // what the thread does here is not determined by its past: never acted out
  bool ruleless = false;      // what `next` needs and returns is known by the circumstances only
  bool announced = false;     // `next` waits for a decision of its own
  bool never_waits = false;   // `next` needs nothing but its turn
  bool from_the_end = false;  // `next` was never made, only pending when an execution ended: its memory order is not known
  bool may_time_out = false, knows_time_out = false;
  bool by_provenance = false;  // a range of which not every byte is known: see Memory::provenance()
  bool by_itself = false;      // a read of the thread's own stack where code without hooks, called by the thread, has put something
  std::uint32_t number = 0;    // in the order in which places were learned: a thread's earlier ones come first
  std::uint64_t key = 0;       // of all that the thread has seen: the same in every session
  std::vector<Branch> branches;
  std::unique_ptr<HowItEnded> ending;                     // the execution ends here, by this thread
  std::unique_ptr<Refusal> refusal;                       // likewise, by what it would do next
  std::unique_ptr<HowItEnded> lost_store;                 // likewise, when the store made here reaches memory that was freed meanwhile
  bool disturbed = false;                                 // somebody has cancelled the thread or sent it a signal
  std::vector<Circumstances> seen_in;                     // of a ruleless one
  std::vector<Disturbance> disturbances;                  // by others, while the thread stood here
  const Place* before = nullptr;                          // the one that it was learned behind
  Place* child = nullptr;                                 // where the thread begins that was created by the event leading here
  std::unordered_map<std::uint64_t, std::uint8_t> fresh;  // bytes of a block, or of a range written at once, that were found by reading

  /// Locks with a time limit have one; a wait for a condition may or may not.
  bool times_out() const { return knows_time_out ? may_time_out : has_time_limit(static_cast<EventKind>(next.kind)); }

  Circumstances& in(std::uint64_t key) {
    for (Circumstances& c : seen_in)
      if (c.key == key) return c;
    return seen_in.emplace_back(Circumstances{key});
  }
  const Circumstances* find_in(std::uint64_t key) const {
    for (const Circumstances& c : seen_in)
      if (c.key == key) return &c;
    return nullptr;
  }

  const Branch* branch(std::uint64_t outcome) const {
    for (const Branch& b : branches)
      if (b.outcome == outcome) return &b;
    return nullptr;
  }
};

/// Of the place behind one with the key `before`, where the thread has seen `outcome`, or where it begins, if its parent is there.
std::uint64_t key_behind(std::uint64_t before, std::uint64_t outcome);
std::uint64_t key_of_child(std::uint64_t parent);
std::uint64_t key_of_disturbed(std::uint64_t before, std::uint64_t by);

/// What the thread has seen where the rules do not tell: that it was in these circumstances, and which way it went.
std::uint64_t outcome_in(std::uint64_t circumstances, const Decision& decision);

/// The same, and it was misuse.
std::uint64_t outcome_with(std::uint64_t outcome, std::uint64_t misuse);

/// What the thread learns from the event.
std::uint64_t outcome_of(const Event& event);

/// Does the operation need nothing but its turn, and an empty store buffer at most?
bool never_waits(EventKind kind);

/// The end of a wait for a condition variable or at a futex.
bool is_woken(unsigned kind);
bool is_at_futex(unsigned kind);

/// Cancels a thread or sends it a signal.
bool disturbs(const Event& event);

/// Do the rules say what it needs and returns?
bool is_modelled(const Event& event);

/// If not: do its circumstances? Not if it leaves behind what the rules then do not know.
bool depends_on_circumstances(const Event& event);

class LearnedProgram {
 public:
  LearnedProgram() : root_(&new_place(0)) {}

  Place& main_thread() { return *root_; }
  Place& new_place(std::uint64_t key);
  const std::deque<Place>& places() const { return places_; }

  std::vector<ThreadName> threads;
  bool has_ruleless = false;  // places of which the rules do not tell everything
  std::vector<std::string> texts;

 private:
  std::deque<Place> places_;
  Place* root_;
};

}  // namespace treadle
