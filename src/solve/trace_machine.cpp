// SPDX-License-Identifier: Apache-2.0
#include "solve/trace_machine.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "trace/happens_before.h"

namespace treadle {

TraceMachine::TraceMachine(const SymbolicTrace& symbolic, const CellExpressions& expressions, const CausalFormula& formula,
                           std::span<const LockSection> sections, std::vector<std::vector<UnitId>> object_order)
    : symbolic_(symbolic),
      expressions_(expressions),
      formula_(formula),
      sections_(sections.begin(), sections.end()),
      object_order_(std::move(object_order)),
      refused_(formula.size(), 0),
      values_(expressions),
      memory_(formula.units().cells.size()),
      writer_(formula.units().cells.size()),
      held_(256),
      place_(formula.size(), nothing) {
  std::uint32_t locks = 0;
  for (std::uint32_t s = 0; s < sections_.size(); ++s) {
    entered_by_[sections_[s].acquire].push_back(s);
    if (sections_[s].release != nothing) left_by_[sections_[s].release].push_back(s);
    locks = std::max(locks, sections_[s].lock + 1);
  }
  locks_.resize(locks);
  for (UnitId u = 0; u < formula.size(); ++u) {
    first_read_.push_back(static_cast<std::uint32_t>(leaf_of_.size()));
    leaf_of_.resize(leaf_of_.size() + formula.unit(u).reads.size(), nothing);
    const auto is_strange = [&](std::uint32_t event) {
      const Event& sync = symbolic_.trace().events[event];
      return sync.kind == TREADLE_EV_THREAD_JOIN && sync.extra != 0;
    };
    const Unit& unit = formula.unit(u);
    refused_[u] = unit.is_flush || unit.left_out || formula.reached(u).is_false() || std::ranges::any_of(unit.syncs, is_strange);
  }
  found_.resize(leaf_of_.size());
  source_.resize(leaf_of_.size(), nothing);
  for (std::uint32_t leaf = 0; leaf < expressions.reads().size(); ++leaf) {
    const CellRead& read = expressions.reads()[leaf];
    leaf_of_[first_read_[read.unit] + read.read] = leaf;
  }
}

void TraceMachine::start() {
  values_.start();
  for (CellId c = 0; c < memory_.size(); ++c) memory_[c] = values_.content(symbolic_.initial(c));
  std::ranges::fill(writer_, nothing);
  std::ranges::fill(locks_, Lock{});
  std::ranges::fill(held_, 0);
  for (const UnitId u : made_) place_[u] = nothing;
  made_.clear();
  marks_.clear();
  changes_.clear();
}

const std::vector<std::uint32_t>* TraceMachine::entered(UnitId unit) const {
  const auto found = entered_by_.find(unit);
  return found == entered_by_.end() ? nullptr : &found->second;
}

std::uint32_t TraceMachine::locks_entered(UnitId unit) const {
  const auto* sections = entered(unit);
  return sections == nullptr ? 0 : static_cast<std::uint32_t>(sections->size());
}

std::uint32_t TraceMachine::locks_left(UnitId unit) const {
  const auto found = left_by_.find(unit);
  return found == left_by_.end() ? 0 : static_cast<std::uint32_t>(found->second.size());
}

bool TraceMachine::is_free(const LockSection& section) const {
  const Lock& lock = locks_[section.lock];
  return lock.writers == 0 && (section.shared || lock.readers == 0);
}

bool TraceMachine::may_begin(UnitId unit) const {
  if (refused_[unit] || is_made(unit)) return false;
  const auto is_there = [&](UnitId u) { return is_made(u); };
  if (!std::ranges::all_of(formula_.unit(unit).must, is_there) || !std::ranges::all_of(object_order_[unit], is_there)) return false;
  const auto* sections = entered(unit);
  return sections == nullptr || std::ranges::all_of(*sections, [&](std::uint32_t s) { return is_free(sections_[s]); });
}

std::vector<UnitId> TraceMachine::missing(UnitId unit) const {
  std::vector<UnitId> all;
  for (const auto* list : {&formula_.unit(unit).must, &object_order_[unit]})
    std::ranges::copy_if(*list, std::back_inserter(all), [&](UnitId u) { return !is_made(u); });
  return all;
}

void TraceMachine::find(UnitId unit) {
  const auto& reads = formula_.unit(unit).reads;
  for (std::uint32_t r = 0; r < reads.size(); ++r) {
    const std::uint32_t number = first_read_[unit] + r;
    found_[number] = memory_[reads[r].cell];
    source_[number] = writer_[reads[r].cell];
    if (leaf_of_[number] != nothing) values_.found(leaf_of_[number], found_[number]);
  }
}

bool TraceMachine::conditions_hold(UnitId unit, bool also_trailing) {
  return std::ranges::all_of(symbolic_.conditions_of(unit), [&](std::uint32_t note) {
    return (!also_trailing && symbolic_.is_trailing(note)) || values_.holds(expressions_.of(symbolic_.trace().notes[note].expression));
  });
}

/// Having found what it found, its thread goes on as it did.
bool TraceMachine::goes_on(UnitId unit) {
  const auto& reads = formula_.unit(unit).reads;
  for (std::uint32_t r = 0; r < reads.size(); ++r)
    if (!symbolic_.is_open(reads[r].event, reads[r].cell) && !is_as_it_was(found_[first_read_[unit] + r], reads[r], formula_.units()))
      return false;
  return conditions_hold(unit, true);
}

bool TraceMachine::make(UnitId unit) {
  if (!may_begin(unit) || formula_.happens(unit).is_false()) return false;
  const Mark mark{changes_.size(), values_.computed()};
  find(unit);
  if (!goes_on(unit)) return values_.forget_since(mark.computed), false;
  if (const auto* sections = entered(unit))
    for (const std::uint32_t s : *sections) move(sections_[s], true);
  if (const auto sections = left_by_.find(unit); sections != left_by_.end())
    for (const std::uint32_t s : sections->second) move(sections_[s], false);
  for (const UnitWrite& write : formula_.unit(unit).writes) {
    changes_.push_back({write.cell, memory_[write.cell], writer_[write.cell]});
    memory_[write.cell] = values_.content(expressions_.written(write.event, write.cell));
    writer_[write.cell] = unit;
  }
  place_[unit] = static_cast<std::uint32_t>(made_.size());
  made_.push_back(unit);
  marks_.push_back(mark);
  return true;
}

bool TraceMachine::reaches(UnitId unit) {
  if (!may_begin(unit)) return false;
  find(unit);
  return true;
}

void TraceMachine::move(const LockSection& section, bool enters) {
  Lock& lock = locks_[section.lock];
  std::uint32_t& count = section.shared ? lock.readers : lock.writers;
  std::uint32_t& held = held_[index_of(formula_.unit(section.acquire).thread)];
  count = enters ? count + 1 : count - 1;
  held = enters ? held + 1 : held - 1;
}

void TraceMachine::undo(std::size_t count) {
  if (count >= made_.size()) return;
  const Mark mark = marks_[count];
  while (made_.size() > count) {
    const UnitId unit = made_.back();
    if (const auto sections = left_by_.find(unit); sections != left_by_.end())
      for (const std::uint32_t s : sections->second) move(sections_[s], true);
    if (const auto* sections = entered(unit))
      for (const std::uint32_t s : *sections) move(sections_[s], false);
    place_[unit] = nothing;
    made_.pop_back();
  }
  marks_.resize(count);
  for (; changes_.size() > mark.changes; changes_.pop_back()) {
    memory_[changes_.back().cell] = changes_.back().content;
    writer_[changes_.back().cell] = changes_.back().writer;
  }
  values_.forget_since(mark.computed);
}

Content TraceMachine::left(std::uint32_t event, CellId cell) {
  if (symbolic_.leaves(event, cell)) return values_.content(expressions_.written(event, cell));
  if (const std::uint32_t own = symbolic_.own_source(event, cell); own != nothing) return left(own, cell);
  const UnitId unit = formula_.units().unit_of[event];
  const auto& reads = formula_.unit(unit).reads;
  for (std::uint32_t r = 0; r < reads.size(); ++r)
    if (reads[r].cell == cell) return found_[first_read_[unit] + r];
  return {};
}

/// As ObservedPast finds it in the order of the trace, here in the order in which it was made.
std::vector<UnitId> TraceMachine::needed(std::span<const UnitId> units, UnitId end) const {
  std::vector<UnitId> open;
  std::set<std::uint32_t> places;
  std::unordered_map<std::uint32_t, std::uint32_t> last;  // by lock: the section entered last, of those that are needed
  const auto include = [&](UnitId u) {
    if (u != nothing && places.insert(place_[u]).second) open.push_back(u);
  };
  const auto enter = [&](std::uint32_t s) {
    const auto [entry, is_first] = last.try_emplace(sections_[s].lock, s);
    if (is_first || entry->second == s) return;
    std::uint32_t earlier = s;
    if (place_[sections_[entry->second].acquire] < place_[sections_[s].acquire]) std::swap(earlier, entry->second);
    if (const UnitId release = sections_[earlier].release; release != nothing && is_made(release)) include(release);
  };
  const auto need = [&](UnitId u) {
    for (const UnitId m : formula_.unit(u).must) include(m);
    for (const UnitId m : object_order_[u]) include(m);
    for (std::uint32_t r = 0; r < formula_.unit(u).reads.size(); ++r) include(source_[first_read_[u] + r]);
    if (const auto* sections = entered(u))
      for (const std::uint32_t s : *sections) enter(s);
  };
  for (const UnitId u : units) include(u);
  need(end);
  while (!open.empty()) {
    const UnitId u = open.back();
    open.pop_back();
    need(u);
  }
  std::vector<UnitId> all;
  for (const std::uint32_t place : places) all.push_back(made_[place]);
  return all;
}

}  // namespace treadle
