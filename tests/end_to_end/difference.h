// SPDX-License-Identifier: Apache-2.0
// Two Traces compared: every event with its addresses and values, every choice with its alternatives, and the end.
#pragma once

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "subject/subject.h"
#include "trace/dead_memory.h"
#include "trace/trace.h"

namespace treadle {

inline std::string shown(const Event& e) {
  return fmt::format("{} by thread {} at step {}, pc {:#x}, address {:#x}, value {:#x}, extra {:#x}, size {}, order {}",
                     text_of(static_cast<EventKind>(e.kind)), e.thread, e.step, e.pc, e.address, e.value, e.extra, e.size, e.order);
}

/// Empty when the same, else the first difference in words.
inline std::string difference(const Trace& a, const Trace& b) {
  const auto comparable = [](Event event) {
    if (may_overwrite_garbage(event)) event.extra = 0;
    return event;
  };
  for (std::size_t i = 0; i < std::min(a.events.size(), b.events.size()); ++i)
    if (const Event one = comparable(a.events[i]), other = comparable(b.events[i]); std::memcmp(&one, &other, sizeof(Event)) != 0)
      return fmt::format("event {}:\n    {}\n    {}", i, shown(a.events[i]), shown(b.events[i]));
  if (a.events.size() != b.events.size())
    return fmt::format("{} and {} events, the end being: {} and {} ({})", a.events.size(), b.events.size(), text_of(a.end.ending),
                       text_of(b.end.ending), b.end.text);
  if (a.choices.size() != b.choices.size()) return fmt::format("{} and {} choices", a.choices.size(), b.choices.size());
  for (std::size_t i = 0; i < a.choices.size(); ++i)
    if (a.choices[i].taken != b.choices[i].taken || a.choices[i].alternatives != b.choices[i].alternatives)
      return fmt::format("choice {}", i);
  if (a.alternatives != b.alternatives) return "the alternatives";
  if (a.end.ending != b.end.ending) return fmt::format("the end: {} and {} ({})", text_of(a.end.ending), text_of(b.end.ending), b.end.text);
  if (a.end.thread != b.end.thread || a.end.detail != b.end.detail || a.end.address != b.end.address || a.end.pc != b.end.pc ||
      a.end.text != b.end.text)
    return fmt::format("the end: '{}' and '{}'", a.end.text, b.end.text);
  if (a.texts != b.texts) return "the texts";
  if (a.plain_hash != b.plain_hash) return "the hash over plain accesses";
  if (a.heap_bytes != b.heap_bytes) return fmt::format("the heap: {} and {} bytes", a.heap_bytes, b.heap_bytes);
  if (a.preemptions != b.preemptions) return "the preemptions";
  return "";
}

template <class T>
T must(Result<T> result) {
  if (result) return *std::move(result);
  fmt::print(stderr, "{} {}\n", result.problem().sentence, result.problem().hint);
  std::exit(2);
}

}  // namespace treadle
