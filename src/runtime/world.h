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
#include "abi/short_way.h"

namespace treadle {

struct Thread;
struct Clock;          // clocks.h      a vector clock
struct RaceState;      // race.h        shadow memory's side tables, per-thread clocks
struct HeapState;      // heap.h
struct SyncState;      // objects.h     mutexes, condition variables, … by address
struct TimeState;      // time.h        virtual clock, seeded random numbers
struct IoState;        // io.h          descriptors opened by the run
struct SpinState;      // spin.h
struct ExitState;      // exit.h        exit handlers
struct SignalState;    // signals.h     handlers, masks, pending signals: all virtual
struct ApiState;       // api.h         inputs used so far
struct SymbolicState;  // symbolic.h  expressions, when they are recorded
struct Followed;       // follow.h      a thread's way in the recorded run
struct FdsAtStart;     // descriptors.h what was open when main was called
struct StoreBuffer;    // store_buffer.h

/// How a granted step may be taken.
struct Grant {
  TreadleDecisionKind kind;
  std::uint16_t argument;
};

/// TSO, PSO: what of its own store buffer an operation waits for (store_buffer.h).
enum class Awaits : std::uint8_t { EmptyBuffer, RoomInBuffer, Nothing };

/// What a thread will do next, once it is chosen.
struct Pending {
  std::uint8_t kind = TREADLE_EV_NONE;
  bool timed = false;                // TIMEOUT is an alternative while it is not enabled
  bool may_wake_spuriously = false;  // SPURIOUS is one too, when the job allows it
  std::uint8_t size = 0;             // bytes of a scalar access
  Awaits awaits = Awaits::EmptyBuffer;
  std::uint64_t pc = 0;
  std::uint64_t address = 0;                 // as it will be recorded
  std::uint64_t extra = 0;                   // told to the user when it never happens: owner of the lock + 1, thread joined + 1
  std::uint64_t deadline = 0;                // virtual nanoseconds, when timed
  void* object = nullptr;                    // for the two functions below
  bool (*enabled)(const Thread&) = nullptr;  // null: always
  /// Alternatives of kind WAKE: fills `out` with the threads it may wake and returns how many; 0 means a plain STEP.
  unsigned (*wakes)(const Thread&, std::uint16_t* out, unsigned capacity) = nullptr;
  /// Would it change nothing, done now (a compare-exchange or try-lock that fails)? Null: it always has its effect.
  bool (*would_fail)(const Thread&) = nullptr;
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
  std::uint16_t children = 0;      // created so far: gives each child its ordinal
  std::uint64_t name = 0;          // hash of its path in the spawn tree; 0: main
  std::uint64_t random = 0;        // random.cpp: state of its stream
  std::uint32_t steps = 0;         // decisions taken by this thread
  std::uint32_t inputs_asked = 0;  // api.cpp: so many
  std::uint32_t locks_held = 0;
  std::uint64_t stack_bytes = 0;  // usable size of its stack
  Pending pending;
  Context context;
  std::uint64_t fs_base = 0;  // glibc's thread control block of the pthread that lends its TLS
  std::uint32_t token = 0;    // kernel carrier: futex, 1 = may run
  bool has_signals = false;   // pthread_kill left something for it: see deliver_pending_signals()

  // pthread_create's arguments and result
  void* (*start)(void*) = nullptr;
  int (*start_c11)(void*) = nullptr;
  void* start_argument = nullptr;
  void* result = nullptr;

