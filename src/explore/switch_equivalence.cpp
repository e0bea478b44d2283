// SPDX-License-Identifier: Apache-2.0
#include "explore/switch_equivalence.h"

#include <algorithm>
#include <array>

#include "base/hash.h"

namespace treadle {
namespace {

constexpr ValueId unknown = nothing;

bool contains(const std::vector<UnitId>& units, UnitId u) { return std::find(units.begin(), units.end(), u) != units.end(); }

/// What is left of `units` when those are taken away.
std::vector<UnitId> without(const std::vector<UnitId>& units, const std::vector<UnitId>& those) {
  std::vector<UnitId> rest;
  for (const UnitId u : units)
    if (!contains(those, u)) rest.push_back(u);
  return rest;
}

bool acquires(const Event& event) {
  switch (static_cast<EventKind>(event.kind)) {
    case TREADLE_EV_LOCK:
    case TREADLE_EV_TRYLOCK:
    case TREADLE_EV_TIMEDLOCK:
      return event.extra == 0 && event.value == 1;
    case TREADLE_EV_SPIN_LOCK:
    case TREADLE_EV_SPIN_TRYLOCK:
    case TREADLE_EV_RDLOCK:
    case TREADLE_EV_WRLOCK:
    case TREADLE_EV_TRYRDLOCK:
    case TREADLE_EV_TRYWRLOCK:
    case TREADLE_EV_TIMEDRDLOCK:
    case TREADLE_EV_TIMEDWRLOCK:
      return event.extra == 0;
    default:
      return false;
  }
}

/// The lock that the event gives back, or 0.
std::uint64_t released_by(const Event& event) {
  switch (static_cast<EventKind>(event.kind)) {
    case TREADLE_EV_UNLOCK:
      return event.value == 0 ? event.address : 0;
    case TREADLE_EV_SPIN_UNLOCK:
    case TREADLE_EV_RWUNLOCK:
      return event.address;
    case TREADLE_EV_COND_WAIT:
      return event.value;
    default:
      return 0;
  }
}

/// Does what comes of it depend on nothing but locks and on what must come before it?
bool is_simple(const Event& event) {
  switch (static_cast<EventKind>(event.kind)) {
    case TREADLE_EV_LOCK:
      return event.extra == 0;
    case TREADLE_EV_UNLOCK:
    case TREADLE_EV_SPIN_UNLOCK:
    case TREADLE_EV_RWUNLOCK:
    case TREADLE_EV_THREAD_CREATE:
    case TREADLE_EV_THREAD_START:
    case TREADLE_EV_THREAD_EXIT:
    case TREADLE_EV_THREAD_JOIN:
      return true;
    default:
      return acquires(event);
  }
}

}  // namespace

SwitchEquivalence::SwitchEquivalence(const Trace& trace, const CausalModel& model)
    : trace_(trace), model_(model), names_(model.units().all.size()), next_(model.units().all.size(), nothing) {
  const auto& units = model.units().all;
  std::array<std::uint64_t, 256> count{};
  after_prefix_.values = model.units().initial;
  after_prefix_.done.assign(units.size(), 0);
  for (UnitId u = 0; u < units.size(); ++u) {
    const Unit& unit = units[u];
    const std::uint64_t thread = index_of(unit.thread);
    if (unit.is_flush)
      names_[u] = unit.partner == nothing ? ~0ull : names_[unit.partner] | 1ull << 63;
    else
      names_[u] = thread << 40 | (unit.left_out ? 1ull << 39 | u : count[thread]++);
    if (!unit.is_flush && !unit.left_out && unit.before != nothing) next_[unit.before] = u;
    if (model.in_prefix(u)) make(u, after_prefix_, nullptr);
  }
}

Extension SwitchEquivalence::extension(const std::vector<UnitId>& units, const NewPrefix& found) const {
  const Question& question = found.question;
  Extension out;
  for (const UnitId u : units) out.steps.push_back(names_[u]);
  std::sort(out.steps.begin(), out.steps.end());
  out.target = names_[question.unit];
  Hash hash;
  hash.add(question.read);
  if (question.is_read()) {
    const UnitRead& read = model_.units().all[question.unit].reads[question.read];
    hash.add(trace_.events[read.event].address);
    hash.add(model_.units().values[read.cell][question.value].value_or(~0ull));
  } else {
    hash.add(question.part).add(static_cast<std::uint64_t>(question.other.decision)).add(question.other.tag);
  }
  out.value = hash.value();
  return out;
}

std::vector<Equivalents> SwitchEquivalence::among(const std::vector<NewPrefix>& found) const {
  std::vector<Equivalents> equivalents(found.size());
  std::vector<std::vector<UnitId>> complete_ones;
  for (const NewPrefix& one : found) complete_ones.push_back(complete(one.reply.units));
  for (std::size_t i = 0; i < found.size(); ++i)
    for (std::size_t j = i + 1; j < found.size(); ++j) {
      const auto& a = complete_ones[i];
      const auto& b = complete_ones[j];
      if (contains(b, found[i].question.unit) || contains(a, found[j].question.unit)) continue;
      std::vector<UnitId> one_way = a, other_way = b;
      const auto rest = without(b, a), other_rest = without(a, b);
      one_way.insert(one_way.end(), rest.begin(), rest.end());
      other_way.insert(other_way.end(), other_rest.begin(), other_rest.end());
      if (go_through(one_way, found[i], found[j]) && go_through(other_way, found[i], found[j]))
        equivalents[i].push_back(extension(without(found[j].reply.units, found[i].reply.units), found[j]));
    }
  return equivalents;
}

/// Whoever holds a lock at the end goes on until it is given back, as in the trace.
std::vector<UnitId> SwitchEquivalence::complete(const std::vector<UnitId>& units) const {
  const auto& all = model_.units().all;
  std::vector<std::pair<std::uint64_t, UnitId>> held;  // and who took it
  for (const UnitId u : units)
    for (const std::uint32_t e : all[u].syncs) {
      const Event& event = trace_.events[e];
      if (acquires(event)) held.emplace_back(event.address, u);
      if (const std::uint64_t lock = released_by(event))
        std::erase_if(held, [&](const auto& h) { return h.first == lock && all[h.second].thread == all[u].thread; });
    }
  std::vector<UnitId> out = units;
  for (const auto& [lock, taken_by] : held) {
    std::vector<UnitId> more;
    UnitId u = next_[taken_by];
    for (; u != nothing; u = next_[u]) {
      if (!contains(out, u)) more.push_back(u);
      const auto& syncs = all[u].syncs;
      if (std::any_of(syncs.begin(), syncs.end(), [&](std::uint32_t e) { return released_by(trace_.events[e]) == lock; })) break;
    }
    if (u != nothing) out.insert(out.end(), more.begin(), more.end());
  }
  return out;
}

bool SwitchEquivalence::go_through(const std::vector<UnitId>& units, const NewPrefix& one, const NewPrefix& other) const {
  Memory memory = after_prefix_;
  return std::all_of(units.begin(), units.end(), [&](UnitId u) {
    return make(u, memory, u == one.question.unit ? &one : u == other.question.unit ? &other : nullptr);
  });
}

std::vector<Decision> SwitchEquivalence::rest_as_before(const NewPrefix& found) const {
  std::vector<Decision> rest;
  if (!found.question.is_read()) return rest;
  Memory memory = after_prefix_;
  for (const UnitId u : found.reply.units)
    if (!make(u, memory, u == found.question.unit ? &found : nullptr)) return rest;
  memory.done[found.question.unit] = 0;  // its thread goes on as it likes
  const auto& units = model_.units().all;
  for (UnitId u = 0; u < units.size(); ++u) {
    if (memory.done[u] != 0 || u == found.question.unit || !goes_on_by_itself(u)) continue;
    auto locks = memory.locks;
    if (make(u, memory, nullptr))
      rest.insert(rest.end(), units[u].decisions.begin(), units[u].decisions.end());
    else
      memory.locks = std::move(locks);
  }
  return rest;
}

bool SwitchEquivalence::goes_on_by_itself(UnitId u) const {
  const Unit& unit = model_.units().all[u];
  const bool is_open = unit.choice != nothing && !unit.left_out && !unit.ends && !model_.is_cut_off(u);
  return is_open &&
         std::all_of(unit.decisions.begin(), unit.decisions.end(),
                     [](const Decision& d) { return d.kind == DecisionKind::Step || d.kind == DecisionKind::Flush; }) &&
         std::all_of(unit.syncs.begin(), unit.syncs.end(), [&](std::uint32_t e) { return is_simple(trace_.events[e]); });
}

/// False: it cannot be made here, or would see something else. Of a target the reads behind the one in question do not count.
bool SwitchEquivalence::make(UnitId u, Memory& memory, const NewPrefix* target) const {
  const Unit& unit = model_.units().all[u];
  const bool in_prefix = model_.in_prefix(u);
  if (!in_prefix && !std::all_of(unit.must.begin(), unit.must.end(), [&](UnitId m) { return memory.done[m] != 0; })) return false;
  if (!take_locks(unit, memory) && !in_prefix) return false;
  for (std::uint32_t r = 0; r < unit.reads.size(); ++r) {
    const UnitRead& read = unit.reads[r];
    const bool own = read.own_flush != nothing && memory.done[read.own_flush] == 0;
    const ValueId value = own ? read.own_value : memory.values[read.cell];
    const bool is_target = target != nullptr && target->question.read == r;
    if (!in_prefix && value != (is_target ? target->question.value : read.value)) return false;
    if (is_target) break;
  }
  for (const UnitWrite& write : unit.writes) memory.values[write.cell] = target != nullptr ? unknown : write.value;
  memory.done[u] = 1;
  return true;
}

bool SwitchEquivalence::take_locks(const Unit& unit, Memory& memory) const {
  for (const std::uint32_t e : unit.syncs) {
    const Event& event = trace_.events[e];
    if (const std::uint64_t lock = released_by(event)) std::erase(memory.locks, std::pair{lock, index_of(unit.thread)});
    if (!acquires(event)) continue;
    if (std::any_of(memory.locks.begin(), memory.locks.end(), [&](const auto& l) { return l.first == event.address; })) return false;
    memory.locks.emplace_back(event.address, index_of(unit.thread));
  }
  return true;
}

}  // namespace treadle
