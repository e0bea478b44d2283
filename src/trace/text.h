// SPDX-License-Identifier: Apache-2.0
// Schedules and Traces for people.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "trace/names.h"
#include "trace/trace.h"
#include "trace/witness.h"

namespace treadle {

/// Lines "key value…", then the decisions, a line for each run of one thread's steps: "0.1 x3", "0 timeout", "0 wake 0.2", "0.1 flush 2".
std::string text_of(const Schedule& schedule);

/// The inverse: parse_schedule(text_of(s)) == s. Lines that are empty or start with # are skipped.
Result<Schedule> parse_schedule(std::string_view text);

/// A comment with the program and its arguments, then the schedule.
std::string text_of(const Witness& witness);

/// One event in words, cut into the columns of a table.
struct EventText {
  std::string step;       // "12"
  std::string thread;     // "0.1"
  std::string operation;  // "lock", "atomic-write release"
  std::string object;     // "mutex", "heap 0.1#3+8"; may be empty
  std::string value;      // "7", "7 -> 8", "EBUSY", "wakes nobody"; may be empty
  std::string place;      // "bank.c:12"; empty without symbols
};
EventText describe(const Trace& trace, std::uint64_t event, const Names& names, const SymbolSource* symbols = nullptr);

/// One line for each event, then how it ended and who waited for what.
std::string text_of(const Trace& trace, const SymbolSource* symbols = nullptr);

/// "EBUSY"; the number in digits when it has no name.
std::string errno_name(std::uint64_t number);

/// "SIGSEGV"; "signal 77" when it has no name.
std::string signal_name(std::uint64_t number);

}  // namespace treadle
