// SPDX-License-Identifier: Apache-2.0
// A Trace with everything that helps to read it, and the making of Findings from it. Shared by the files that diagnose.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "finding/finding.h"
#include "finding/symbols.h"
#include "finding/trouble.h"
#include "trace/names.h"

namespace treadle {

/// A position in the program and what it deals with: what a fingerprint is made of.
struct Position {
  SourceStack stack;
  std::uint64_t pc = 0;
  std::string object{};  // told apart by it when the position is inside a library
};

class Evidence {
 public:
  Evidence(const Trace& trace, const Symbols& symbols) : trace_(trace), symbols_(symbols), names_(trace, &symbols) {}

  const Trace& trace() const { return trace_; }
  const Symbols& symbols() const { return symbols_; }
  const Names& names() const { return names_; }
  std::string thread(ThreadId id) const { return names_.thread(id); }
  std::string thread(const Event& event) const { return names_.thread(ThreadId{event.thread}); }

  /// "`counter`": what is at the address when the event happens.
  std::string object(std::uint64_t address, std::uint64_t at = UINT64_MAX) const { return "`" + names_.at(address, at) + "`"; }

  /// The stack taken there, from the program's own frame on; just the pc's frames when none was taken.
  Position at_event(std::uint64_t number) const;
  Position at_pending(const PendingOperation& pending) const;
  Position at_end() const;
  Position at_pc(std::uint64_t pc, const std::string& object = "") const;

 private:
  Position from(const Stack* stack, std::uint64_t pc, Pc is) const;

  const Trace& trace_;
  const Symbols& symbols_;
  Names names_;
};

/// "bank.c:12:5 withdraw": stable from run to run. Without debug information the place in the binary has to do.
std::string key_of(const Position& position);

/// The fingerprint is the kind and the keys, in whatever order they are given.
Finding make_finding(FindingKind kind, std::string message, const Position& location, std::vector<Part> parts,
                     std::vector<std::string> keys);

/// What diagnose() consists of.
void diagnose_end(const Evidence& evidence, std::vector<Finding>& out);
void diagnose_standstill(const Evidence& evidence, std::vector<Finding>& out);
void diagnose_race(const Evidence& evidence, std::uint64_t event, std::vector<Finding>& out);
void diagnose_misuse(const Evidence& evidence, std::uint64_t event, std::vector<Finding>& out);
void diagnose_leak(const Evidence& evidence, std::uint64_t event, std::vector<Finding>& out);

/// A broken heap: `event` is where it happened, or kTheEnd; the rest as in the record of the fence.
struct HeapError {
  std::uint64_t event = kTheEnd;
  ThreadId thread{};
  std::uint64_t what = 0, address = 0, block = 0;
};
void diagnose_heap_error(const Evidence& evidence, const HeapError& error, std::vector<Finding>& out);

/// Events whose stacks belong to the finding that diagnose_… makes.
std::vector<std::uint64_t> events_of_race(const Trace& trace, std::uint64_t event);
std::vector<std::uint64_t> events_of_standstill(const Trace& trace);
std::vector<std::uint64_t> events_of_block(const Trace& trace, std::uint64_t address, std::uint64_t before);

}  // namespace treadle
