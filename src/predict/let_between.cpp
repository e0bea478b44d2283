// SPDX-License-Identifier: Apache-2.0
#include "predict/let_between.h"

#include <algorithm>

namespace treadle {
namespace {

constexpr unsigned most_others = 3;
constexpr std::uint32_t most_tries = 256;        // sections made for one triple
constexpr std::uint32_t most_writers = 8;        // that might have left what a read wants
constexpr std::uint32_t most_steps = 2'000'000;  // and units

}  // namespace

LetBetween::LetBetween(Interruptions& interruptions)
    : interruptions_(interruptions), units_(interruptions.units()), ways_(interruptions.ways()), machine_(interruptions.machine()) {
  for (UnitId u = 0; u < units_.all.size(); ++u) {
    if (ways_.number(u) == nothing) continue;
    for (const UnitRead& read : units_.all[u].reads) {
      users_[read.cell].push_back(u);
      if (read.value == units_.initial[read.cell] && machine_.has_conditions(u)) found_nothing_[read.cell].push_back(u);
    }
    for (const UnitWrite& write : units_.all[u].writes) {
      users_[write.cell].push_back(u);
      writers_[write.cell].push_back(u);
    }
  }
}

const LetBetween::Sections& LetBetween::sections_of(CellId cell) {
  const auto [entry, is_first] = sections_.try_emplace(cell);
  if (!is_first) return entry->second;
  Sections& all = entry->second;
  all.resize(ThreadWays::threads);
  for (const UnitId u : users_[cell]) {
    auto& mine = all[ways_.thread_of(u)];
    if (!mine.empty() && ways_.number(u) < mine.back().end) continue;
    mine.push_back({ways_.number(ways_.entry_of(u)), ways_.end_of_section(ways_.thread_of(u), ways_.number(u))});
  }
  return all;
}

/// The one it stands before, or within.
const LetBetween::Section* LetBetween::next_section(unsigned thread) const {
  const auto& mine = (*of_cell_)[thread];
  const auto next = std::ranges::partition_point(mine, [&](const Section& s) { return s.end <= next_[thread]; });
  return next == mine.end() ? nullptr : &*next;
}

void LetBetween::look_for(std::span<const Triple> triples, std::span<const char> answered, const KeepAsking& keep_asking,
                          const Interruptions::Found& found) {
  for (std::size_t i = 0; i < triples.size(); ++i) {
    if (answered[i]) continue;
    if (!keep_asking()) return;
    const auto what = interruptions_.of(triples[i]);
    if (what && look_for(triples[i], *what)) found(i, [&] { return interruptions_.reply(*what); });
  }
}

bool LetBetween::look_for(const Triple& triple, const Interruption& what) {
  cell_ = interruptions_.cell_of(triple);
  of_cell_ = &sections_of(cell_);
  // The other thread stands before the section in which it writes, or before the one in which it had read what it then writes.
  const auto& remote = (*of_cell_)[ways_.thread_of(what.remote)];
  const std::uint32_t from = ways_.number(what.from);
  const auto own = std::ranges::partition_point(remote, [&](const Section& s) { return s.end <= from; });
  const std::uint32_t earlier = own == remote.begin() ? from : std::prev(own)->begin;
  tries_ = steps_ = 0;
  for (const bool as_observed : {false, true})
    for (unsigned others = 0; others <= most_others; ++others) {
      known_.clear();
      if (!begin(what, earlier, as_observed)) break;
      if (go_on(triple, what, others)) return true;
    }
  return false;
}

/// Up to where both stand before it, with only what that needs; or else with everybody else as far as he was.
bool LetBetween::begin(const Interruption& what, std::uint32_t remote_from, bool as_observed) {
  const unsigned region = ways_.thread_of(what.first), remote = ways_.thread_of(what.remote);
  machine_.start();
  next_.assign(ThreadWays::threads, 0);
  stop_.assign(ThreadWays::threads, nothing);
  driven_.assign(ThreadWays::threads, 0);
  found_last_.clear();
  const std::uint32_t entry = ways_.number(ways_.entry_of(what.first));
  stop_[region] = entry;
  stop_[remote] = remote_from;
  if (as_observed)
    for (UnitId u = 0; u < std::max(what.first, what.remote); ++u)
      if (const std::uint32_t number = ways_.number(u); number != nothing && number < stop_[ways_.thread_of(u)]) {
        const unsigned thread = ways_.thread_of(u);
        if (number == next_[thread] && machine_.make(u)) ++next_[thread];
      }
  stop_[region] = ways_.number(what.behind) + 1;
  stop_[remote] = ways_.number(what.from);
  return drive(remote, remote_from) && drive(region, entry);
}

void LetBetween::back_to(const State& state) {
  machine_.undo(state.made);
  next_ = state.next;
}

/// So many sections of others may still come in between.
bool LetBetween::go_on(const Triple& triple, const Interruption& what, unsigned others) {
  const unsigned region = ways_.thread_of(what.first), remote = ways_.thread_of(what.remote);
  if (!is_new(what, others) || tries_ > most_tries || steps_ > most_steps) return false;
  const State state = here();
  if (next_[region] == stop_[region] && next_[remote] == stop_[remote] && others == 0) {
    if (interruptions_.try_out(what, triple, next_[remote]) == Interruptions::Outcome::Possible) return true;
    back_to(state);
    return false;
  }
  const auto try_next = [&](unsigned thread, unsigned left) {
    ++tries_;
    if (make_section(thread) && go_on(triple, what, left)) return true;
    back_to(state);
    return false;
  };
  const auto found = found_last_;
  for (const unsigned own : {remote, region}) {
    if (next_[own] >= stop_[own]) continue;
    found_last_[own] = machine_.stands_in(cell_).value;
    if (try_next(own, others)) return true;
    found_last_ = found;
  }
  for (unsigned t = 0; others > 0 && t < ThreadWays::threads; ++t)
    if (t != region && t != remote && next_section(t) != nullptr && try_next(t, others - 1)) return true;
  return false;
}

/// What everybody has made, what stands there and what the two have found of it says what can become of it, nearly.
bool LetBetween::is_new(const Interruption& what, unsigned others) {
  std::vector<std::uint64_t> key{others, machine_.stands_in(cell_).value, what.first};
  for (unsigned t = 0; t < ThreadWays::threads; ++t)
    if (!ways_.of(t).empty()) key.push_back(next_[t]);
  for (const auto& [thread, value] : found_last_) key.insert(key.end(), {thread, value});
  return known_.insert(std::move(key)).second;
}

bool LetBetween::make_section(unsigned thread) {
  const Section* section = next_section(thread);
  const std::uint32_t stop = std::min(stop_[thread], static_cast<std::uint32_t>(ways_.of(thread).size()));
  return drive(thread, section == nullptr ? stop : std::min(section->end, stop));
}

/// What it does under locks at once: who waits within a section may wait for somebody who wants the same lock.
bool LetBetween::drive(unsigned thread, std::uint32_t to) {
  if (to > stop_[thread] || driven_[thread]) return next_[thread] >= to;
  driven_[thread] = 1;
  bool goes_on = true;
  while (goes_on && next_[thread] < to && steps_ < most_steps) {
    let_readers_go_first(thread, to);
    const std::size_t before = machine_.made().size();
    std::uint32_t next = next_[thread];
    UnitId unit = ways_.of(thread)[next];
    bool made = machine_.make(unit);
    for (++next; made && next < to && ways_.depth(unit) > 0; ++next) {
      unit = ways_.of(thread)[next];
      made = machine_.make(unit);
    }
    steps_ += next - next_[thread];
    if (made) {
      next_[thread] = next;
      continue;
    }
    machine_.undo(before);
    goes_on = make_way_for(unit);
  }
  driven_[thread] = 0;
  return next_[thread] >= to;
}

/// Who found nothing where the thread is about to write, and went on because of that, would be too late.
void LetBetween::let_readers_go_first(unsigned thread, std::uint32_t to) {
  UnitId unit = nothing;
  for (std::uint32_t i = next_[thread]; i < to && (unit == nothing || ways_.depth(unit) > 0); ++i) {
    unit = ways_.of(thread)[i];
    for (const UnitWrite& write : units_.all[unit].writes) {
      if (write.cell == cell_) continue;  // whoever comes first there is what is tried out
      for (const UnitId reader : found_nothing_[write.cell])
        if (reader < unit && ways_.thread_of(reader) != thread && !machine_.is_made(reader)) make_with_section(reader);
    }
  }
}

/// Somebody else has come further, with which the unit might do. False: nobody has.
bool LetBetween::make_way_for(UnitId unit) {
  const std::size_t before = machine_.made().size();
  std::vector<UnitId> missing = machine_.missing(unit);
  std::erase_if(missing, [&](UnitId m) { return ways_.thread_of(m) == ways_.thread_of(unit); });
  if (!missing.empty())
    return std::ranges::all_of(missing, [&](UnitId m) { return machine_.is_made(m) || make_with_section(m); }) &&
           machine_.made().size() > before;
  // Somebody holds a lock, or has not written yet what was read there.
  for (unsigned t = 0; t < ThreadWays::threads; ++t)
    if (!driven_[t] && !ways_.of(t).empty() && next_[t] > 0 && machine_.locks_held(units_.all[ways_.of(t)[0]].thread) > 0)
      drive(t, ways_.end_of_section(t, next_[t]));
  if (machine_.made().size() > before) return true;
  for (const UnitRead& read : units_.all[unit].reads) {
    std::uint32_t writers = 0;
    for (const UnitId writer : writers_[read.cell]) {
      if (writer >= unit || writers == most_writers) break;
      if (machine_.is_made(writer)) continue;
      if (make_with_section(writer)) return true;
      ++writers;
    }
  }
  return machine_.made().size() > before;
}

/// And what the thread does until it holds no lock.
bool LetBetween::make_with_section(UnitId unit) {
  if (ways_.number(unit) == nothing) return false;
  const unsigned thread = ways_.thread_of(unit);
  if (!drive(thread, ways_.number(unit) + 1)) return false;
  if (ways_.depth(unit) > 0) drive(thread, ways_.end_of_section(thread, ways_.number(unit)));
  return true;
}

}  // namespace treadle
