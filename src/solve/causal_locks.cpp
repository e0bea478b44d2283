// SPDX-License-Identifier: Apache-2.0
#include "solve/causal_locks.h"

#include <algorithm>
#include <cerrno>

#include "solve/unit_parts.h"

namespace treadle {
namespace {

enum Family { Mutex, Spin, ReadWrite };

EventKind kind_of(const Event& event) { return static_cast<EventKind>(event.kind); }

struct LockOperation {
  enum What { None, Acquire, Release } what = None;
  Family family = Mutex;
  bool shared = false, tries = false, timed = false;
};

LockOperation operation_of(const Event& event) {
  switch (kind_of(event)) {
    case TREADLE_EV_LOCK:
      return {LockOperation::Acquire, Mutex};
    case TREADLE_EV_TRYLOCK:
      return {LockOperation::Acquire, Mutex, false, true};
    case TREADLE_EV_TIMEDLOCK:
      return {LockOperation::Acquire, Mutex, false, true, true};
    case TREADLE_EV_UNLOCK:
      return {LockOperation::Release, Mutex};
    case TREADLE_EV_SPIN_LOCK:
      return {LockOperation::Acquire, Spin};
    case TREADLE_EV_SPIN_TRYLOCK:
      return {LockOperation::Acquire, Spin, false, true};
    case TREADLE_EV_SPIN_UNLOCK:
      return {LockOperation::Release, Spin};
    case TREADLE_EV_RDLOCK:
      return {LockOperation::Acquire, ReadWrite, true};
    case TREADLE_EV_WRLOCK:
      return {LockOperation::Acquire, ReadWrite};
    case TREADLE_EV_TRYRDLOCK:
      return {LockOperation::Acquire, ReadWrite, true, true};
    case TREADLE_EV_TRYWRLOCK:
      return {LockOperation::Acquire, ReadWrite, false, true};
    case TREADLE_EV_TIMEDRDLOCK:
      return {LockOperation::Acquire, ReadWrite, true, true, true};
    case TREADLE_EV_TIMEDWRLOCK:
      return {LockOperation::Acquire, ReadWrite, false, true, true};
    case TREADLE_EV_RWUNLOCK:
      return {LockOperation::Release, ReadWrite};
    default:
      return {};
  }
}

bool is_busy(std::uint64_t error) { return error == EBUSY || error == ETIMEDOUT; }

}  // namespace

/// Results that are neither "got it" nor "somebody else has it".
void CausalLocks::find_unmodelled(const Trace& trace, Units& units) {
  for (std::uint32_t e = 0; e < trace.events.size(); ++e) {
    const LockOperation op = operation_of(trace.events[e]);
    if (op.what == LockOperation::None || units.unit_of[e] == nothing) continue;
    const std::uint64_t error = op.what == LockOperation::Release && op.family == ReadWrite ? 0 : trace.events[e].extra;
    if (error != 0 && !(op.what == LockOperation::Acquire && is_busy(error)))
      tell_unmodelled(units, units.unit_of[e], "a lock operation that fails");
  }
}

void CausalLocks::find_sections() {
  for (UnitId u = 0; u < formula_.size(); ++u)
    if (!formula_.unit(u).left_out || !formula_.happens(u).is_false())
      for (const std::uint32_t event : formula_.unit(u).syncs) take_in(u, trace_.events[event]);
  for (auto& [unit, want] : wants_) want.second.object = &objects_[want.first];
}

void CausalLocks::take_in(UnitId unit, const Event& event) {
  if (event.kind == TREADLE_EV_COND_WAIT) return release({Mutex, event.value}, unit, event.thread);
  const LockOperation op = operation_of(event);
  if (op.what == LockOperation::None) return;
  const Key key{op.family, event.address};
  const bool recursive = op.family == Mutex;
  if (op.what == LockOperation::Release) {
    if (recursive && event.value > 0) return;  // an inner one
    return release(key, unit, event.thread);
  }
  const bool got = event.extra == 0;
  if (recursive && got && event.value > 1) return;  // has it already
  if (&event == &trace_.events[formula_.unit(unit).event])
    wants_[unit] = {key, {nullptr, event.thread, op.shared, got, op.tries, op.timed}};
  if (got)
    acquire(key, unit, event.thread, op.shared, op.tries);
  else
    miss(key, unit, event.thread, op.shared, op.timed);
}

void CausalLocks::acquire(Key key, UnitId unit, unsigned thread, bool shared, bool tries) {
  objects_[key].sections.push_back({unit, nothing, thread, shared, tries});
}

void CausalLocks::release(Key key, UnitId unit, unsigned thread) {
  auto& sections = objects_[key].sections;
  const auto open =
      std::find_if(sections.rbegin(), sections.rend(), [&](const Section& s) { return s.thread == thread && s.release == nothing; });
  if (open != sections.rend()) open->release = unit;
}

void CausalLocks::miss(Key key, UnitId unit, unsigned thread, bool shared, bool timed) {
  objects_[key].misses.push_back({unit, thread, shared, timed});
}

Truth CausalLocks::got(const Section& section) { return section.tries ? as_recorded(section.acquire) : formula_.reached(section.acquire); }

void CausalLocks::encode() {
  for (auto& [key, object] : objects_) {
    object.on_demand = object.sections.size() > formula_.most_beforehand();
    if (object.on_demand) continue;
    for (std::size_t i = 0; i < object.sections.size(); ++i)
      for (std::size_t k = i + 1; k < object.sections.size(); ++k) exclude(object.sections[i], object.sections[k]);
  }
  for (const auto& [unit, want] : wants_)
    if (want.second.tries && !formula_.in_prefix(unit)) formula_.clause({~formula_.happens(unit), as_recorded(unit)});
}

std::vector<LockSection> CausalLocks::sections() const {
  std::vector<LockSection> all;
  std::uint32_t lock = 0;
  for (const auto& [key, object] : objects_) {
    for (const Section& s : object.sections) all.push_back({lock, s.acquire, s.release, s.shared, s.tries});
    ++lock;
  }
  return all;
}

void CausalLocks::exclude(const Section& a, const Section& b) {
  if ((a.shared && b.shared) || a.acquire == b.acquire) return;
  const Truth both[] = {~got(a), ~got(b)};
  const auto ends_before = [&](const Section& first, const Section& second) {
    return first.release == nothing ? Truth(false) : formula_.before(first.release, second.acquire);
  };
  const Truth a_first = ends_before(a, b), b_first = ends_before(b, a);
  if (formula_.sections() != nullptr && a.thread != b.thread) {
    // Which of them is entered first says it all.
    const Truth a_enters = formula_.before(a.acquire, b.acquire), b_enters = formula_.before(b.acquire, a.acquire);
    formula_.clause({both[0], both[1], a_enters, b_enters});
    formula_.clause({both[0], both[1], ~a_enters, a_first});
    formula_.clause({both[0], both[1], ~b_enters, b_first});
  }
  if (a_first.is_false() && b_first.is_false() && a.thread == b.thread) return;  // one that went on, one that did not
  formula_.clause({both[0], both[1], a_first, b_first});
  if (a.release != nothing) formula_.clause({both[0], both[1], ~a_first, formula_.happens(a.release)});
  if (b.release != nothing) formula_.clause({both[0], both[1], ~b_first, formula_.happens(b.release)});
}

std::vector<const CausalLocks::Section*> CausalLocks::rivals(UnitId unit, const Want& want) const {
  std::vector<const Section*> found;
  for (const Section& s : want.object->sections)
    if (s.acquire != unit && !(s.shared && want.shared) && !formula_.must_precede(unit, s.acquire) &&
        !(s.release != nothing && formula_.must_precede(s.release, unit)))
      found.push_back(&s);
  return found;
}

Truth CausalLocks::is_taken(UnitId unit, const Want& want) {
  std::vector<Truth> ways;
  const Truth taken = formula_.open();
  for (const Section* s : rivals(unit, want)) {
    const Truth around = formula_.open();
    formula_.clause({~around, formula_.happens(s->acquire)});
    formula_.clause({~around, formula_.before(s->acquire, unit)});
    if (s->release != nothing) formula_.clause({~around, ~formula_.happens(s->release), formula_.before(unit, s->release)});
    ways.push_back(around);
  }
  ways.push_back(~taken);
  formula_.clause(ways);
  return taken;
}

Truth CausalLocks::is_free(UnitId unit, const Want& want) {
  const Truth free = formula_.open();
  for (const Section* s : rivals(unit, want)) {
    const Truth ended = s->release == nothing ? Truth(false) : formula_.before(s->release, unit);
    formula_.clause({~free, ~formula_.happens(s->acquire), formula_.before(unit, s->acquire), ended});
    if (s->release != nothing)
      formula_.clause({~free, ~formula_.happens(s->acquire), formula_.before(unit, s->acquire), formula_.happens(s->release)});
  }
  return free;
}

Truth CausalLocks::as_recorded(UnitId unit) {
  const auto found = wants_.find(unit);
  if (found == wants_.end() || !found->second.second.tries || formula_.in_prefix(unit)) return true;
  if (const auto known = recorded_.find(unit); known != recorded_.end()) return known->second;
  const Want& want = found->second.second;
  // Whoever gets it shuts the others out: exclude() sees to that.
  Truth result = want.got ? formula_.open() : is_taken(unit, want);
  recorded_.emplace(unit, result);
  formula_.clause({~result, formula_.reached(unit)});
  return result;
}

std::vector<OtherResult> CausalLocks::other_results() const {
  std::vector<OtherResult> all;
  for (const auto& [unit, want] : wants_) {
    if (!want.second.tries || formula_.in_prefix(unit) || formula_.is_cut_off(unit)) continue;
    const bool fails = want.second.got;
    all.push_back({unit, fails && want.second.timed ? DecisionKind::Timeout : DecisionKind::Step, 0});
  }
  return all;
}

Truth CausalLocks::can_be(const OtherResult& other) {
  const Want& want = wants_.at(other.unit).second;
  return want.got ? is_taken(other.unit, want) : is_free(other.unit, want);
}

bool CausalLocks::waits(UnitId unit) const {
  const auto found = wants_.find(unit);
  return found != wants_.end() && !found->second.second.tries;
}

/// Somebody has it and will not give it back. That may be one who has left whenever this one gets in (forced_order.h), as the thread that
/// created this one while it had the lock: not rivals() then.
Truth CausalLocks::is_stuck(UnitId unit) {
  const Want& want = wants_.at(unit).second;
  std::vector<Truth> ways;
  const Truth stuck = formula_.open();
  for (const Section& s : want.object->sections) {
    if (s.acquire == unit || (s.shared && want.shared) || formula_.must_precede(unit, s.acquire)) continue;
    const Truth holds = formula_.open();
    formula_.clause({~holds, formula_.happens(s.acquire)});
    if (s.release != nothing) formula_.clause({~holds, ~formula_.happens(s.release)});
    ways.push_back(holds);
  }
  ways.push_back(~stuck);
  formula_.clause(ways);
  return stuck;
}

bool CausalLocks::refine(const Past& past) {
  struct Overlap {
    Object* object;
    const Section *first, *later;
  };
  std::vector<Overlap> overlaps;  // whatever is said makes the solver forget the order: first all are found
  for (auto& [key, object] : objects_) {
    if (!object.on_demand) continue;
    std::vector<const Section*> entered;
    for (const Section& s : object.sections)
      if (past.includes(s.acquire)) entered.push_back(&s);
    std::sort(entered.begin(), entered.end(),
              [&](const Section* a, const Section* b) { return formula_.came_first(a->acquire, b->acquire); });
    // Each against those that come in before it has left.
    for (std::size_t i = 0; i < entered.size(); ++i)
      for (std::size_t k = i + 1; k < entered.size(); ++k) {
        const Section &first = *entered[i], &later = *entered[k];
        const bool has_left = first.release != nothing && past.includes(first.release) && formula_.came_first(first.release, later.acquire);
        if (has_left) break;
        if (!(first.shared && later.shared) && first.thread != later.thread) overlaps.push_back({&object, &first, &later});
      }
  }
  bool any = false;
  for (const auto& [object, first, later] : overlaps) {
    if (!object->said.insert(std::minmax(first->acquire, later->acquire)).second) continue;
    exclude(*first, *later);
    any = true;
  }
  return any;
}

/// Who has left a section before somebody else came in has left it.
void CausalLocks::close(Past& past) const {
  for (const auto& [key, object] : objects_) {
    const auto leaves_before = [&](const Section& s, UnitId unit) {
      return s.release != nothing && formula_.did_happen(s.release) && formula_.came_first(s.release, unit);
    };
    const Section *last = nullptr, *last_exclusive = nullptr;  // of those that somebody enters
    for (const Section& s : object.sections) {
      if (!past.includes(s.acquire)) continue;
      if (last == nullptr || formula_.came_first(last->acquire, s.acquire)) last = &s;
      if (!s.shared && (last_exclusive == nullptr || formula_.came_first(last_exclusive->acquire, s.acquire))) last_exclusive = &s;
    }
    for (const Section& s : object.sections) {
      if (!past.includes(s.acquire) && !formula_.in_prefix(s.acquire)) continue;
      if (s.release == nothing || past.includes(s.release)) continue;
      const Section* other = s.shared ? last_exclusive : last;
      const bool needed = other != nullptr && leaves_before(s, other->acquire);
      const bool free = std::any_of(object.misses.begin(), object.misses.end(), [&](const Miss& other) {
        return past.is_target(other.unit) && !(other.shared && s.shared) && leaves_before(s, other.unit);
      });
      if (needed || free) past.include(s.release);
    }
    // Who did not get it needs somebody who has it.
    const auto taken_by = [&](UnitId unit, bool shared) {
      for (const Section& s : object.sections)
        if (s.acquire != unit && !(s.shared && shared) && formula_.did_happen(s.acquire) && formula_.came_first(s.acquire, unit) &&
            !leaves_before(s, unit))
          return past.include(s.acquire);
    };
    for (const Miss& m : object.misses)
      if (past.includes(m.unit)) taken_by(m.unit, m.shared);
    for (const Section& s : object.sections)
      if (s.tries && past.is_target(s.acquire)) taken_by(s.acquire, s.shared);
  }
}

}  // namespace treadle
