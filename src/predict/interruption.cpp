// SPDX-License-Identifier: Apache-2.0
#include "predict/interruption.h"

#include "predict/interference.h"
#include "solve/unit_parts.h"
#include "trace/happens_before.h"

namespace treadle {
namespace {

/// What is longer than that is not made at once.
constexpr std::uint32_t longest_section = 256;

}  // namespace

ThreadWays::ThreadWays(const Units& units, const TraceMachine& machine)
    : units_(units), ways_(threads), number_(units.all.size(), nothing), depth_(units.all.size(), 0) {
  std::vector<std::uint32_t> held(threads, 0);
  for (UnitId u = 0; u < units.all.size(); ++u) {
    if (units.all[u].left_out) continue;
    const unsigned thread = thread_of(u);
    number_[u] = static_cast<std::uint32_t>(ways_[thread].size());
    ways_[thread].push_back(u);
    depth_[u] = held[thread] += machine.locks_entered(u) - machine.locks_left(u);
  }
}

UnitId ThreadWays::next_of(UnitId unit) const {
  const auto& mine = ways_[thread_of(unit)];
  return number_[unit] + 1 < mine.size() ? mine[number_[unit] + 1] : nothing;
}

UnitId ThreadWays::entry_of(UnitId unit) const {
  UnitId u = unit;
  for (std::uint32_t steps = 0; units_.all[u].before != nothing && depth_[units_.all[u].before] > 0; u = units_.all[u].before)
    if (++steps > longest_section) return unit;
  return u;
}

std::uint32_t ThreadWays::end_of_section(unsigned thread, std::uint32_t from) const {
  const auto& mine = ways_[thread];
  const auto most = static_cast<std::uint32_t>(mine.size());
  for (std::uint32_t i = from; i < most && i - from < longest_section; ++i)
    if (depth_[mine[i]] == 0) return i + 1;
  return std::min(from + 1, most);
}

Interruptions::Interruptions(const Trace& trace, const TraceModel& model, TraceMachine& machine, bool values)
    : trace_(trace), model_(model), units_(model.units()), machine_(machine), ways_(units_, machine), values_(values) {}

/// Where the thread holds as few locks as it can.
UnitId Interruptions::best_place_between(UnitId first, UnitId last) const {
  UnitId best = first;
  for (UnitId u = first; u != nothing && u != last; u = ways_.next_of(u))
    if (ways_.depth(u) < ways_.depth(best)) best = u;
  return best;
}

std::optional<Interruption> Interruptions::of(const Triple& triple) const {
  Interruption out;
  out.first = units_.unit_of[triple.first];
  out.remote = units_.unit_of[triple.remote];
  out.last = units_.unit_of[triple.last];
  for (const UnitId u : {out.first, out.remote, out.last})
    if (u == nothing || ways_.number(u) == nothing) return std::nullopt;
  if (out.first == out.last || model_.must_precede(out.remote, out.first) || model_.must_precede(out.last, out.remote)) return std::nullopt;
  out.behind = best_place_between(out.first, out.last);
  out.from = ways_.entry_of(out.remote);
  return out;
}

CellId Interruptions::cell_of(const Triple& triple) const {
  const Event& event = trace_.events[triple.first];
  return cells_within(units_, event.address, bytes_of(event)).first;
}

Interruptions::Outcome Interruptions::try_out(const Interruption& what, const Triple& triple, std::uint32_t next) {
  const auto& other = ways_.of(ways_.thread_of(what.remote));
  for (std::uint32_t i = next; i < other.size(); ++i)
    if (!machine_.make(other[i]) || (other[i] >= what.remote && ways_.depth(other[i]) == 0)) break;
  if (!machine_.is_made(what.remote)) return Outcome::Impossible;
  for (UnitId u = ways_.next_of(what.behind); u != what.last; u = ways_.next_of(u))
    if (!machine_.make(u)) return Outcome::Impossible;
  if (!machine_.is_made(what.behind) || !machine_.reaches(what.last)) return Outcome::Impossible;
  return values_ && !makes_difference(triple) ? Outcome::MakesNoDifference : Outcome::Possible;
}

Reply Interruptions::reply(const Interruption& what) const {
  const UnitId both[] = {what.first, what.remote};
  return model_.reply_of(machine_.needed(both, what.last), what.last);
}

/// Guarded independence, as far as the values tell; see add_difference() of atomicity.cpp.
bool Interruptions::makes_difference(const Triple& triple) {
  if (!same_bytes(trace_, triple)) return true;
  const bool writes = writes_memory(static_cast<EventKind>(trace_.events[triple.remote].kind));
  if (writes && !differ(triple.first, triple.remote)) return false;
  const bool compares_last = !writes || !reads_memory(static_cast<EventKind>(trace_.events[triple.last].kind));
  return !compares_last || differ(triple.remote, triple.last);
}

bool Interruptions::differ(std::uint32_t a, std::uint32_t b) {
  const auto [first, end] = cells_within(units_, trace_.events[a].address, bytes_of(trace_.events[a]));
  for (CellId c = first; c < end; ++c) {
    const Content one = machine_.left(a, c), other = machine_.left(b, c);
    if (!one.known || !other.known || one.value != other.value) return true;
  }
  return false;
}

}  // namespace treadle
