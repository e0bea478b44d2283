// SPDX-License-Identifier: Apache-2.0
// The operational semantics of a Program: states, the moves possible in a state, and what a move does.
//
// A thread makes one visible operation per move and runs on, alone, to its next one; under TSO and PSO buffered stores reach memory
// by moves of their own. Creation, start, exit and join of threads are operations too, as they are in the engine, so that the number of
// paths through the states is the number of executions of a search without reduction.
//
// Memory models:
//   TSO  one FIFO buffer per thread. Plain, relaxed and release stores are buffered. A load of any order reads the newest own buffered
//        store of its variable, else memory. Everything else (read-modify-write and failed compare-exchange, seq_cst store, seq_cst
//        fence, synchronisation call, creation, join, exit) happens only while the own buffer is empty; a seq_cst store then writes
//        memory directly. Acquire, release and acq_rel fences do nothing.
//   PSO  as TSO, but of the buffered stores of a thread any may go first that is the oldest of its variable, provided that a release store
//        waits for all older stores, and a store behind a release (or acq_rel) fence waits for all stores in front of the fence.
//   Stores to overlapping bytes count as stores to the same variable; a load gets each of its bytes by itself, from the own newest buffered
//   store that has it, else from memory.
//
// Spin loops (Await, Spin) wait: an unsuccessful round does not exist. A Spin that reads several variables may begin a round at any time;
// if the round turns out not to leave the loop, that is no execution. When nobody but spinning threads can move and none of them would
// leave its loop, the execution is stuck, with all of them at the beginning of a round.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "program.h"

namespace oracle {

/// A program flattened: branches and loops are jumps, each thread ends with Exit.
enum class Op : std::uint8_t {
  Load,
  Store,
  FetchAdd,
  Exchange,
  CompareExchange,
  Fence,
  Await,
  Lock,
  Unlock,
  TryLock,
  Wait,
  Signal,
  Broadcast,
  SemWait,
  SemPost,
  SemTry,
  SemGetValue,
  ReadLock,
  WriteLock,
  TryReadLock,
  TryWriteLock,
  RwUnlock,
  BarrierWait,
  OnceBegin,  // jumps over the initialiser when it was run already
  OnceEnd,
  FutexWait,
  FutexWake,
  Create,
  Join,
  ReadHandle,  // the pthread_t is read before the join, the result of sem_getvalue after it: plain accesses like any other
  Exit,
  // local: done in the course of the visible operation before them
  Input,
  Choose,  // one of `bound` ways on, two instructions each
  Assume,
  Assert,
  JumpUnless,
  Jump,
  SetCounter,
  JumpIfCounted,
  SpinBegin,
  SpinEnd,
};

struct Instruction {
  Op op = Op::Exit;
  Order order = Order::Plain;
  bool timed = false;
  bool all = false;  // who are asleep are woken
  int size = 0;      // of an access, in variables; 0: one that is no byte (program.h)
  int object = 0;    // variable, mutex, condition variable, …, thread, counter; how-manieth assertion of its thread
  int mutex = 0;
  int reg = 0;
  int target = 0;  // of jumps
  int bound = 0;   // of loops
  Value value{}, expected{};
  Condition condition{};
};

enum class Phase : std::uint8_t {
  Unborn,
  Created,    // before its Start
  Running,    // before the instruction at pc
  Waiting,    // in a condition variable
  Signalled,  // before it leaves the condition variable
  Relocking,  // before it takes the mutex back
  Arrived,    // at a barrier
  Released,   // before it leaves the barrier
  Asleep,     // on a futex
  Roused,     // before it goes on behind it
  Done,
};

constexpr int kMaxCounters = 4;
constexpr int kMaxBuffered = 20;

struct Buffered {
  std::int8_t variable = 0;  // -1: a release fence
  bool release = false;
  std::int16_t value = 0;
  std::uint8_t size = 0;
};

enum class Round : std::uint8_t { None, Beginning, Middle };  // of a Spin

struct ThreadState {
  Phase phase = Phase::Unborn;
  Round round = Round::None;
  std::uint8_t pc = 0;
  std::uint8_t buffered = 0;
  std::array<std::int8_t, kMaxCounters> counters{};
  std::array<std::int16_t, kMaxRegisters> registers{};
  std::array<Buffered, kMaxBuffered> buffer{};
};

struct State {
  std::array<ThreadState, kMaxThreads> threads;
  std::array<std::int16_t, kMaxVariables> memory{};
  std::array<std::int8_t, kMaxObjects> owner{-1, -1, -1, -1};   // of mutexes
  std::array<std::int8_t, kMaxObjects> writer{-1, -1, -1, -1};  // of readers-writer locks
  std::array<std::uint8_t, kMaxObjects> readers{};              // of the same: a bit per thread
  std::array<std::int8_t, kMaxObjects> count{};                 // of semaphores
  std::array<std::int8_t, kMaxObjects> arrived{};               // at barriers
  std::array<std::int8_t, kMaxObjects> once{};                  // who runs the initialiser: thread + 1; 0: nobody has, -1: it was run
  bool failed = false;                                          // an assertion
  bool misused = false;                                         // a lock: the program is not one whose outcomes mean anything
  bool fruitless = false;  // a round of a spin loop changed nothing, or an assumption does not hold: this is no execution
};

enum class Ending { Completed, Stuck, Failed, Misused, NoExecution };

struct Move {
  enum class Kind : std::uint8_t { Step, Wake, Timeout, Flush } kind = Kind::Step;
  std::uint8_t thread = 0;
  std::uint8_t argument = 0;  // Wake: the waiter; Flush: position in the buffer
};

/// What an operation touched, for the dependence relation (classes.h).
struct Touch {
  std::uint8_t object = 0;
  bool writes = false;
  bool buffered = false;  // a store that only its own thread can see yet
};
struct Event {
  Phase phase = Phase::Running;              // the thread's before the operation: Running, or the step that it stands for
  const Instruction* instruction = nullptr;  // belongs to the Machine; null when a buffered store reached memory
  bool succeeded = true;                     // a compare-exchange, or an attempt to get something (to run an initialiser, too)
  std::uint8_t woken = 0;                    // by a FutexWake
  bool opens_barrier = false;                // the last to arrive; all leave by a step of their own, as no program asks who was last
  std::uint64_t branches = 0;                // how the local conditions behind it came out, the first in the lowest bit
  std::uint8_t branched = 0;                 // how many there were
  const Instruction* failed = nullptr;       // the assertion behind it that does not hold
  std::array<Touch, 2 + kMaxThreads> touches{};
  std::uint8_t touched = 0;
  void touch(int object, bool writes, bool buffered = false) { touches[touched++] = {std::uint8_t(object), writes, buffered}; }
  void branch(bool holds) { branches |= std::uint64_t(holds) << branched++; }  // jumps back end at a visible operation: never many
};

// Objects of all kinds in one numbering.
constexpr int object_variable(int v) { return v; }
constexpr int object_mutex(int m) { return kMaxVariables + m; }
constexpr int object_condvar(int c) { return kMaxVariables + kMaxObjects + c; }
constexpr int object_semaphore(int s) { return kMaxVariables + 2 * kMaxObjects + s; }
constexpr int object_barrier(int b) { return kMaxVariables + 3 * kMaxObjects + b; }
constexpr int object_thread(int t) { return kMaxVariables + 4 * kMaxObjects + t; }
constexpr int object_waiter(int t) { return kMaxVariables + 4 * kMaxObjects + kMaxThreads + t; }  // thread t in a condition variable
constexpr int object_rwlock(int r) { return kMaxVariables + 4 * kMaxObjects + 2 * kMaxThreads + r; }
constexpr int object_once(int o) { return kMaxVariables + 5 * kMaxObjects + 2 * kMaxThreads + o; }
constexpr int object_futex(int v) { return kMaxVariables + 6 * kMaxObjects + 2 * kMaxThreads + v; }  // who sleeps on variable v
constexpr int kObjects = 2 * kMaxVariables + 6 * kMaxObjects + 2 * kMaxThreads;

struct MachineOptions {
  Model model = Model::Sc;
  bool plain_is_visible = true;  // --races=explore; else plain accesses are done in the course of the operation before them (SC only)
  bool handle_reads = true;      // reads of pthread_t variables are operations, as the engine sees them
  std::vector<int> inputs{};     // what the program's inputs are; those left out are the lowest of their range
};

class Machine {
 public:
  /// Throws std::invalid_argument for a malformed program.
  Machine(const Program& program, MachineOptions options);

