// SPDX-License-Identifier: Apache-2.0
#include "solve/propagation.h"

#include <algorithm>

namespace treadle {

void Propagation::watch(ClauseRef clause) {
  const auto literals = clauses_.literals(clause);
  const auto place = static_cast<std::uint32_t>(clause);
  const std::uint32_t is_pair = literals.size() == 2 ? 1 : 0;
  watches_[literals[0].code].push_back({place, is_pair, literals[1]});
  watches_[literals[1].code].push_back({place, is_pair, literals[0]});
}

void Propagation::watch_all_anew() {
  for (auto& list : watches_) list.clear();
  for (const ClauseRef clause : clauses_.given()) watch(clause);
  for (const ClauseRef clause : clauses_.learnt()) watch(clause);
}

ClauseRef Propagation::propagate() {
  while (next_ < trail_.size()) {
    const ClauseRef conflict = visit_watches(~trail_[next_++]);
    if (conflict != no_clause) return conflict;
  }
  return no_clause;
}

ClauseRef Propagation::visit_watches(Literal falsified) {
  auto& list = watches_[falsified.code];
  auto kept = list.begin();
  auto watch = list.begin();
  ClauseRef conflict = no_clause;
  steps_ += list.size();
  while (watch != list.end() && conflict == no_clause) {
    const Watch seen = *watch++;
    if (trail_.is_true(seen.other)) {
      *kept++ = seen;
      continue;
    }
    if (seen.is_pair) {
      *kept++ = seen;
      if (trail_.is_false(seen.other)) {
        conflict = seen.clause();
      } else {
        trail_.assign(seen.other, seen.clause());
      }
      continue;
    }
    const auto literals = clauses_.literals(seen.clause());
    if (literals[0] == falsified) std::swap(literals[0], literals[1]);
    const Literal first = literals[0];
    if (first != seen.other && trail_.is_true(first)) {
      *kept++ = {seen.place, 0, first};
      continue;
    }
    const auto replacement = std::find_if(literals.begin() + 2, literals.end(), [&](Literal literal) { return !trail_.is_false(literal); });
    if (replacement != literals.end()) {
      std::swap(literals[1], *replacement);
      watches_[literals[1].code].push_back({seen.place, 0, first});
      continue;
    }
    *kept++ = {seen.place, 0, first};
    if (trail_.is_false(first)) {
      conflict = seen.clause();
    } else {
      trail_.assign(first, seen.clause());
    }
  }
  kept = std::move(watch, list.end(), kept);
  list.erase(kept, list.end());
  return conflict;
}

}  // namespace treadle
