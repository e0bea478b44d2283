// SPDX-License-Identifier: Apache-2.0
// How many executions of a program differ in more than the order of independent operations: its Mazurkiewicz classes under SC.
//
// Two operations are dependent when they are of the same thread, or touch the same object and at least one of them writes it:
//   variable            load reads; store, read-modify-write and successful compare-exchange write; a failed compare-exchange reads
//   mutex               lock, unlock and successful trylock write, a failed trylock reads; a condition wait writes it twice: once as it
//                       releases it and once as it takes it back
//   condition variable  wait, leaving after a wake-up, and a signal or broadcast that wakes somebody write; one that wakes nobody reads.
//                       Which waiter a signal wakes is part of the operation
//   semaphore           post and wait write
//   barrier             arriving writes, leaving reads
//   thread              create, start, exit and join write it, so they are ordered and nothing else is
// Fences touch nothing. An execution that fails an assertion ends there; one that gets stuck is a class of its own kind.
// A reduction with a finer relation (adds that commute, arrivals that commute) may run fewer executions, never more.
#pragma once

#include <cstdint>

#include "program.h"

namespace oracle {

struct Classes {
  std::uint64_t completed = 0, stuck = 0, failed = 0;
  bool complete = true;  // the limit was not hit
  std::uint64_t all() const { return completed + stuck + failed; }
  bool operator==(const Classes&) const = default;
};

/// `plain_is_visible`: plain accesses are operations (--races=explore) or not (--races=stop).
/// Walks through the classes of *prefixes*, each once: equivalent prefixes lead to the same classes. Prefixes are far fewer than
/// executions.
Classes count_classes(const Program& program, bool plain_is_visible, std::uint64_t most_prefixes = 2'000'000);

/// The same by the definition: runs every execution and compares them. Its own test's yardstick.
Classes count_classes_by_enumeration(const Program& program, bool plain_is_visible, std::uint64_t most_executions = 1'000'000);

}  // namespace oracle
