// SPDX-License-Identifier: Apache-2.0
// Traces made by hand, for tests only: a few words for each event.
#pragma once

#include "trace/trace.h"

namespace treadle {

class MadeUpTrace {
 public:
  MadeUpTrace() { trace.threads = {{}, {0, 1}, {0, 2}, {1, 1}}; }  // 0, 0.1, 0.2, 0.1.1

  /// One event, in a step of its own. Returns its number.
  std::uint64_t event(unsigned thread, EventKind kind, std::uint64_t address = 0, std::uint64_t value = 0, std::uint64_t extra = 0,
                      std::uint64_t pc = 0, unsigned size = 0, unsigned order = 0) {
    Event e{};
    e.kind = static_cast<std::uint8_t>(kind);
    e.thread = static_cast<std::uint8_t>(thread);
    e.size = static_cast<std::uint8_t>(size);
    e.order = static_cast<std::uint8_t>(order);
    e.step = static_cast<std::uint32_t>(trace.choices.size());
    e.pc = pc;
    e.address = address;
    e.value = value;
    e.extra = extra;
    trace.events.push_back(e);
    trace.choices.push_back({Decision{DecisionKind::Step, ThreadId{e.thread}, 0}, 0, 0});
    return trace.events.size() - 1;
  }

  /// A thread that could not go on.
  void blocked(unsigned thread, EventKind kind, std::uint64_t address, std::uint64_t pc, std::uint64_t extra = 0) {
    PendingOperation p;
    p.thread = ThreadId{static_cast<std::uint8_t>(thread)};
    p.state = TREADLE_THREAD_BLOCKED;
    p.kind = kind;
    p.pc = pc;
    p.address = address;
    p.extra = extra;
    trace.pending.push_back(p);
  }

  void end(Ending ending, unsigned thread = 0, std::uint64_t pc = 0, std::uint64_t detail = 0, std::uint64_t address = 0,
           std::uint64_t extra = 0, const char* text = "") {
    trace.end = {ending, ThreadId{static_cast<std::uint8_t>(thread)}, detail, address, extra, pc, text};
  }

  void stack(std::uint64_t event, unsigned thread, std::vector<std::uint64_t> frames) {
    trace.stacks.push_back({event, ThreadId{static_cast<std::uint8_t>(thread)}, std::move(frames)});
  }

  Trace trace;
};

}  // namespace treadle
