// SPDX-License-Identifier: Apache-2.0
// Synchronisation objects by address. Their state lives here, not in the program's memory: a program may scribble over its mutex, and a
// snapshot must not care. The bytes in the program are only looked at to tell a static initialiser from garbage, and written only by init
// and destroy, which leave exactly what glibc's own would leave (a destroyed object is thereby told from a new one that a static
// initialiser put at its place).
#pragma once

#include <pthread.h>

#include "runtime/clocks.h"
#include "runtime/scheduler.h"

namespace treadle {

enum class ObjectKind : std::uint8_t { Mutex, RwLock, Condition, Barrier, Semaphore, Spinlock, Once, Futex };

struct Object {
  std::uint64_t address;
  ObjectKind kind;
  bool by_init;  // an init function made it, so somebody has to destroy it
  bool destroyed;
  bool reported;  // already said that it was never initialised
  std::uint64_t init_pc;
  Object* next_in_bucket;
  Object* next;  // in order of creation
  Object* previous;
};

enum class RobustState : std::uint8_t { Consistent, OwnerDied, TakenOver, NotRecoverable };

struct Mutex : Object {
  static constexpr ObjectKind kKind = ObjectKind::Mutex;
  std::uint32_t owner;  // thread + 1, or 0
  std::uint32_t depth;
  int type;  // PTHREAD_MUTEX_*
  bool robust;
  RobustState robust_state;
  Clock* clock;
};

struct RwLock : Object {
  static constexpr ObjectKind kKind = ObjectKind::RwLock;
  std::uint32_t writer;  // thread + 1, or 0; a loop around try functions watches this and the next
  std::uint32_t readers;
  std::uint8_t read_by[TREADLE_MAX_THREADS];  // how many times
  Clock* written;                             // what writers left behind: everybody acquires it
  Clock* read;                                // what readers left behind: the next writer acquires it
};

struct Queue;

/// A thread on a queue. Each thread has one, since it waits for one thing at a time.
struct Waiter {
  Waiter* next;
  std::uint8_t thread;
  bool queued;
  std::uint32_t bits;      // futex: which wakes concern it
  Queue* queue;            // futex: where it stands, which a requeue changes
  std::uint64_t woken_by;  // futex: 1 + number of the event that woke it, 0: none has
};

struct Queue {
  Waiter* first;
  void push(Waiter& waiter) noexcept;
  void remove(Waiter& waiter) noexcept;  // fine when it is not there
  unsigned count() const noexcept;
};

struct Condition : Object {
  static constexpr ObjectKind kKind = ObjectKind::Condition;
  clockid_t clock_id;
  Queue waiters;
  std::uint64_t mutex;  // of those who wait now
};

struct BarrierRound {
  std::uint32_t arrived;
  bool complete;
  std::uint64_t number;
  Clock* clock;
};

struct Barrier : Object {
  static constexpr ObjectKind kKind = ObjectKind::Barrier;
  std::uint32_t parties;
  BarrierRound* round;
};

struct Semaphore : Object {
  static constexpr ObjectKind kKind = ObjectKind::Semaphore;
  std::uint32_t value;
  std::uint32_t waiting;
  Clock* clock;
};

struct Spinlock : Object {
  static constexpr ObjectKind kKind = ObjectKind::Spinlock;
  std::uint32_t owner;  // thread + 1, or 0
  Clock* clock;
};

struct Once : Object {
  static constexpr ObjectKind kKind = ObjectKind::Once;
  std::uint32_t runner;  // thread + 1 while the initialiser runs
  bool done;
  Clock* clock;
};

struct Futex : Object {
  static constexpr ObjectKind kKind = ObjectKind::Futex;
  Queue waiters;
};

struct KeyBlock;
struct NamedSemaphore;

struct SyncState {
  Object** buckets;
  std::uint32_t bucket_count;  // a power of two
  std::uint32_t count;
  std::uint32_t in_heap;  // how many of them lie in heap blocks: most frees concern none
  Object* first;
  Object* last;
  KeyBlock* keys[32];
  NamedSemaphore* named;
  struct ThreadSync* threads[TREADLE_MAX_THREADS];
};

/// The running thread; the main thread before main.
inline Thread& self() noexcept { return world().current != nullptr ? *world().current : world().threads[0]; }

inline std::uint64_t address_of(const volatile void* object) noexcept { return reinterpret_cast<std::uint64_t>(object); }

Object* find_object(ObjectKind kind, std::uint64_t address) noexcept;
void add_object(Object& object) noexcept;
void forget_object(Object& object) noexcept;

template <class T>
T* find(const volatile void* address) noexcept {
  return static_cast<T*>(find_object(T::kKind, address_of(address)));
}

/// Ends the execution when the object stands in a heap block that was freed.
void expect_memory(std::uint64_t address, std::uint64_t pc) noexcept;

/// A new object at this address, in place of what was known there.
template <class T>
T& make(const volatile void* address, std::uint64_t pc) noexcept {
  expect_memory(address_of(address), pc);
  if (T* old = find<T>(address)) forget_object(*old);
  T& object = *arena_new<T>();
  object.address = address_of(address);
  object.kind = T::kKind;
  object.init_pc = pc;
  add_object(object);
  return object;
}

/// The program's object to which a word of our own state belongs, or 0: addresses in the arena mean nothing to the user and differ between
/// runs.
std::uint64_t object_behind(const void* state_word) noexcept;

/// A heap block is freed: what stood in it is gone, whatever its state.
void sync_forget_range(std::uint64_t address, std::uint64_t bytes) noexcept;

/// exit.cpp: the process is about to end; threads that still run are a misuse.
void threads_at_exit(std::uint64_t pc) noexcept;

/// specific.cpp: destructors of the running thread's thread_local objects; exit() runs them for the thread that calls it.
void run_thread_local_destructors() noexcept;

/// An object is used for which no valid initialisation is known: says so, once.
void report_uninitialised(Object& object, TreadleMisuse what, std::uint64_t pc) noexcept;

/// step(), which works before main too: there nobody could end a wait.
Grant await(const Pending& what) noexcept;
/// For an operation that is always enabled. Between announcing and making it, somebody may have destroyed the object.
void await(TreadleEventKind kind, Object& object, std::uint64_t pc, bool (*would_fail)(const Thread&) = nullptr) noexcept;
void expect_alive(const Object& object, std::uint64_t pc) noexcept;

/// A point in time that ends a wait; null `at`: none.
struct Deadline {
  clockid_t clock = CLOCK_REALTIME;
  const timespec* at = nullptr;
  timespec as_seen() const noexcept;  // by the running thread, whose stores to it may still be under way
  bool valid() const noexcept;
  void put_into(Pending& what) const noexcept;
};

/// The wait timed out: virtual time has reached the deadline.
void let_time_pass(const Pending& what) noexcept;

/// Whether it is an error to leave objects undestroyed, threads unjoined, or main while threads run: not in tasks of verifiers, which do so
/// as a matter of course. The pass knows them by the names that they use.
bool leftovers_matter() noexcept;

}  // namespace treadle
