// SPDX-License-Identifier: Apache-2.0
// Futexes: what std::atomic::wait, counting_semaphore, latch, barrier and futures of libstdc++ stand on. Waiting is two visible operations
// like a condition variable's: WAIT compares the word and queues up, WOKEN goes on when a wake chose this thread. A wake of one thread may
// choose any waiter; a wake of several, but not all, takes those who came first, as Linux does.
#include "runtime/futex.h"

#include <linux/futex.h>

#include <cerrno>

#include "abi/futex.h"
#include "runtime/objects.h"
#include "runtime/spin.h"
#include "runtime/symbolic.h"
#include "runtime/thread_sync.h"
#include "runtime/time.h"

namespace treadle {

namespace {

constexpr std::uint32_t kAllBits = FUTEX_BITSET_MATCH_ANY;
constexpr unsigned kExpectedArgument = 3;  // of syscall(2), whose number comes first

Futex& futex_at(const std::uint32_t* word, std::uint64_t pc) noexcept {
  Futex* known = find<Futex>(word);
  return known != nullptr ? *known : make<Futex>(word, pc);
}

bool was_woken(const Thread& thread) noexcept { return !sync_of(thread).waiter.queued; }

unsigned who_may_be_woken(const Thread& thread, std::uint16_t* out, unsigned capacity) noexcept {
  const Futex& futex = *static_cast<Futex*>(thread.pending.object);
  const auto bits = static_cast<std::uint32_t>(thread.pending.extra);
  unsigned count = 0;
  for (const Waiter* waiter = futex.waiters.first; waiter != nullptr && count < capacity; waiter = waiter->next)
    if ((waiter->bits & bits) != 0) out[count++] = waiter->thread;
  return count;
}

struct FutexWait {
  std::uint32_t* word;
  std::uint32_t expected;
  std::uint32_t bits;
  bool timed;
  std::uint64_t deadline;
  Expr expression;  // for what is expected
};

long wait(const FutexWait& wanted, std::uint64_t pc) noexcept {
  if (wanted.bits == 0) return -EINVAL;
  step(TREADLE_EV_FUTEX_WAIT, address_of(wanted.word), pc);
  const std::uint32_t seen = *static_cast<volatile std::uint32_t*>(wanted.word);
  record(TREADLE_EV_FUTEX_WAIT, address_of(wanted.word), seen, seen == wanted.expected ? 0 : EAGAIN, pc, sizeof seen);
  symbolic_compared(wanted.expression, wanted.expected, pc);
  if (seen != wanted.expected) {
    spin_read(wanted.word, sizeof seen);
    return -EAGAIN;
  }
  spin_wrote();
  Futex& futex = futex_at(wanted.word, pc);
  Waiter& waiter = my_sync().waiter;
  waiter.thread = self().id;
  waiter.bits = wanted.bits;
  waiter.queue = &futex.waiters;
  waiter.woken_by = 0;
  futex.waiters.push(waiter);
  Pending what;
  what.kind = TREADLE_EV_FUTEX_WOKEN;
  what.pc = pc;
  what.address = futex.address;
  what.enabled = was_woken;
  what.may_wake_spuriously = true;
  what.timed = wanted.timed;
  what.deadline = wanted.deadline;
  const Grant grant = await(what);
  if (waiter.queued) waiter.queue->remove(waiter);  // a requeue may have moved it
  if (grant.kind == TREADLE_TIMEOUT) let_time_pass(what);
  spin_wrote();
  record(TREADLE_EV_FUTEX_WOKEN, futex.address, waiter.woken_by, grant.kind == TREADLE_TIMEOUT, pc);
  return grant.kind == TREADLE_TIMEOUT ? -ETIMEDOUT : 0;
}

/// By the operation under way, whose event comes next.
void chosen(Futex& futex, Waiter& waiter) noexcept {
  futex.waiters.remove(waiter);
  waiter.woken_by = 1 + world().events;
}

bool nobody_waits(const Thread& thread) noexcept { return static_cast<Futex*>(thread.pending.object)->waiters.first == nullptr; }

/// The first `most` waiters whom `bits` concerns.
std::uint32_t wake_in_order(Futex& futex, std::uint32_t most, std::uint32_t bits) noexcept {
  std::uint32_t woken = 0;
  for (Waiter* waiter = futex.waiters.first; waiter != nullptr && woken < most;) {
    Waiter* const next = waiter->next;
    if ((waiter->bits & bits) != 0) {
      chosen(futex, *waiter);
      ++woken;
    }
    waiter = next;
  }
  return woken;
}

unsigned size_for(Result result) noexcept { return result == Result::Unused ? 1 : 0; }

long wake(std::uint32_t* word, std::uint32_t most, std::uint32_t bits, Result result, std::uint64_t pc) noexcept {
  if (bits == 0) return -EINVAL;
  Futex& futex = futex_at(word, pc);
  Pending what;
  what.kind = TREADLE_EV_FUTEX_WAKE;
  what.pc = pc;
  what.address = futex.address;
  what.object = &futex;
  what.extra = bits;
  what.would_fail = nobody_waits;
  if (most == 1) what.wakes = who_may_be_woken;
  const Grant grant = await(what);
  std::uint32_t woken = 1;
  if (grant.kind == TREADLE_WAKE)
    chosen(futex, sync_of(world().threads[grant.argument]).waiter);
  else
    woken = wake_in_order(futex, most, bits);
  woken > 0 || futex.waiters.first != nullptr ? spin_wrote() : spin_read(&futex.waiters.first, sizeof futex.waiters.first);
  record(TREADLE_EV_FUTEX_WAKE, futex.address, woken, most | (bits == kAllBits ? 0 : TREADLE_FUTEX_SOME_BITS), pc, size_for(result));
  return woken;
}

struct Requeue {
  std::uint32_t* from;
  std::uint32_t* to;
  std::uint32_t wake;
  std::uint32_t move;
  bool compares;
  std::uint32_t expected;
};

long requeue(const Requeue& wanted, std::uint64_t pc) noexcept {
  step(TREADLE_EV_FUTEX_WAKE, address_of(wanted.from), pc);
  if (wanted.compares && *static_cast<volatile std::uint32_t*>(wanted.from) != wanted.expected) {
    record(TREADLE_EV_FUTEX_WAKE, address_of(wanted.from), 0, wanted.wake | TREADLE_FUTEX_REQUEUES, pc);
    spin_read(wanted.from, sizeof *wanted.from);
    return -EAGAIN;
  }
  Futex& from = futex_at(wanted.from, pc);
  Futex& to = futex_at(wanted.to, pc);
  const std::uint32_t woken = wake_in_order(from, wanted.wake, kAllBits);
  std::uint32_t moved = 0;
  for (; moved < wanted.move && from.waiters.first != nullptr && &from != &to; ++moved) {
    Waiter& waiter = *from.waiters.first;
    from.waiters.remove(waiter);
    waiter.queue = &to.waiters;
    to.waiters.push(waiter);
  }
  spin_wrote();
  record(TREADLE_EV_FUTEX_WAKE, from.address, woken, wanted.wake | TREADLE_FUTEX_REQUEUES, pc);
  return wanted.compares ? woken + moved : woken;
}

/// FUTEX_WAIT takes a time span, FUTEX_WAIT_BITSET a point in time. 0 or -errno.
long set_timeout(FutexWait& wanted, int operation, const timespec* timeout) noexcept {
  if (timeout == nullptr) return 0;
  if (timeout->tv_sec < 0 || timeout->tv_nsec < 0 || timeout->tv_nsec >= 1'000'000'000) return -EINVAL;
  wanted.timed = true;
  if ((operation & FUTEX_CMD_MASK) == FUTEX_WAIT)
    wanted.deadline =
        virtual_now() + static_cast<std::uint64_t>(timeout->tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(timeout->tv_nsec);
  else
    wanted.deadline = virtual_deadline((operation & FUTEX_CLOCK_REALTIME) != 0 ? CLOCK_REALTIME : CLOCK_MONOTONIC, timeout);
  return 0;
}

}  // namespace

long virtual_futex(std::uint32_t* word, int operation, std::uint32_t value, std::uint64_t timeout_or_count, std::uint32_t* second_word,
                   std::uint32_t third_value, Result result, std::uint64_t pc) noexcept {
  const auto count = static_cast<std::uint32_t>(timeout_or_count);
  switch (operation & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET: {
      const bool with_bits = (operation & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET;
      FutexWait wanted{word, value, with_bits ? third_value : kAllBits, false, 0, symbolic_taken(kExpectedArgument, value, 32, pc)};
      const long wrong = set_timeout(wanted, operation, reinterpret_cast<const timespec*>(timeout_or_count));
      return wrong != 0 ? wrong : wait(wanted, pc);
    }
    case FUTEX_WAKE:
      return wake(word, value, kAllBits, result, pc);
    case FUTEX_WAKE_BITSET:
      return wake(word, value, third_value, result, pc);
    case FUTEX_REQUEUE:
      return requeue({word, second_word, value, count, false, 0}, pc);
    case FUTEX_CMP_REQUEUE:
      return requeue({word, second_word, value, count, true, third_value}, pc);
    default:
      unsupported("the program makes a futex system call other than wait, wake and requeue", pc);
  }
}

}  // namespace treadle
