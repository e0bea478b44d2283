// SPDX-License-Identifier: Apache-2.0
// What one execution did, as data.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "abi/shared_block.h"
#include "base/check.h"
#include "trace/expression.h"
#include "trace/schedule.h"

namespace treadle {

using EventKind = TreadleEventKind;
using Ending = TreadleEnding;

/// The record of the fence, validated: kind, thread and step are in range.
using Event = TreadleEvent;

const char* text_of(EventKind kind);
const char* text_of(Ending ending);

/// Asked of every event of every execution, so they stand here.
enum class EventClass : std::uint8_t { PLAIN, ATOMIC, SYNC, NOTE, TROUBLE };
constexpr EventClass event_classes[] = {
#define X(name, text, class_) EventClass::class_,
    TREADLE_EVENT_KINDS(X)
#undef X
};
inline EventClass class_of(EventKind kind) {
  check(kind < TREADLE_EV_COUNT, "an event's kind is in the catalogue");
  return event_classes[kind];
}
inline bool is_visible(EventKind kind, Races races) {  // a scheduling point?
  const EventClass of = class_of(kind);
  return of == EventClass::ATOMIC || of == EventClass::SYNC || (of == EventClass::PLAIN && races == Races::Explore);
}
inline bool is_trouble(EventKind kind) { return class_of(kind) == EventClass::TROUBLE; }  // a finding that did not end the execution?

/// One point at which the runtime chose: what it took, and (when recorded) everything it could have taken, the one taken first.
struct Choice {
  Decision taken;
  std::uint32_t first_alternative = 0;  // in Trace::alternatives
  std::uint32_t alternatives = 0;       // 0: not recorded
};

struct Stack {
  std::uint64_t event = 0;
  ThreadId thread{};
  std::vector<std::uint64_t> frames;  // innermost first
};

struct PendingOperation {
  ThreadId thread{};
  std::uint8_t state = 0;  // TREADLE_THREAD_*
  EventKind kind = TREADLE_EV_NONE;
  bool enabled = false;
  std::uint32_t locks_held = 0;
  std::uint64_t pc = 0;
  std::uint64_t address = 0;
  std::uint64_t extra = 0;
  std::uint8_t size = 0;    // bytes of a scalar access
  bool only_reads = false;  // it would have changed nothing: a compare-exchange or try-lock that would have failed
};

struct HowItEnded {
  Ending ending = TREADLE_END_NOT_RUN;
  ThreadId thread{};
  std::uint64_t detail = 0, address = 0, extra = 0, pc = 0;
  std::string text;
};

struct Trace {
  std::vector<Event> events;
  std::vector<Choice> choices;  // one per decision, in order
  std::vector<Decision> alternatives;
  std::vector<ThreadName> threads;
  HowItEnded end;
  std::vector<PendingOperation> pending;  // when it did not complete
  std::vector<Stack> stacks;              // as requested; the stack of the end comes last, event = UINT64_MAX
  std::vector<std::string> texts;         // names used by OBSERVE and INPUT events: Event::address is an index into it
  std::vector<Expression> expressions;    // of a symbolic build, when asked for: number 0 is none
  std::vector<Note> notes;                // what ties them to events and branches
  std::uint64_t plain_hash = 0;
  std::uint64_t heap_bytes = 0;
  std::uint32_t preemptions = 0;
  std::uint32_t inputs_used = 0;
  bool saved_snapshot = false;   // the snapshot asked for was saved in the course of it
  std::uint32_t resumed_at = 0;  // decisions before this one were not made again: it went on from a snapshot

  void clear();  // keeps the memory
};

/// The decisions taken, as a prefix that leads to the same end.
std::vector<Decision> decisions_of(const Trace& trace);

}  // namespace treadle
