// SPDX-License-Identifier: Apache-2.0
// An execution as partial order reduction sees it: a sequence of transitions, each made by a process and touching some objects. Two
// transitions that touch no common object, or only read it, can change places without anybody noticing.
//
// A process is what may move independently: a thread, or (TSO, PSO) one store buffer of a thread. A transition is usually one decision; the
// decisions inside __VERIFIER_atomic_* make one transition together, since nobody else can move in between.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace treadle {

/// Thread t moves: t. Its store buffer b is flushed: t | (b + 1) << 8. The same in all executions of a search.
enum class Process : std::uint32_t {};
inline Process process_of(const Decision& d) {
  const std::uint32_t thread = static_cast<std::uint8_t>(d.thread);
  return Process{d.kind == DecisionKind::Flush ? thread | (d.argument + 1u) << 8 : thread};
}
inline ThreadId thread_of(Process p) { return ThreadId{static_cast<std::uint8_t>(static_cast<std::uint32_t>(p) & 0xff)}; }
inline bool is_flush(Process p) { return static_cast<std::uint32_t>(p) > 0xff; }

/// What kinds of things an address can name: a byte of memory and the mutex that stands there are different objects.
enum class Space : std::uint8_t {
  Memory,
  Mutex,
  RwLock,
  Condition,
  Waiter,
  Barrier,
  Semaphore,
  Once,
  Futex,
  Thread,
  Descriptors,
  Signals,  // of the process: what is pending, and who would get one
  Time,
  Spinlock,
  Exclusive
};

struct Access {
  std::uint64_t address = 0;
  std::uint32_t bytes = 1;  // Memory only: a range; all others are single objects
  Space space = Space::Memory;
  bool writes = false;
  bool operator==(const Access&) const = default;
};

/// What goes into a store buffer, or is served by it, touches no memory; but it cannot be done any more once the block has been freed. That
/// a block is there is an object besides its bytes, which freeing it writes.
constexpr std::uint64_t as_a_block = std::uint64_t{1} << 63;
inline Access being_there(Access access) {
  access.address |= as_a_block;
  return access;
}

inline bool share_object(const Access& a, const Access& b) {
  if (a.space != b.space) return false;
  if (a.space != Space::Memory) return a.address == b.address;
  return a.address < b.address ? b.address - a.address < a.bytes : a.address - b.address < b.bytes;
}

/// A common object, and at least one of them writes it.
inline bool conflict(const Access& a, const Access& b) { return (a.writes || b.writes) && share_object(a, b); }

/// Two accesses suffice for almost every single operation; mostly what __VERIFIER_atomic_* and exclusive sections group together has more.
class Accesses {
 public:
  void add(const Access& access) {
    if (few_ < few_most)
      first_[few_++] = access;
    else
      more_.push_back(access);
  }
  std::size_t size() const { return few_ + more_.size(); }
  const Access& operator[](std::size_t i) const { return i < few_ ? first_[i] : more_[i - few_]; }
  Access& operator[](std::size_t i) { return i < few_ ? first_[i] : more_[i - few_]; }
  bool operator==(const Accesses&) const = default;

 private:
  static constexpr std::uint32_t few_most = 2;
  std::uint32_t few_ = 0;
  std::array<Access, few_most> first_{};
  std::vector<Access> more_;
};

constexpr std::uint16_t nobody = 0xffff;

/// What a transition does, apart from where it stands: enough to tell whether two of them commute.
struct Action {
  Process process{};
  Decision decision;                // the first one; Any when it is not known which way the thread will move there
  std::uint16_t disturbs = nobody;  // cancels or signals this thread: commutes with nothing that the thread does
  bool ends = false;                // ends the execution (exit): commutes with nothing
  bool fails = false;               // ends it with a failure, which the others need not have waited for: see dependent()
  bool attempt = false;             // it may turn out that this cannot be done there, or leads nowhere
  bool foreseen = false;            // nobody has done it there, and it may turn out to fail
  Accesses accesses;
  std::uint32_t store = 0;               // a flush: how-manieth step of its thread the store was; a load that is served: likewise
  Access served{.bytes = 0};             // a load that its own thread's store buffer served: this is what it would read from memory
  std::vector<Decision> more_decisions;  // of a group
  bool operator==(const Action&) const = default;
};

/// Of what goes through a store buffer to that memory.
void add_being_there(Access access, Accesses& out);

/// What `waiting`, not done yet, will be after `done`: a load that the own store buffer would have served reads memory once the store is
/// flushed.
void pass_by(Action& waiting, const Action& done);

/// The inverse: the store that the load has read from memory will still be in the buffer.
void serve_from_buffer(Action& load, const Action& flush);

/// A failure cuts off what the others were about to do, so an execution that fails does not stand for those that only differ in the order
/// of independent steps: it counts as dependent on everything. But where the others stood when it happened makes no difference worth an
/// execution, so it is in no race because of that (PartialOrder): the others are run first, once, and the failure comes last.
inline bool dependent(const Action& a, const Action& b) {
  if (a.process == b.process || a.ends || b.ends || a.fails || b.fails) return true;
  const ThreadId thread_a = thread_of(a.process), thread_b = thread_of(b.process);
  // A thread and its own store buffers: what order there is between them comes from the stores, not from what they touch.
  if (thread_a == thread_b) return false;
  if (a.disturbs == index_of(thread_b) || b.disturbs == index_of(thread_a)) return true;
  if (a.disturbs != nobody && a.disturbs == b.disturbs) return true;
  for (std::size_t i = 0; i < a.accesses.size(); ++i)
    for (std::size_t j = 0; j < b.accesses.size(); ++j)
      if (conflict(a.accesses[i], b.accesses[j])) return true;
  return false;
}

}  // namespace treadle
