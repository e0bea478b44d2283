// SPDX-License-Identifier: Apache-2.0
#include "solve/causal_semaphores.h"

#include <algorithm>
#include <cerrno>

#include "solve/counted_truths.h"
#include "solve/unit_parts.h"

namespace treadle {
namespace {

bool is_wait(const Event& event) {
  return event.kind == TREADLE_EV_SEM_WAIT || event.kind == TREADLE_EV_SEM_TRYWAIT || event.kind == TREADLE_EV_SEM_TIMEDWAIT;
}

}  // namespace

void CausalSemaphores::find_unmodelled(const Trace& trace, Units& units) {
  for (std::uint32_t e = 0; e < trace.events.size(); ++e) {
    const Event& event = trace.events[e];
    const bool odd = (is_wait(event) && event.extra != 0 && event.extra != EAGAIN && event.extra != ETIMEDOUT) ||
                     (event.kind == TREADLE_EV_SEM_POST && event.extra != 0);
    if (odd && units.unit_of[e] != nothing) tell_unmodelled(units, units.unit_of[e], "a semaphore operation that is interrupted or fails");
  }
}

CausalSemaphores::CausalSemaphores(CausalFormula& formula, const Trace& trace) : formula_(formula), trace_(trace) {
  for (UnitId u = 0; u < formula_.size(); ++u)
    if (!formula_.unit(u).left_out)
      for (const std::uint32_t event : formula_.unit(u).syncs) take_in(u, trace_.events[event]);
}

void CausalSemaphores::take_in(UnitId unit, const Event& event) {
  const bool post = event.kind == TREADLE_EV_SEM_POST;
  if (event.kind == TREADLE_EV_SEM_INIT) {
    Semaphore& semaphore = semaphores_[event.address];
    if (!semaphore.known) semaphore.tokens = event.value;
    semaphore.known = true;
  }
  if (event.kind == TREADLE_EV_SEM_GETVALUE) {
    Semaphore& semaphore = semaphores_[event.address];
    if (!semaphore.known) semaphore.tokens = event.value;
    semaphore.known = true;
    looks_[unit] = {event.address, event.value, {}};
  }
  if (!post && !is_wait(event)) return;
  Semaphore& semaphore = semaphores_[event.address];
  const bool got = event.extra == 0;
  if (!semaphore.known) semaphore.tokens = !got ? event.value : post ? event.value - 1 : event.value + 1;
  semaphore.known = true;
  if (post) {
    semaphore.posts.push_back(unit);
    return;
  }
  const bool tries = event.kind != TREADLE_EV_SEM_WAIT;
  waits_[unit] = {event.address, semaphore.waits.size()};
  semaphore.waits.push_back({unit, got, tries, event.kind == TREADLE_EV_SEM_TIMEDWAIT, {}});
}

Truth CausalSemaphores::took(const Wait& wait) { return wait.tries ? as_recorded(wait.unit) : formula_.reached(wait.unit); }

void CausalSemaphores::encode() {
  for (auto& [address, semaphore] : semaphores_) {
    for (Wait& wait : semaphore.waits)
      if (wait.got && !is_plentiful(semaphore)) encode_take(semaphore, wait, took(wait));
    for (const Wait& wait : semaphore.waits)
      if (wait.tries && !formula_.in_prefix(wait.unit)) formula_.clause({~formula_.happens(wait.unit), as_recorded(wait.unit)});
  }
  for (const auto& [unit, look] : looks_) formula_.clause({~formula_.happens(unit), as_recorded(unit)});
}

/// It happens, and does so earlier.
Truth CausalSemaphores::comes_before(UnitId earlier, UnitId unit) {
  if (formula_.must_precede(unit, earlier) || formula_.happens(earlier).is_false()) return false;
  const Truth before = formula_.open();
  formula_.clause({~before, formula_.happens(earlier)});
  formula_.clause({~before, formula_.before(earlier, unit)});
  formula_.clause({before, ~formula_.happens(earlier), ~formula_.reached(unit), formula_.before(unit, earlier)});
  return before;
}

void CausalSemaphores::encode_count(UnitId unit, Look& look) {
  const Semaphore& semaphore = semaphores_.at(look.object);
  std::vector<Truth> counted;
  for (const UnitId post : semaphore.posts) counted.push_back(comes_before(post, unit));
  for (const Wait& wait : semaphore.waits)
    if (wait.got) counted.push_back(~comes_before(wait.unit, unit));
  look.at_least = numbers_of(formula_, counted);
}

/// sem_getvalue says this.
Truth CausalSemaphores::counts(UnitId unit, std::uint64_t value) {
  const auto found = looks_.find(unit);
  if (found == looks_.end()) return false;
  if (found->second.at_least.empty()) encode_count(unit, found->second);
  const Semaphore& semaphore = semaphores_.at(found->second.object);
  const auto takers = static_cast<std::uint64_t>(std::ranges::count_if(semaphore.waits, &Wait::got));
  if (value + takers < semaphore.tokens) return false;
  return is_number(formula_, found->second.at_least, value + takers - semaphore.tokens);
}

void CausalSemaphores::encode_take(Semaphore& semaphore, Wait& wait, Truth when) {
  const std::size_t count = semaphore.posts.size() + semaphore.tokens;
  std::vector<Truth> ways{~when};
  wait.takes.assign(count, Truth(false));
  for (std::size_t i = 0; i < count; ++i) {
    if (i < semaphore.posts.size() && (formula_.must_precede(wait.unit, semaphore.posts[i]) || semaphore.posts[i] == wait.unit)) continue;
    const Truth takes = formula_.open();
    for (std::size_t k = 0; k < i; ++k) formula_.clause({~takes, ~wait.takes[k]});
    wait.takes[i] = takes;
    ways.push_back(takes);
    formula_.clause({~takes, when});
    if (i < semaphore.posts.size()) {
      formula_.clause({~takes, formula_.happens(semaphore.posts[i])});
      formula_.clause({~takes, formula_.before(semaphore.posts[i], wait.unit)});
    }
    for (const Wait& other : semaphore.waits)
      if (&other != &wait && !other.takes.empty()) formula_.clause({~takes, ~other.takes[i]});
  }
  formula_.clause(ways);
}

void CausalSemaphores::encode_takes(Semaphore& semaphore) {
  for (Wait& wait : semaphore.waits)
    if (wait.got && wait.takes.empty()) encode_take(semaphore, wait, took(wait));
}

Truth CausalSemaphores::encode_empty(Semaphore& semaphore, UnitId unit) {
  const Truth empty = formula_.open();
  encode_takes(semaphore);
  for (std::size_t i = 0; i < semaphore.posts.size() + semaphore.tokens; ++i) {
    std::vector<Truth> ways{~empty};
    if (i < semaphore.posts.size()) {
      ways.push_back(~formula_.happens(semaphore.posts[i]));
      ways.push_back(formula_.before(unit, semaphore.posts[i]));
    }
    for (const Wait& wait : semaphore.waits) {
      if (!wait.got || wait.unit == unit || wait.takes[i].is_false()) continue;
      const Truth gone = formula_.open();
      formula_.clause({~gone, wait.takes[i]});
      formula_.clause({~gone, formula_.happens(wait.unit)});
      formula_.clause({~gone, formula_.before(wait.unit, unit)});
      ways.push_back(gone);
    }
    formula_.clause(ways);
  }
  return empty;
}

Truth CausalSemaphores::as_recorded(UnitId unit) {
  if (const auto look = looks_.find(unit); look != looks_.end() && !formula_.in_prefix(unit)) {
    if (const auto known = recorded_.find(unit); known != recorded_.end()) return known->second;
    const Truth result = formula_.open();
    recorded_.emplace(unit, result);
    formula_.clause({~result, formula_.reached(unit)});
    formula_.clause({~result, counts(unit, look->second.value)});
    return result;
  }
  const auto found = waits_.find(unit);
  if (found == waits_.end() || formula_.in_prefix(unit)) return true;
  Semaphore& semaphore = semaphores_.at(found->second.object);
  const Wait& wait = semaphore.waits[found->second.wait];
  if (!wait.tries) return true;
  if (const auto known = recorded_.find(unit); known != recorded_.end()) return known->second;
  const Truth result = formula_.open();
  recorded_.emplace(unit, result);
  formula_.clause({~result, formula_.reached(unit)});
  if (!wait.got) formula_.clause({~result, encode_empty(semaphore, unit)});
  return result;
}

std::vector<OtherResult> CausalSemaphores::other_results() const {
  std::vector<OtherResult> all;
  for (const auto& [unit, place] : waits_) {
    const Wait& wait = semaphores_.at(place.object).waits[place.wait];
    if (!wait.tries || formula_.in_prefix(unit) || formula_.is_cut_off(unit)) continue;
    all.push_back({unit, wait.got && wait.timed ? DecisionKind::Timeout : DecisionKind::Step, 0});
  }
  for (const auto& [unit, look] : looks_)
    if (!formula_.in_prefix(unit) && !formula_.is_cut_off(unit)) all.push_back({unit, DecisionKind::Step, 0});
  return all;
}

Truth CausalSemaphores::can_be(const OtherResult& other) {
  if (const auto look = looks_.find(other.unit); look != looks_.end())
    return other.tag == 0 ? ~counts(other.unit, look->second.value) : counts(other.unit, other.tag - 1);
  Semaphore& semaphore = semaphores_.at(waits_.at(other.unit).object);
  Wait& wait = semaphore.waits[waits_.at(other.unit).wait];
  if (wait.got) return encode_empty(semaphore, other.unit);
  const Truth takes = formula_.open();
  encode_take(semaphore, wait, takes);
  return takes;
}

bool CausalSemaphores::waits(UnitId unit) const {
  const auto found = waits_.find(unit);
  if (found == waits_.end()) return false;
  const Wait& wait = semaphores_.at(found->second.object).waits[found->second.wait];
  return wait.got && !wait.tries;
}

/// Whatever was there or came has been taken.
Truth CausalSemaphores::is_stuck(UnitId unit) {
  Semaphore& semaphore = semaphores_.at(waits_.at(unit).object);
  encode_takes(semaphore);
  const Truth stuck = formula_.open();
  for (std::size_t i = 0; i < semaphore.posts.size() + semaphore.tokens; ++i) {
    std::vector<Truth> ways{~stuck};
    if (i < semaphore.posts.size()) ways.push_back(~formula_.happens(semaphore.posts[i]));
    for (const Wait& wait : semaphore.waits)
      if (wait.got && wait.unit != unit) ways.push_back(wait.takes[i]);
    formula_.clause(ways);
  }
  return stuck;
}

void CausalSemaphores::close(Past& past) const {
  for (const auto& [unit, look] : looks_) {  // whatever it counts
    if (!past.includes(unit)) continue;
    const Semaphore& semaphore = semaphores_.at(look.object);
    const auto include = [&](UnitId counted) {
      if (counted != unit && formula_.did_happen(counted) && formula_.came_first(counted, unit)) past.include(counted);
    };
    for (const UnitId post : semaphore.posts) include(post);
    for (const Wait& wait : semaphore.waits)
      if (wait.got) include(wait.unit);
  }
  for (const auto& [address, semaphore] : semaphores_) {
    for (const Wait& wait : semaphore.waits) {
      if (!past.includes(wait.unit)) continue;
      for (std::size_t i = 0; i < wait.takes.size() && i < semaphore.posts.size(); ++i)
        if (formula_.holds(wait.takes[i])) past.include(semaphore.posts[i]);
      if (wait.got && !past.is_target(wait.unit)) continue;
      // Who finds nothing: what was taken from what is there has been taken.
      for (const Wait& taker : semaphore.waits) {
        if (taker.unit == wait.unit || !taker.got || !formula_.did_happen(taker.unit) || !formula_.came_first(taker.unit, wait.unit))
          continue;
        for (std::size_t i = 0; i < taker.takes.size(); ++i) {
          const bool there = i >= semaphore.posts.size() || past.includes(semaphore.posts[i]) || formula_.in_prefix(semaphore.posts[i]);
          if (formula_.holds(taker.takes[i]) && there) past.include(taker.unit);
        }
      }
    }
  }
}

}  // namespace treadle
