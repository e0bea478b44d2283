// SPDX-License-Identifier: Apache-2.0
#include "runtime/policy.h"

#include "abi/probe.h"
#include "runtime/scheduler.h"
#include "runtime/store_buffer.h"

namespace treadle {

/// PCT: a random priority per thread and store buffer, and change points at which the one about to move falls below all others.
struct PolicyState {
  std::uint64_t priority[256];
  std::uint64_t flush_priority[256];  // by a hash: that two queues happen to share one does no harm
  std::uint64_t lowest;               // the next one to hand out below all others
  std::uint32_t change_points;
  std::uint32_t change_at[64];
};

namespace {

std::uint64_t below(std::uint64_t limit) noexcept { return next_random(world().random_state) % limit; }

bool is_step(const TreadleDecision& d) noexcept { return d.kind == TREADLE_STEP || d.kind == TREADLE_WAKE; }

bool is_about_to_fail(const TreadleDecision& d) noexcept { return is_step(d) && world().threads[d.thread].pending.kind == TREADLE_EV_FAIL; }

/// Who was the first to be is the first to; when the others go on and on, he does not wait any longer.
bool has_waited_enough(const TreadleDecision& d) noexcept {
  const World& w = world();
  return is_about_to_fail(d) && d.thread == w.fails_first->id && w.step >= w.patience_ends;
}

unsigned lateness(const TreadleDecision& d) noexcept {
  if (is_about_to_fail(d)) return d.thread == world().fails_first->id ? 512 : 1280;
  // Whoever ends the program in good order would take the failure with him.
  if (world().fails_first != nullptr && is_step(d) && world().threads[d.thread].pending.kind == TREADLE_EV_EXIT) return 1536;
  if (d.kind == TREADLE_FLUSH) return awaits_own_buffer(world().threads[d.thread]) ? 0 : 256;
  return is_step(d) ? 0 : d.kind == TREADLE_TIMEOUT ? 768 : 1024;
}

/// TREADLE_SPINS_STOP: it was seen to go round in vain; what the others can still do is seen first.
bool goes_round_in_vain(const TreadleDecision& d) noexcept {
  return world().in_vain != 0 && d.thread == world().asked_thread && is_step(d);
}

/// Keeps the running thread; else the next one round. A thread that waits for its own stores is helped on. Stores that nobody waits for
/// reach memory only when no thread can move; then a thread may fail; time-outs and spurious wake-ups come last.
unsigned choose_continue(const Alternatives& alternatives) noexcept {
  const unsigned current = world().current->id;
  unsigned best = 0;
  unsigned best_rank = ~0u;
  for (unsigned i = 0; i < alternatives.count; ++i) {
    const TreadleDecision& d = alternatives.all[i];
    const unsigned distance = (d.thread + 256u - current) & 255u;
    if (has_waited_enough(d)) return i;
    const unsigned rank = goes_round_in_vain(d) ? 511 : distance + lateness(d);
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
  if (d.kind == TREADLE_FLUSH) return false;
  return d.kind == TREADLE_TIMEOUT || d.kind == TREADLE_SPURIOUS || kind == TREADLE_EV_YIELD || kind == TREADLE_EV_SLEEP ||
         kind == TREADLE_EV_SPIN;
}

std::uint64_t& priority_of(const TreadleDecision& d, PolicyState& state) noexcept {
  return d.kind == TREADLE_FLUSH ? state.flush_priority[(d.thread * 31u + d.argument) % 256] : state.priority[d.thread];
}

unsigned highest_priority(const Alternatives& alternatives, PolicyState& state) noexcept {
  std::uint64_t best = 0;
  unsigned count = 0;  // of a thread that can move in several ways, one is drawn
  for (unsigned i = 0; i < alternatives.count; ++i) {
    std::uint64_t& priority = priority_of(alternatives.all[i], state);
    if (priority == 0) priority = (1ull << 40) + below(1ull << 40);
    count = priority > best ? 1 : priority == best ? count + 1 : count;
    if (priority > best) best = priority;
  }
  std::uint64_t nth = count > 1 ? below(count) : 0;
  for (unsigned i = 0; i < alternatives.count; ++i)
    if (priority_of(alternatives.all[i], state) == best && nth-- == 0) return i;
  return 0;
}

unsigned choose_pct(const Alternatives& alternatives) noexcept {
  World& w = world();
  PolicyState& state = *w.policy;
  unsigned best = highest_priority(alternatives, state);
  for (unsigned i = 0; i < state.change_points; ++i) {
    if (state.change_at[i] != w.step) continue;
    priority_of(alternatives.all[best], state) = state.lowest--;
    best = highest_priority(alternatives, state);
  }
  const TreadleDecision& d = alternatives.all[best];
  if (has_nothing_to_do(d, w.threads[d.thread])) priority_of(d, state) = state.lowest--;
  return best;
}

unsigned choose_probe(const Alternatives& alternatives) noexcept {
  std::uint64_t sum = 0;
  for (unsigned i = 0; i < alternatives.count; ++i) sum += std::uint64_t{1} << probe_weight(alternatives.all[i]);
  std::uint64_t at = below(sum);
  for (unsigned i = 0; i < alternatives.count; ++i) {
    const std::uint64_t weight = std::uint64_t{1} << probe_weight(alternatives.all[i]);
    if (at < weight) return i;
    at -= weight;
  }
  return 0;
}

}  // namespace

bool is_probe() noexcept { return world().job->policy == TREADLE_POLICY_PCT && world().job->pct_depth == TREADLE_PROBE_DEPTH; }

/// Nobody can be in its way, or nearly nobody: most such steps can be taken at once, and what else happens will be the same. Probes that
/// take their time there would hardly ever see an order in which the last thread to be started comes first.
std::uint16_t probe_weight(const TreadleDecision& d) noexcept {
  if (d.kind != TREADLE_STEP) return 0;
  switch (world().threads[d.thread].pending.kind) {
    case TREADLE_EV_THREAD_CREATE:
    case TREADLE_EV_THREAD_START:
    case TREADLE_EV_THREAD_EXIT:
    case TREADLE_EV_THREAD_JOIN:
      return TREADLE_WEIGHT_OF_THREADS;
    case TREADLE_EV_UNLOCK:
    case TREADLE_EV_SPIN_UNLOCK:
    case TREADLE_EV_RWUNLOCK:
      return TREADLE_WEIGHT_OF_UNLOCKS;
    default:
      return 0;
  }
}

void policy_begin() noexcept {
  World& w = world();
  w.random_state = w.job->seed;
  next_random(w.random_state);
  if (w.job->policy != TREADLE_POLICY_PCT || is_probe()) return;
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
      return is_probe() ? choose_probe(alternatives) : choose_pct(alternatives);
    default:
      return choose_continue(alternatives);
  }
}

}  // namespace treadle
