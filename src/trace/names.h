// SPDX-License-Identifier: Apache-2.0
// Names of what a program's addresses stand for: the same in every run, whatever the addresses were.
//
//   counter, table+24     a global: its symbol and offset, from the SymbolSource
//   heap 0.1#3+8          8 bytes into the third block that thread 0.1 allocated after main began
//   heap 0@0x1240         allocated before main began (the offset in thread 0's part of the heap; the prelude always does the same)
//   stack 0.1-0x48        0x48 bytes below the top of that thread's stack
//   thread-local 0.1+0x40 in that thread's block of thread-local variables
//   fd 3, thread 0.2      for operations on those
//   0x7f12…               none of these
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/trace.h"

namespace treadle {

/// What the program's debug information knows. An empty answer means "nothing".
class SymbolSource {
 public:
  virtual ~SymbolSource() = default;
  virtual std::string data_name(std::uint64_t address) const = 0;  // "account.balance", "table+24"
  virtual std::string place_of(std::uint64_t pc) const = 0;        // "bank.c:12" for a return address, innermost frame of the user's code
};

class Names {
 public:
  /// Both must outlive the Names.
  explicit Names(const Trace& trace, const SymbolSource* symbols = nullptr);

  /// What is at `address` when event number `at` happens (a heap address is used by one block after another).
  std::string at(std::uint64_t address, std::uint64_t at = UINT64_MAX) const;

  /// The object that an event is about; empty when there is none (a fence, a yield).
  std::string object_of(const Event& event, std::uint64_t number) const;
  std::string object_of(const PendingOperation& pending) const;

  std::string thread(ThreadId id) const { return name_of(id, trace_.threads); }

  /// The ALLOC event of the block that holds `address` when event number `at` happens, also when it is freed already; UINT64_MAX when
  /// unknown.
  std::uint64_t allocation_of(std::uint64_t address, std::uint64_t at = UINT64_MAX) const;

 private:
  struct Block {
    std::uint64_t address, size, event;
    std::uint32_t ordinal;  // how-manieth of its thread, from 1
  };
  const Block* block_at(std::uint64_t address, std::uint64_t at) const;
  std::string heap_name(std::uint64_t address, std::uint64_t at) const;

  const Trace& trace_;
  const SymbolSource* symbols_;
  std::vector<Block> blocks_;  // by address, then by event
  std::uint64_t largest_block_ = 0;
};

/// Which thread number a pthread_t of the program stands for, or -1.
int thread_of_handle(std::uint64_t handle);

}  // namespace treadle