  Clock* clock = nullptr;                     // race.cpp: happens-before of this thread
  struct ThreadSync* sync = nullptr;          // objects.h: thread-specific data, cleanup handlers, cancellation, TLS destructors
  struct ThreadSpin* spin = nullptr;          // spin.h: what the current loop iteration has read
  struct ThreadRandom* generators = nullptr;  // libc_random.cpp: its rand and drand48
  StoreBuffer* stores = nullptr;              // store_buffer.h: on their way to memory; null: there never were any
  std::uint64_t epoch = 0;                    // race.h: number and own time, as they stand in shadow memory
  std::uint64_t whole_granule = 0;            // abi/short_way.h; 0: its accesses must take the long way
  std::uint64_t plain_hash = 0;               // hooks.cpp: over its plain accesses, the first to each location between two synchronisations
  bool iteration_begins = false;              // spin.cpp: nothing visible has happened yet in this round of its loop
  bool touched = false;                       // hooks.cpp: it has made a plain access since spin.cpp last looked
  bool parked = false;                        // follow.cpp: its recorded way is over, or left
  bool left_path = false;                     // follow.cpp: left
  Followed* followed = nullptr;               // follow.cpp: null: nothing was recorded of it, or nobody follows
};

struct World {
  const TreadleJob* job;
  TreadleResult* result;
  Thread* current;               // who runs now; never null while an execution is active
  std::uint32_t highest_thread;  // greatest number in use; there may be gaps
  std::uint32_t thread_names;    // entries of the shared block's table that are in use
  std::uint32_t live_threads;    // started or startable, not finished
  std::uint32_t step;            // decisions taken so far
  std::uint32_t preemptions;
  Thread* fails_first;            // TREADLE_POLICY_PATIENT: who is about to fail, the first one; null: nobody
  std::uint32_t patience_ends;    // at that step
  bool flushing;                  // a buffered store reaches memory: `current` is whose it is, not who runs
  std::uint32_t asked_steps;      // TREADLE_SPINS_STOP: decisions of the prefix that are no wishes; 0: nobody is stopped
  std::uint8_t asked_thread;      // whose the last of them is
  std::uint32_t in_vain;          // it goes round in vain since: steps of an iteration; 0: it does not
  std::uint32_t since_in_vain;    // steps that it has announced since the last one
  std::uint32_t verifier_atomic;  // depth of __VERIFIER_atomic_begin; while > 0 only its owner runs
  Thread* verifier_owner;
  bool record_plain;
  bool plain_is_visible;  // --races=explore
  bool check_races;
  bool record_symbolic;
  Grant grant;                       // what the thread that is being resumed may do
  std::uint64_t events;              // recorded so far in this execution
  std::uint64_t choice_words;        // likewise
  std::uint64_t next_stack_request;  // number of the next event whose stack is wanted
  std::uint64_t plain_hash;
  std::uint64_t random_state;  // policy's
  std::uint64_t arena_used;
  std::uint64_t text_used;
  RaceState* race;
  HeapState* heap;
  SyncState* sync;
  TimeState* time;
  IoState* io;
  ExitState* exits;
  SignalState* signals;
  ApiState* api;
  SymbolicState* symbolic;      // null: not recorded
  struct RegionState* regions;  // api_verifier.cpp
  struct PolicyState* policy;
  struct ExceptionClock* exceptions;  // exception_ref.cpp
  Thread threads[256];
};

struct Process {
  TreadleSharedBlock* shared;
  std::uint32_t carrier;  // TREADLE_CARRIER_*
  std::uint32_t prepared_threads;
  std::uint64_t clock_base;       // race.cpp: epochs of earlier executions are all <= this
  std::uint64_t clock_top;        // the highest time any thread has reached so far
  std::uint64_t race_generation;  // tells this execution's side records from earlier ones
  bool runtime_allocates;         // malloc is called by libc on our behalf: serve it from a place of its own (heap.h)
  std::uint64_t execution;        // how many were started
  std::uint32_t names_known;      // thread names handed out so far in this session
  Context controller;             // the loop that serves the host: whom to return to when the execution ends
  enum class Request : std::uint8_t { Ended, SaveSnapshot } request;  // why the controller got control
  bool ending;                                                        // end_execution() is at work: a crash in it must not come back to it
  bool in_execution;
  std::uint32_t snapshots_live;  // while > 0, the race detector keeps an undo log of its shadow
  bool has_fsgsbase;
  bool has_symbolic_place;   // symbolic.cpp: mapped when first needed
  FdsAtStart* fds_at_start;  // descriptors.cpp: what was open when main was called
  int argc;
  char** argv;
  char** given_argv;                           // as the kernel gave them, on its stack
  std::uint64_t arguments_from, arguments_to;  // the texts of argv, before the program had a chance to put others there
  char** envp;
  int (*main)(int, char**, char**);
};

inline World& world() noexcept { return *reinterpret_cast<World*>(TREADLE_AT_ARENA); }
inline Process& process() noexcept { return *reinterpret_cast<Process*>(TREADLE_AT_ARENA - 0x1000000ull); }

/// native    no host: every interposed function and hook does the ordinary thing, with real threads
/// prelude   under a host, before main: single-threaded, nothing is scheduled or recorded, our heap is in use
/// active    program code runs under a Schedule
enum class Mode : std::uint8_t { Native, Prelude, Active };
extern __attribute__((visibility("hidden"))) Mode g_mode;  // hidden: read by every hook, so without a detour
extern int (*g_hosted_main)(int, char**, char**);          // the program's main, known before Process is mapped
/// __treadle_running: what every plain access needs of the running thread, one instruction away. See hooks.cpp.
extern __attribute__((visibility("hidden"))) TreadleRunning g_running;
inline void running_changes(Thread& from, const Thread& to) noexcept {
  from.touched |= g_running.touched != 0;
  g_running = {to.whole_granule, 0};
}
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
