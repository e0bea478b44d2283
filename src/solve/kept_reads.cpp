// SPDX-License-Identifier: Apache-2.0
#include "solve/kept_reads.h"

#include <algorithm>

#include "trace/happens_before.h"

namespace treadle {
namespace {

/// A way to tell another thread something that is no memory: its argument, its result.
bool hands_over(EventKind kind) { return kind == TREADLE_EV_THREAD_CREATE || kind == TREADLE_EV_THREAD_EXIT; }

bool compares(EventKind kind) { return kind == TREADLE_EV_CAS_OK || kind == TREADLE_EV_CAS_FAIL; }

}  // namespace

KeptReads::KeptReads(const CausalFormula& formula, const Trace& trace, const Dependence* dependence)
    : formula_(formula), trace_(trace), dependence_(dependence) {
  if (all()) return;
  events_.resize(formula.size());
  next_.resize(formula.size());
  for (std::uint32_t e = 0; e < trace.events.size(); ++e) {
    const auto kind = static_cast<EventKind>(trace.events[e].kind);
    const bool counts = reads_memory(kind) || writes_memory(kind) || is_visible(kind, Races::Explore);
    if (counts && formula.units().unit_of[e] != nothing) events_[formula.units().unit_of[e]].push_back(e);
  }
  for (UnitId u = 0; u < formula.size(); ++u)
    if (!formula.unit(u).is_flush && formula.unit(u).before != nothing) next_[formula.unit(u).before].push_back(u);
}

bool KeptReads::steers(std::uint64_t read, UnitId unit, std::uint32_t after) const {
  return std::any_of(events_[unit].begin(), events_[unit].end(), [&](std::uint32_t e) {
    const Event& event = trace_.events[e];
    if (e <= after) return false;
    return dependence_->steers(read, event.pc) ||
           (hands_over(static_cast<EventKind>(event.kind)) && dependence_->flows_into(read, event.pc));
  });
}

bool KeptReads::steers(const UnitRead& first, const UnitRead& second) const {
  return all() || first.event == second.event || dependence_->steers(place(first), place(second));
}

std::vector<UnitId> KeptReads::needed_by(const ReadOf& which, bool& itself) const {
  const UnitRead& read = formula_.unit(which.unit).reads[which.read];
  itself = all() || compares(static_cast<EventKind>(trace_.events[read.event].kind)) || steers(place(read), which.unit, read.event);
  std::vector<UnitId> found;
  if (itself) return found;
  std::vector<UnitId> ways = next_[which.unit];
  while (!ways.empty()) {
    const UnitId u = ways.back();
    ways.pop_back();
    if (steers(place(read), u, 0))
      found.push_back(u);
    else
      ways.insert(ways.end(), next_[u].begin(), next_[u].end());
  }
  return found;
}

std::vector<ReadOf> KeptReads::flowing_into(UnitId unit) const {
  std::vector<ReadOf> found;
  if (all()) return found;
  if (formula_.unit(unit).is_flush) unit = formula_.unit(unit).partner;
  std::vector<std::uint64_t> written;
  for (const std::uint32_t e : events_[unit])
    if (writes_memory(static_cast<EventKind>(trace_.events[e].kind))) written.push_back(trace_.events[e].pc);
  for (UnitId u = unit; u != nothing && !formula_.in_prefix(u);) {
    const Unit& from = formula_.unit(u);
    for (std::uint32_t r = 0; r < from.reads.size(); ++r) {
      const Event& event = trace_.events[from.reads[r].event];
      const bool exchanges = u == unit && writes_memory(static_cast<EventKind>(event.kind));
      if (exchanges || std::any_of(written.begin(), written.end(), [&](std::uint64_t pc) { return dependence_->flows_into(event.pc, pc); }))
        found.push_back({u, r});
    }
    u = from.before != nothing ? from.before : from.must.empty() ? nothing : from.must.front();  // on to who created the thread
  }
  return found;
}

}  // namespace treadle
