// SPDX-License-Identifier: Apache-2.0
// How many executions of a program differ in more than the order of independent operations: its Mazurkiewicz classes, under each model.
//
// Under SC two operations are dependent when they are of the same thread, or touch the same object and at least one of them writes it:
//   variable            load reads; store, read-modify-write and successful compare-exchange write; a failed compare-exchange reads
//   mutex               lock, unlock and successful trylock or timedlock write, a failed one reads; a condition wait writes it twice:
//                       once as it releases it and once as it takes it back
//   readers-writer lock a reader's lock and unlock and its failed attempt read; a writer's write, also a failed attempt
//   condition variable  wait, a time-out of it, and a signal or broadcast that wakes somebody write; one that wakes nobody reads.
//                       Which waiter a signal wakes is part of the operation
//   waiter of thread t  the wait and the signal or broadcast that wakes it write it, leaving the condition variable reads it
//   semaphore           post and wait write; getvalue and a failed attempt read
//   barrier             arriving writes, leaving reads
//   futex               a wait reads the variable, and writes the futex if it sleeps; a time-out of it, and a wake that wakes somebody
//                       write; going on after a wake, and one that wakes nobody, read
//   thread              create, start, exit and join write it, so they are ordered and nothing else is
// Fences touch nothing. An execution that fails an assertion ends there, which depends on everything: whatever else had happened by then is
// part of its class (also reads of variables that nobody else touches, such as a pthread_t). One that gets stuck is a class of its own
// kind.
//
// Under TSO and PSO a store buffer is a process of its own:
//   (a) a buffered store touches nothing that is shared;
//   (b) its flush writes the variable;
//   (c) a load that reads another thread's store or the initial value reads the variable;
//   (d) a load that reads its own thread's store s is ordered before the writes of others that follow s in the variable's coherence order,
//       and with nothing else: it is the same whether s was still in the buffer or had reached memory.
// What needs an empty buffer is not enabled until it is.
//
// Put differently, and so they are counted: two executions are equivalent when each thread makes the same operations, each operation finds
// the same latest write of each object that it touches (for a load: reads from the same store), and the writes reach each variable in the
// same order. Under SC this says the same as the first definition.
//
// A reduction with a finer relation (adds that commute, arrivals that commute) may run fewer executions, never more.
// Unsuccessful rounds of spin loops are no part of an execution (machine.h).
//
// Coarser classes forget the order and keep what the threads see (sights.h):
//   value class       each thread gets the same results, in the same sequence: values read (also by read-modify-writes and failed
//                     compare-exchanges), whether an attempt got its lock, a wait timed out, a barrier chose it; and main finds the same
//                     values in the end. When it gets stuck: and each thread stands at the same place
//   reads-from class  the same with, instead of a value read from memory, the write that it was read from
// Each reads-from class lies within one value class, each Mazurkiewicz class within one reads-from class. A plain read is a read, whether
// or not it is a scheduling point.
#pragma once

#include <cstdint>

#include "machine.h"
#include "program.h"

namespace oracle {

struct Classes {
  std::uint64_t completed = 0, stuck = 0, failed = 0;
  bool complete = true;  // the limit was not hit
  std::uint64_t all() const { return completed + stuck + failed; }
  bool operator==(const Classes&) const = default;
};

enum class TellApart { Order, ReadsFrom, Values };
const char* text_of(TellApart by);  // "Mazurkiewicz", "reads-from", "value"

/// `plain_is_visible`: plain accesses are operations (--races=explore) or not (--races=stop). Only told apart by order; a race-free program
/// has the same other classes either way.
struct ClassOptions {
  Model model = Model::Sc;
  bool plain_is_visible = true;
  TellApart by = TellApart::Order;
};

/// Walks through the classes of *prefixes*, each once: equivalent prefixes lead to the same classes. Prefixes are far fewer than
/// executions.
Classes count_classes(const Program& program, ClassOptions options = {}, std::uint64_t most_prefixes = 2'000'000);

/// The same by the definition: runs every execution and compares them. Its own test's yardstick.
Classes count_classes_by_enumeration(const Program& program, ClassOptions options = {}, std::uint64_t most_executions = 1'000'000);

}  // namespace oracle
