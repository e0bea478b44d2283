// SPDX-License-Identifier: Apache-2.0
#include "runtime/policy.h"

#include "runtime/scheduler.h"

namespace treadle {

/// PCT: a random priority per thread, and change points at which the thread about to run falls below everybody else.
struct PolicyState {
  std::uint64_t priority[256];
  std::uint64_t lowest;  // the next one to hand out below all others
  std::uint32_t change_points;
  std::uint32_t change_at[64];
};

namespace {

std::uint64_t below(std::uint64_t limit) noexcept { return next_random(world().random_state) % limit; }

bool is_step(const TreadleDecision& d) noexcept { return d.kind == TREADLE_STEP || d.kind == TREADLE_WAKE; }

/// Keeps the running thread; else the next one round; time-outs and spurious wake-ups only when nothing else can happen.
unsigned choose_continue(const Alternatives& alternatives) noexcept {
  const unsigned current = world().current->id;
  unsigned best = 0;
  unsigned best_rank = ~0u;
  for (unsigned i = 0; i < alternatives.count; ++i) {
    const TreadleDecision& d = alternatives.all[i];
    const unsigned distance = (d.thread + 256u - current) & 255u;
    const unsigned rank = distance + (is_step(d) ? 0 : 256) + (d.kind == TREADLE_SPURIOUS ? 256 : 0);
    if (rank < best_rank) {
      best_rank = rank;
      best = i;
    }
  }
  return best;
}

/// A thread that yields, sleeps, spins or lets a wait time out has nothing better to do: it falls to the end of the queue, or
/// it would starve the thread it waits for.
bool has_nothing_to_do(const TreadleDecision& d, const Thread& thread) noexcept {
  const std::uint8_t kind = thread.pending.kind;
  return d.kind == TREADLE_TIMEOUT || d.kind == TREADLE_SPURIOUS || kind == TREADLE_EV_YIELD || kind == TREADLE_EV_SLEEP ||
         kind == TREADLE_EV_SPIN;
}

unsigned highest_priority(const Alternatives& alternatives, PolicyState& state) noexcept {
  unsigned best = 0;
  std::uint64_t best_priority = 0;
  unsigned same_thread = 0;
  for (unsigned i = 0; i < alternatives.count; ++i) {
    const unsigned thread = alternatives.all[i].thread;
    std::uint64_t& priority = state.priority[thread];
    if (priority == 0) priority = (1ull << 40) + below(1ull << 40);
    if (priority > best_priority) {
      best_priority = priority;
      best = i;
      same_thread = 1;
    } else if (priority == best_priority) {
      ++same_thread;
    }
  }
  return same_thread > 1 ? best + static_cast<unsigned>(below(same_thread)) : best;
}

unsigned choose_pct(const Alternatives& alternatives) noexcept {
  World& w = world();
  PolicyState& state = *w.policy;
  unsigned best = highest_priority(alternatives, state);
  for (unsigned i = 0; i < state.change_points; ++i) {
    if (state.change_at[i] != w.step) continue;
    state.priority[alternatives.all[best].thread] = state.lowest--;
    best = highest_priority(alternatives, state);
  }
  const TreadleDecision& d = alternatives.all[best];
  if (has_nothing_to_do(d, w.threads[d.thread])) state.priority[d.thread] = state.lowest--;
  return best;
}

}  // namespace

void policy_begin() noexcept {
  World& w = world();
  w.random_state = w.job->seed;
  next_random(w.random_state);
  if (w.job->policy != TREADLE_POLICY_PCT) return;
  w.policy = arena_new<PolicyState>();
  w.policy->lowest = 1ull << 39;
  const std::uint32_t depth = w.job->pct_depth;
  const std::uint32_t length = w.job->pct_length == 0 ? 1 : w.job->pct_length;
  for (std::uint32_t i = 1; i < depth && w.policy->change_points < 64; ++i)
    w.policy->change_at[w.policy->change_points++] = static_cast<std::uint32_t>(below(length));
}

unsigned policy_choose(const Alternatives& alternatives) noexcept {
  if (alternatives.count == 1) return 0;
  switch (world().job->policy) {
    case TREADLE_POLICY_RANDOM:
      return static_cast<unsigned>(below(alternatives.count));
    case TREADLE_POLICY_PCT:
      return choose_pct(alternatives);
    default:
      return choose_continue(alternatives);
  }
}

}  // namespace treadle