  State start() const;
  void moves(const State& state, std::vector<Move>& out) const;  // replaces what is in `out`
  Event apply(State& state, Move move) const;
  Ending ending(const State& state) const;             // of a state without moves
  std::vector<int> outcome(const State& state) const;  // in the order of observed_names
  std::string key(const State& state) const;           // equal keys, equal states
  int threads() const { return int(code_.size()); }
  const std::vector<Instruction>& code(int thread) const { return code_[thread]; }

 private:
  bool enabled(const State& state, int thread) const;
  bool can_time_out(const State& state, int thread) const;
  bool drained(const State& state, int thread) const;
  void moves_of(const State& state, int thread, std::vector<Move>& out) const;
  bool nobody_leaves_its_loop(const State& state, const std::vector<Move>& moves) const;
  bool may_flush(const ThreadState& thread, int position) const;
  Event flush(State& state, int thread, int position) const;
  Event step(State& state, Move move) const;
  void operate(State& state, const Instruction& what, Move move, Event& event) const;
  void access_memory(State& state, const Instruction& what, int thread, Event& event) const;
  void use_lock(State& state, const Instruction& what, Move move, Event& event) const;
  void use_condition(State& state, const Instruction& what, Move move, Event& event) const;
  void use_futex(State& state, const Instruction& what, Move move, Event& event) const;
  void use_barrier(State& state, const Instruction& what, int thread, Event& event) const;
  void run_on(State& state, int thread, Event& event) const;
  bool is_local(const Instruction& instruction) const;
  int input(int number) const;

  Program program_;
  MachineOptions options_;
  std::vector<std::vector<Instruction>> code_;
  std::vector<int> registers_;
};

}  // namespace oracle
