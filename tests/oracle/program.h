// SPDX-License-Identifier: Apache-2.0
// A tiny concurrent program as data: what the generator makes, the interpreter runs and the emitter prints as C.
//
// Nothing under tests/oracle includes anything from src/: the oracle is a second opinion, so it shares no code with the engine.
#pragma once

#include <string>
#include <variant>
#include <vector>

namespace oracle {

enum class Order { Plain, Relaxed, Acquire, Release, AcqRel, SeqCst };
enum class Model { Sc, Tso, Pso };

constexpr Model kModels[] = {Model::Sc, Model::Tso, Model::Pso};
const char* text_of(Model model);  // "sc", "tso", "pso": as in `treadle check --model`

// Sizes are fixed so that a state of the interpreter is a plain value and a thread's registers fit into its result.
constexpr int kMaxThreads = 5;    // main and four more
constexpr int kMaxRegisters = 4;  // per thread
constexpr int kMaxVariables = 6;
constexpr int kMaxObjects = 4;  // of each: mutexes, condition variables, semaphores, barriers, readers-writer locks, initialisers

/// The value of a register plus a constant; a constant when there is no register.
struct Value {
  int reg = -1;
  int add = 0;
  bool operator==(const Value&) const = default;
};
inline Value constant(int value) { return {-1, value}; }
inline Value reg_plus(int reg, int add) { return {reg, add}; }

/// `r == constant` or `r != constant` (or `constant + other register`); without a register: never holds.
struct Condition {
  int reg = -1;
  bool equal = true;
  int constant = 0;
  int other = -1;
  bool operator==(const Condition&) const = default;
};

struct Statement;
using Block = std::vector<Statement>;

// One visible operation (or plain access) each. `size`: 0 for a variable of its own; in a program whose variables are bytes, how many of
// them are accessed at once, from `variable` on: 1, 2 or 4.
struct Load {
  int variable = 0;
  Order order = Order::Relaxed;
  int reg = 0;
  int size = 0;
  bool operator==(const Load&) const = default;
};
struct Store {
  int variable = 0;
  Order order = Order::Relaxed;
  Value value;
  int size = 0;
  bool operator==(const Store&) const = default;
};
/// A load or a store of one of the first `count` variables, all plain and in an array: which one is `index`, taken as unsigned, modulo
/// their number.
struct Element {
  Value index;
  int count = 2;
  bool stores = false;
  Value value;           // stored
  int reg = 0;           // gets what is loaded
  bool pointer = false;  // by a pointer out of a table, not by an index into the array
  bool operator==(const Element&) const = default;
};
struct FetchAdd {
  int variable = 0;
  Order order = Order::SeqCst;
  int reg = 0;  // gets the old value; so do the next two
  Value value;
  bool operator==(const FetchAdd&) const = default;
};
struct Exchange {
  int variable = 0;
  Order order = Order::SeqCst;
  int reg = 0;
  Value value;
  int size = 0;
  bool operator==(const Exchange&) const = default;
};
struct CompareExchange {
  int variable = 0;
  Order order = Order::SeqCst;
  int reg = 0;
  Value expected, desired;
  int size = 0;
  bool operator==(const CompareExchange&) const = default;
};
struct Fence {
  Order order = Order::SeqCst;
  bool operator==(const Fence&) const = default;
};
/// Spins until the variable (atomic) has the value: `while (load(x) != value);`.
struct Await {
  int variable = 0;
  Order order = Order::Acquire;
  int value = 0;
  bool operator==(const Await&) const = default;
};
struct Lock {
  int mutex = 0;
  bool operator==(const Lock&) const = default;
};
struct Unlock {
  int mutex = 0;
  bool operator==(const Unlock&) const = default;
};
/// Times out only while it would have to wait; so do the other timed operations.
struct TryLock {
  int mutex = 0;
  int reg = 0;  // 1: got it
  bool timed = false;
  bool operator==(const TryLock&) const = default;
};
struct Wait {
  int condvar = 0;
  int mutex = 0;
  int reg = -1;  // timed: 1 when it timed out
  bool operator==(const Wait&) const = default;
};
struct Signal {
  int condvar = 0;
  bool operator==(const Signal&) const = default;
};
struct Broadcast {
  int condvar = 0;
  bool operator==(const Broadcast&) const = default;
};
struct SemWait {
  int semaphore = 0;
  bool operator==(const SemWait&) const = default;
};
struct SemPost {
  int semaphore = 0;
  bool operator==(const SemPost&) const = default;
};
struct SemTry {
  int semaphore = 0;
  int reg = 0;  // 1: got it
  bool timed = false;
  bool operator==(const SemTry&) const = default;
};
struct SemGetValue {
  int semaphore = 0;
  int reg = 0;
  bool operator==(const SemGetValue&) const = default;
};
struct RwLock {
  int rwlock = 0;
  bool writes = false;
  bool operator==(const RwLock&) const = default;
};
struct RwTryLock {
  int rwlock = 0;
  bool writes = false;
  int reg = 0;  // 1: got it
  bool timed = false;
  bool operator==(const RwTryLock&) const = default;
};
struct RwUnlock {
  int rwlock = 0;
  bool operator==(const RwUnlock&) const = default;
};
struct BarrierWait {
  int barrier = 0;
  bool operator==(const BarrierWait&) const = default;
};
/// pthread_once with initialiser Program::onces[once].
struct Once {
  int once = 0;
  bool operator==(const Once&) const = default;
};
/// Sleeps if the variable (atomic) has that value.
struct FutexWait {
  int variable = 0;
  Value expected;
  int reg = 0;  // 0: was woken, 1: did not sleep, 2: timed out
  bool timed = false;
  bool operator==(const FutexWait&) const = default;
};
struct FutexWake {
  int variable = 0;
  bool all = false;
  int reg = -1;  // how many were woken
  bool operator==(const FutexWake&) const = default;
};
/// Once for each thread, outside branches and loops, by a thread with a lower number; which then joins it.
struct Create {
  int thread = 1;
  bool operator==(const Create&) const = default;
};
struct Join {
  int thread = 1;
  bool operator==(const Join&) const = default;
};

// No visible operation of their own.
/// The register gets the value of Program::inputs[input]; once in the text for each input, outside loops.
struct Input {
  int input = 0;
  int reg = 0;
  bool operator==(const Input&) const = default;
};
/// Executions in which it does not hold do not count.
struct Assume {
  Condition holds;
  bool operator==(const Assume&) const = default;
};
struct Assert {
  Condition holds;
  bool operator==(const Assert&) const = default;
};
struct If {
  Condition when;
  Block then, otherwise;
  bool operator==(const If&) const = default;
};
/// for (n = 0; n < most && !(until); ++n) body
struct Loop {
  Condition until;
  int most = 2;
  Block body;
  bool operator==(const Loop&) const = default;
};

/// do body while (!until): a loop whose unsuccessful rounds change nothing. The body reads (atomically), and may end with a
/// read-modify-write that has an effect only in the round that leaves the loop. Every register that it assigns and that is used
/// afterwards is assigned in every round.
struct Spin {
  Condition until;
  Block body;
  bool operator==(const Spin&) const = default;
};

struct Statement {
  std::variant<Load, Store, Element, FetchAdd, Exchange, CompareExchange, Fence, Await, Lock, Unlock, TryLock, Wait, Signal, Broadcast,
               SemWait, SemPost, SemTry, SemGetValue, RwLock, RwTryLock, RwUnlock, BarrierWait, Once, FutexWait, FutexWake, Create, Join,
               Input, Assume, Assert, If, Loop, Spin>
      is;
  template <class Kind>
  Statement(Kind kind) : is(std::move(kind)) {}  // so that blocks can be written as lists of statements
  bool operator==(const Statement&) const = default;
};

/// Visits a Statement with one lambda per kind.
template <class... Lambdas>
struct Cases : Lambdas... {
  using Lambdas::operator()...;
};
template <class... Lambdas>
Cases(Lambdas...) -> Cases<Lambdas...>;

struct Variable {
  bool atomic = true;
  int initial = 0;
  bool operator==(const Variable&) const = default;
};

/// Any value between these, both included.
struct InputRange {
  int lowest = 0, highest = 1;
  bool operator==(const InputRange&) const = default;
};

struct Program {
  std::vector<Variable> variables;
  bool bytes = false;  // the variables are neighbours in memory, a byte each; a value has four bits of each byte that it is made of
  std::vector<InputRange> inputs;
  int mutexes = 0;
  int condvars = 0;
  int rwlocks = 0;
  std::vector<int> semaphores;  // initial counts
  std::vector<int> barriers;    // how many arrive
  std::vector<Block> onces;     // what each initialiser does: it stores constants
  std::vector<Block> threads;   // threads[0] is main
  bool array = false;           // the plain variables lie in one
  bool operator==(const Program&) const = default;
};

/// Main creates all threads, then joins them in order: what litmus tests and most generated programs need.
Program with_threads(std::vector<Variable> variables, std::vector<Block> bodies);

/// Registers 0 … n-1 of a thread are in use.
int registers_of(const Block& block);

/// What main tells at the end, in order: "x0", … for variables, "t1_r0", … for registers (main's too).
std::vector<std::string> observed_names(const Program& program);

/// Empty, or why this is no program: an index out of range, a plain access to an atomic variable, a thread not created or joined exactly
/// once. Misuse of locks depends on the execution; the interpreter tells.
std::string why_malformed(const Program& program);

/// Does it spin anywhere?
bool spins(const Block& block);
bool spins(const Program& program);

/// Statements, nested ones included.
int size_of(const Block& block);
int size_of(const Program& program);

}  // namespace oracle
