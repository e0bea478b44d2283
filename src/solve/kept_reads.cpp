// SPDX-License-Identifier: Apache-2.0
#include "solve/kept_reads.h"

#include <algorithm>
#include <map>

#include "trace/happens_before.h"

namespace treadle {
namespace {

/// A way to tell another thread something that is no memory: its argument, its result.
bool hands_over(EventKind kind) { return kind == TREADLE_EV_THREAD_CREATE || kind == TREADLE_EV_THREAD_EXIT; }

bool compares(EventKind kind) { return kind == TREADLE_EV_CAS_OK || kind == TREADLE_EV_CAS_FAIL || kind == TREADLE_EV_FUTEX_WAIT; }

}  // namespace

KeptReads::KeptReads(const Units& units, const std::vector<char>& prefix, const Trace& trace, const Dependence* dependence)
    : units_(units), prefix_(prefix), trace_(trace), dependence_(dependence), first_(1, 0) {
  for (const Unit& unit : units.all) first_.push_back(first_.back() + static_cast<std::uint32_t>(unit.reads.size()));
  if (all()) return;
  events_.resize(units.all.size());
  next_.resize(units.all.size());
  needed_.resize(units.all.size());
  for (std::uint32_t e = 0; e < trace.events.size(); ++e) {
    const auto kind = static_cast<EventKind>(trace.events[e].kind);
    const bool counts = reads_memory(kind) || writes_memory(kind) || is_visible(kind, Races::Explore);
    if (counts && units.unit_of[e] != nothing) events_[units.unit_of[e]].push_back(e);
  }
  for (UnitId u = 0; u < units.all.size(); ++u)
    if (!units.all[u].is_flush && units.all[u].before != nothing) next_[units.all[u].before].push_back(u);
  find_needed();
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

bool KeptReads::keeps_itself(const ReadOf& which) const {
  if (all()) return true;
  const UnitRead& read = units_.all[which.unit].reads[which.read];
  return compares(static_cast<EventKind>(trace_.events[read.event].kind)) || steers(place(read), which.unit, read.event);
}

/// For each read the first units on each way that its thread goes; those behind them need them.
void KeptReads::find_needed() {
  for (UnitId u = 0; u < units_.all.size(); ++u) {
    if (prefix_[u] != 0) continue;
    const auto& reads = units_.all[u].reads;
    for (std::uint32_t r = 0; r < reads.size(); ++r) {
      if (keeps_itself({u, r})) continue;
      std::vector<UnitId> ways = next_[u];
      while (!ways.empty()) {
        const UnitId later = ways.back();
        ways.pop_back();
        if (steers(place(reads[r]), later, 0))
          needed_[later].push_back({u, r});
        else
          ways.insert(ways.end(), next_[later].begin(), next_[later].end());
      }
    }
  }
}

const std::vector<ReadOf>& KeptReads::flowing_into(UnitId unit) const {
  if (units_.all[unit].is_flush) unit = units_.all[unit].partner;
  const auto [entry, is_new] = flowing_.try_emplace(unit);
  if (is_new && !all()) entry->second = find_flowing(unit);
  return entry->second;
}

std::vector<ReadOf> KeptReads::find_flowing(UnitId unit) const {
  std::vector<ReadOf> found;
  std::vector<std::uint32_t> written;
  for (const std::uint32_t e : events_[unit])
    if (writes_memory(static_cast<EventKind>(trace_.events[e].kind))) written.push_back(e);
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> last;  // by write and site of a read: the last event there before it
  const auto flows = [&](std::uint32_t read, std::uint32_t write) {
    const Event &from = trace_.events[read], &to = trace_.events[write];
    if (!dependence_->flows_into(from.pc, to.pc)) return false;
    if (dependence_->carries(from.pc, to.pc)) return true;
    // Further back it was another iteration, and another thread has nothing to do with it.
    if (read >= write || from.thread != to.thread) return false;
    return last.try_emplace({write, *dependence_->site_of(from.pc)}, read).first->second == read;
  };
  for (UnitId u = unit; u != nothing && prefix_[u] == 0;) {
    const Unit& from = units_.all[u];
    for (std::uint32_t r = static_cast<std::uint32_t>(from.reads.size()); r-- > 0;) {
      const std::uint32_t event = from.reads[r].event;
      bool counts = u == unit && writes_memory(static_cast<EventKind>(trace_.events[event].kind));  // it exchanges
      for (const std::uint32_t write : written) counts |= flows(event, write);
      if (counts) found.push_back({u, r});
    }
    u = from.before != nothing ? from.before : from.must.empty() ? nothing : from.must.front();  // on to who created the thread
  }
  return found;
}

}  // namespace treadle
