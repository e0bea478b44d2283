// SPDX-License-Identifier: Apache-2.0
// The runtime's state, at two fixed places so that every hook reaches it with one constant address.
//
// World    one execution: everything here is copied by snapshots and taken back by a reset.
// Process  what outlives executions: the shared block, the saved images, clocks that only grow.
//
// Ground rules for this folder (the code lives in someone else's process): no exceptions, no RTTI, no libc calls on hook paths, no
// allocation but from the arena, never switch threads inside libc, never instrumented.
#pragma once

#include <cstddef>
#include <cstdint>

#include "abi/shared_block.h"

namespace treadle {

struct Thread;
struct Clock;       // clocks.h      a vector clock
struct RaceState;   // race.h        shadow memory's side tables, per-thread clocks
struct HeapState;   // heap.h
struct SyncState;   // objects.h     mutexes, condition variables, … by address
struct TimeState;   // time.h        virtual clock, seeded random numbers
struct IoState;     // io.h          descriptors opened by the run
struct SpinState;   // spin.h

/// How a granted step may be taken.
struct Grant {
  TreadleDecisionKind kind;
  std::uint16_t argument;
};

/// What a thread will do next, once it is chosen.
struct Pending {
  std::uint8_t kind = TREADLE_EV_NONE;
  bool timed = false;          // TIMEOUT is an alternative while it is not enabled
  bool may_wake_spuriously = false;  // SPURIOUS is one too, when the job allows it
  std::uint64_t pc = 0;
  std::uint64_t address = 0;   // as it will be recorded
  std::uint64_t extra = 0;     // told to the user when it never happens: owner of the lock + 1, thread joined + 1
  std::uint64_t deadline = 0;  // virtual nanoseconds, when timed
  void* object = nullptr;      // for the two functions below
  bool (*enabled)(const Thread&) = nullptr;  // null: always
  /// Alternatives of kind WAKE: fills `out` with the threads it may wake and returns how many; 0 means a plain STEP.
  unsigned (*wakes)(const Thread&, std::uint16_t* out, unsigned capacity) = nullptr;
};

enum class ThreadState : std::uint8_t { Unused, Live, Finished };

/// A saved machine context: everything else lives on the stack it points to.
struct Context {
  void* stack_pointer = nullptr;
};

struct Thread {
  std::uint8_t id = 0;
  ThreadState state = ThreadState::Unused;
  bool detached = false;
  bool joined = false;
  std::uint8_t parent = 0;
  std::uint16_t children = 0;     // created so far: gives each child its ordinal
  std::uint32_t steps = 0;        // decisions taken by this thread
  std::uint32_t locks_held = 0;
  std::uint64_t stack_bytes = 0;  // usable size of its stack
  Pending pending;
  Context context;
  std::uint64_t fs_base = 0;      // glibc's thread control block of the pthread that lends its TLS
  std::uint32_t token = 0;        // kernel carrier: futex, 1 = may run

  // pthread_create's arguments and result
  void* (*start)(void*) = nullptr;
  int (*start_c11)(void*) = nullptr;
  void* start_argument = nullptr;
  void* result = nullptr;

  Clock* clock = nullptr;          // race.cpp: happens-before of this thread
  struct ThreadSync* sync = nullptr;  // objects.h: thread-specific data, cleanup handlers, cancellation, TLS destructors
  struct ThreadSpin* spin = nullptr;  // spin.h: what the current loop iteration has read
};

struct World {
  const TreadleJob* job;
  TreadleResult* result;
  Thread* current;                // who runs now; never null while an execution is active
  std::uint32_t thread_count;     // threads ever created, = ids in use may have gaps
  std::uint32_t live_threads;     // started or startable, not finished
  std::uint32_t step;             // decisions taken so far
  std::uint32_t preemptions;
  std::uint32_t verifier_atomic;  // depth of __VERIFIER_atomic_begin; while > 0 only `current` runs
  bool exiting;                   // exit() runs its handlers
  bool record_plain;
  bool plain_is_visible;          // --races=explore
  bool check_races;
  std::uint64_t events;           // recorded so far in this execution
  std::uint64_t plain_hash;
  std::uint64_t random_state;     // policy's
  std::uint64_t arena_used;
  std::uint64_t text_used;
  RaceState* race;
  HeapState* heap;
  SyncState* sync;
  TimeState* time;
  IoState* io;
  struct PolicyState* policy;
  Context controller;             // whom to return to when the execution ends
  std::uint64_t controller_fs;
  Thread threads[256];
};

struct Process {
  TreadleSharedBlock* shared;
  std::uint32_t carrier;          // TREADLE_CARRIER_*
  std::uint32_t prepared_threads;
  std::uint64_t clock_base;       // race.cpp: epochs of earlier executions are all <= this
  std::uint64_t execution;        // how many were started
  bool in_execution;
  bool has_fsgsbase;
  int argc;
  char** argv;
  char** envp;
  int (*main)(int, char**, char**);
};

inline World& world() noexcept { return *reinterpret_cast<World*>(TREADLE_AT_ARENA); }
inline Process& process() noexcept { return *reinterpret_cast<Process*>(TREADLE_AT_ARENA - 0x1000000ull); }

/// native    no host: every interposed function and hook does the ordinary thing, with real threads
/// prelude   under a host, before main: single-threaded, nothing is scheduled or recorded, our heap is in use
/// active    program code runs under a Schedule
enum class Mode : std::uint8_t { Native, Prelude, Active };
extern Mode g_mode;
inline bool active() noexcept { return __builtin_expect(g_mode == Mode::Active, 1); }
inline bool native() noexcept { return __builtin_expect(g_mode == Mode::Native, 0); }

/// Zeroed memory that lives until the execution ends.
void* arena_allocate(std::size_t bytes) noexcept;
template <class T>
T* arena_new(std::size_t count = 1) noexcept {
  return static_cast<T*>(arena_allocate(sizeof(T) * count));
}

#define TREADLE_PC() reinterpret_cast<std::uint64_t>(__builtin_return_address(0))

}  // namespace treadle
