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
  BarrierWait,
  Create,
  Join,
  ReadHandle,  // main reads the pthread_t before it joins: a plain access like any other
  Exit,
  // local: done in the course of the visible operation before them
  Assert,
  JumpUnless,
  Jump,
  SetCounter,
  JumpIfCounted,
};

struct Instruction {
  Op op = Op::Exit;
  Order order = Order::Plain;
  int object = 0;  // variable, mutex, condition variable, …, thread, counter
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
  Done,
};

constexpr int kMaxCounters = 4;
constexpr int kMaxBuffered = 20;

struct Buffered {
  std::int8_t variable = 0;  // -1: a release fence
  bool release = false;
  std::int16_t value = 0;
};

struct ThreadState {
  Phase phase = Phase::Unborn;
  std::uint8_t pc = 0;
  std::uint8_t buffered = 0;
  std::array<std::int8_t, kMaxCounters> counters{};
  std::array<std::int16_t, kMaxRegisters> registers{};
  std::array<Buffered, kMaxBuffered> buffer{};
};

struct State {
  std::array<ThreadState, kMaxThreads> threads;
  std::array<std::int16_t, kMaxVariables> memory{};
  std::array<std::int8_t, kMaxObjects> owner{-1, -1, -1, -1};  // of mutexes
  std::array<std::int8_t, kMaxObjects> count{};                // of semaphores
  std::array<std::int8_t, kMaxObjects> arrived{};              // at barriers
  bool failed = false;                                         // an assertion
  bool misused = false;                                        // a lock: the program is not one whose outcomes mean anything
};

struct Move {
  enum class Kind : std::uint8_t { Step, Wake, Flush } kind = Kind::Step;
  std::uint8_t thread = 0;
  std::uint8_t argument = 0;  // Wake: the waiter; Flush: position in the buffer
};

/// What an operation touched, for the dependence relation (classes.h).
struct Touch {
  std::uint8_t object = 0;
  bool writes = false;
};
struct Event {
  Phase phase = Phase::Running;              // the thread's before the operation: Running, or the step that it stands for
  const Instruction* instruction = nullptr;  // belongs to the Machine; null when a buffered store reached memory
  bool opens_barrier = false;                // the last to arrive goes on at once, the others leave by a step of their own
  std::array<Touch, 2> touches{};
  std::uint8_t touched = 0;
  void touch(int object, bool writes) { touches[touched++] = {std::uint8_t(object), writes}; }
};

// Objects of all kinds in one numbering.
constexpr int object_variable(int v) { return v; }
constexpr int object_mutex(int m) { return kMaxVariables + m; }
constexpr int object_condvar(int c) { return kMaxVariables + kMaxObjects + c; }
constexpr int object_semaphore(int s) { return kMaxVariables + 2 * kMaxObjects + s; }
constexpr int object_barrier(int b) { return kMaxVariables + 3 * kMaxObjects + b; }
constexpr int object_thread(int t) { return kMaxVariables + 4 * kMaxObjects + t; }
constexpr int kObjects = kMaxVariables + 4 * kMaxObjects + kMaxThreads;

struct MachineOptions {
  Model model = Model::Sc;
  bool plain_is_visible = true;  // --races=explore; else plain accesses are done in the course of the operation before them (SC only)
  bool handle_reads = true;      // main's reads of its pthread_t variables are operations, as the engine sees them
};

class Machine {
 public:
  /// Throws std::invalid_argument for a malformed program.
  Machine(const Program& program, MachineOptions options);

  State start() const;
  void moves(const State& state, std::vector<Move>& out) const;  // replaces what is in `out`
  Event apply(State& state, Move move) const;
  bool completed(const State& state) const { return state.threads[0].phase == Phase::Done; }
  std::vector<int> outcome(const State& state) const;  // in the order of observed_names
  std::string key(const State& state) const;           // equal keys, equal states

 private:
  bool enabled(const State& state, int thread) const;
  bool may_flush(const ThreadState& thread, int position) const;
  void flush(State& state, int thread, int position) const;
  Event step(State& state, int thread, int woken) const;
  void operate(State& state, int thread, const Instruction& what, int woken, Event& event) const;
  void run_on(State& state, int thread) const;
  bool is_local(const Instruction& instruction) const;

  Program program_;
  MachineOptions options_;
  std::vector<std::vector<Instruction>> code_;
  std::vector<int> registers_;
};

}  // namespace oracle
