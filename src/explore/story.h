// SPDX-License-Identifier: Apache-2.0
// The few steps of an execution that tell what went wrong: those at the switches between threads, those that touch what the finding is
// about, and those near the end. As data; the reports decide how it looks.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "finding/finding.h"
#include "finding/symbols.h"
#include "trace/trace.h"

namespace treadle {

struct StoryLine {
  std::string thread{};    // stable name; empty for a line about several threads
  std::string text{};      // "lock mutex `a`", "read x = 0"; empty for an elision
  std::string from{};      // whose write a read saw: "from 0.1, bank.c:12", "initial value"; may be empty
  std::string place{};     // "bank.c:14"
  SourceFrame where{};     // the same in full
  std::size_t elided = 0;  // steps left out here, when text is empty
  bool key = false;        // the finding itself names this step
};

struct Story {
  std::vector<std::string> threads;  // columns, in the order of their first line
  std::vector<StoryLine> lines;
};

Story tell(const Trace& trace, const Finding& finding, const Symbols& symbols, std::size_t max_lines = 24);

/// These events and no others, in this order.
Story tell_these(const Trace& trace, std::span<const std::uint64_t> events, std::span<const std::uint64_t> key, const Symbols& symbols);

}  // namespace treadle
