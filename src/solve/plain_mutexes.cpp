// SPDX-License-Identifier: Apache-2.0
#include "solve/plain_mutexes.h"

namespace treadle {
namespace {

enum class About { Lives, Takes, GivesBack, SomethingElse };  // lives of threads and mutexes: what must come before what tells enough

About subject_of(const Event& event) {
  switch (event.kind) {
    case TREADLE_EV_THREAD_CREATE:
    case TREADLE_EV_THREAD_START:
    case TREADLE_EV_THREAD_EXIT:
    case TREADLE_EV_THREAD_JOIN:
    case TREADLE_EV_MUTEX_INIT:
    case TREADLE_EV_MUTEX_DESTROY:
      return About::Lives;
    case TREADLE_EV_LOCK:
      return event.extra == 0 && event.value == 1 ? About::Takes : About::SomethingElse;
    case TREADLE_EV_UNLOCK:
      return event.extra == 0 && event.value == 0 ? About::GivesBack : About::SomethingElse;
    default:
      return About::SomethingElse;
  }
}

}  // namespace

PlainMutexes::PlainMutexes(const CausalFormula& formula, const Trace& trace) : uses_(formula.size()), foreign_(formula.size(), 0) {
  for (UnitId u = 0; u < formula.size(); ++u)
    for (const std::uint32_t e : formula.unit(u).syncs) take_in(u, trace.events[e]);
  for (UnitId u = 0; u < formula.size(); ++u)
    if (const Use* use = use_of(u); use != nullptr && !mutexes_[use->mutex].plain) foreign_[u] = 1;
  find_holders(formula);
}

PlainMutexes::MutexId PlainMutexes::number_of(std::uint64_t address) {
  const auto [entry, is_new] = numbers_.try_emplace(address, static_cast<MutexId>(mutexes_.size()));
  if (is_new) mutexes_.emplace_back();
  return entry->second;
}

void PlainMutexes::take_in(UnitId unit, const Event& event) {
  const About about = subject_of(event);
  if (about == About::Lives) return;
  const MutexId number = number_of(event.address);
  if (about == About::SomethingElse) {
    foreign_[unit] = 1;
    mutexes_[number].plain = false;
    if (event.kind == TREADLE_EV_COND_WAIT) mutexes_[number_of(event.value)].plain = false;
    return;
  }
  if (uses_[unit].mutex != nothing) mutexes_[number].plain = mutexes_[uses_[unit].mutex].plain = false;  // several operations in one
  UnitId& holder = mutexes_[number].holder;
  uses_[unit] = {number, about == About::Takes, nothing};
  if (about == About::GivesBack && holder != nothing) uses_[holder].release = unit;
  holder = about == About::Takes ? unit : nothing;
}

void PlainMutexes::find_holders(const CausalFormula& formula) {
  for (Mutex& mutex : mutexes_) mutex.holder = nothing;
  for (UnitId u = 0; u < formula.size(); ++u) {
    const Use* const use = use_of(u);
    if (use != nullptr && use->takes && formula.in_prefix(u) && (use->release == nothing || !formula.in_prefix(use->release)))
      mutexes_[use->mutex].holder = u;
  }
}

}  // namespace treadle
