// SPDX-License-Identifier: Apache-2.0
#include "finding/diagnose.h"

#include <algorithm>

#include "base/hash.h"
#include "finding/evidence.h"

namespace treadle {
namespace {

void diagnose_one(const Evidence& evidence, const Trouble& trouble, std::vector<Finding>& out) {
  if (trouble.event == kTheEnd) return diagnose_end(evidence, out);
  const Event& event = evidence.trace().events[trouble.event];
  switch (event.kind) {
    case TREADLE_EV_RACE:
      return diagnose_race(evidence, trouble.event, out);
    case TREADLE_EV_MISUSE:
      return diagnose_misuse(evidence, trouble.event, out);
    case TREADLE_EV_LEAK:
      return diagnose_leak(evidence, trouble.event, out);
    case TREADLE_EV_HEAP_ERROR:
      return diagnose_heap_error(evidence, {trouble.event, ThreadId{event.thread}, event.value, event.address, event.extra}, out);
    default:
      return;
  }
}

/// A thread that locks what it holds and never goes on is one bug, told by the deadlock.
bool is_told_by_deadlock(const Trace& trace, const Event& event) {
  if (trace.end.ending != TREADLE_END_DEADLOCK || event.kind != TREADLE_EV_MISUSE || event.value != TREADLE_MISUSE_RELOCK) return false;
  return std::any_of(trace.pending.begin(), trace.pending.end(), [&](const PendingOperation& p) {
    return index_of(p.thread) == event.thread && p.address == event.address && p.pc == event.pc && !p.enabled;
  });
}

std::vector<std::uint64_t> events_of(const Trace& trace, const Trouble& trouble) {
  if (trouble.event == kTheEnd) {
    if (trace.end.ending == TREADLE_END_HEAP_BROKEN)
      return events_of_block(trace, trace.end.extra == 0 ? trace.end.address : trace.end.extra, trace.events.size());
    if (trace.end.ending == TREADLE_END_DEADLOCK || trace.end.ending == TREADLE_END_LIVELOCK) return events_of_standstill(trace);
    return {};
  }
  const Event& event = trace.events[trouble.event];
  std::vector<std::uint64_t> events{trouble.event};
  if (event.kind == TREADLE_EV_RACE) return events_of_race(trace, trouble.event);
  if (event.kind == TREADLE_EV_LEAK || event.kind == TREADLE_EV_HEAP_ERROR) {
    const std::uint64_t block = event.kind == TREADLE_EV_HEAP_ERROR && event.extra != 0 ? event.extra : event.address;
    for (const std::uint64_t other : events_of_block(trace, block, trouble.event)) events.push_back(other);
  }
  return events;
}

}  // namespace

std::vector<Finding> diagnose(const Trace& trace, const Symbols& symbols) {
  std::vector<Finding> all;
  const auto troubles = troubles_of(trace);
  if (troubles.empty()) return all;
  const Evidence evidence(trace, symbols);
  for (const Trouble& trouble : troubles) {
    if (trouble.event != kTheEnd && is_told_by_deadlock(trace, trace.events[trouble.event])) continue;
    std::vector<Finding> found;
    diagnose_one(evidence, trouble, found);
    for (Finding& finding : found) {
      const bool known = std::any_of(all.begin(), all.end(), [&](const Finding& f) { return f.fingerprint == finding.fingerprint; });
      if (known) continue;
      finding.key = trouble.key;
      all.push_back(std::move(finding));
    }
  }
  return all;
}

bool wants_plain_accesses(const Finding& finding) { return finding.kind != FindingKind::Livelock; }

std::vector<std::uint64_t> stacks_wanted(const Trace& trace, const Finding& finding) {
  for (const Trouble& trouble : troubles_of(trace)) {
    if (trouble.key != finding.key) continue;
    auto events = events_of(trace, trouble);
    if (events.size() > TREADLE_MAX_STACK_REQUESTS) events.resize(TREADLE_MAX_STACK_REQUESTS);
    std::sort(events.begin(), events.end());
    events.erase(std::unique(events.begin(), events.end()), events.end());
    return events;
  }
  return {};
}

const Finding* matching(const std::vector<Finding>& findings, const Finding& original) {
  for (const Finding& finding : findings)
    if (finding.fingerprint == original.fingerprint) return &finding;
  // Stacks may have moved a position from a library into the user's code, which changes the fingerprint but not the key.
  for (const Finding& finding : findings)
    if (finding.kind == original.kind && finding.key == original.key) return &finding;
  return nullptr;
}

std::vector<std::uint64_t> quick_keys(const Trace& trace) {
  std::vector<std::uint64_t> keys;
  for (const Trouble& trouble : troubles_of(trace)) keys.push_back(trouble.key);
  return keys;
}

std::uint64_t quick_key(const Trace& trace) {
  auto keys = quick_keys(trace);
  if (keys.empty()) return 0;
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  Hash hash;
  for (const std::uint64_t key : keys) hash.add(key);
  return hash.value() == 0 ? 1 : hash.value();
}

}  // namespace treadle
