// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "finding/diagnose.h"
#include "finding/made_up_symbols.h"
#include "trace/made_up.h"

namespace treadle {
namespace {

const MadeUpSymbols kSymbols;

Finding only(const Trace& trace) {
  const auto findings = diagnose(trace, kSymbols);
  EXPECT_EQ(findings.size(), 1u);
  return findings.empty() ? Finding{} : findings[0];
}

/// Threads `x` and `y` take a and b in opposite order.
Trace crossed_locks(unsigned x = 1, unsigned y = 2) {
  MadeUpTrace t;
  t.event(x, TREADLE_EV_LOCK, 'a', 1, 0, 10);
  t.event(y, TREADLE_EV_LOCK, 'b', 1, 0, 20);
  t.blocked(0, TREADLE_EV_THREAD_JOIN, 0, 30, 2);
  t.blocked(x, TREADLE_EV_LOCK, 'b', 11, y + 1);
  t.blocked(y, TREADLE_EV_LOCK, 'a', 21, x + 1);
  t.end(TREADLE_END_DEADLOCK, y, 21);
  return t.trace;
}

TEST(Deadlock, NamesTheRingAndWhoHoldsWhatSinceWhere) {
  const Finding f = only(crossed_locks());
  EXPECT_EQ(f.kind, FindingKind::Deadlock);
  EXPECT_EQ(f.message, "deadlock: 0.1 waits for mutex `b`, held by 0.2; 0.2 waits for mutex `a`, held by 0.1");
  ASSERT_EQ(f.parts.size(), 2u) << "the thread that merely joins is not part of it";
  EXPECT_EQ(f.parts[0].thread, "0.1");
  EXPECT_EQ(f.parts[0].also, "holds `a` since main.c:10");
  EXPECT_EQ(f.parts[0].event, UINT64_MAX);
  EXPECT_EQ(f.location.line, 11u);
}

TEST(Deadlock, IsTheSameWhicheverThreadsRunIntoIt) {
  const Finding one = only(crossed_locks()), other = only(crossed_locks(2, 1));
  EXPECT_EQ(one.fingerprint, other.fingerprint);
  EXPECT_EQ(one.fingerprint,
            "deadlock | holds main.c:10:1 work | holds main.c:20:1 work | waits main.c:11:1 work | waits main.c:21:1 work");
  EXPECT_EQ(one.key, other.key);
}

TEST(Deadlock, AsksForTheStacksWhereTheLocksWereTaken) {
  const Trace trace = crossed_locks();
  EXPECT_EQ(stacks_wanted(trace, only(trace)), (std::vector<std::uint64_t>{0, 1}));
}

TEST(Deadlock, OfAThreadWithItselfIsToldOnce) {
  MadeUpTrace t;
  t.event(0, TREADLE_EV_LOCK, 'm', 1, 0, 10);
  t.event(0, TREADLE_EV_MISUSE, 'm', TREADLE_MISUSE_RELOCK, 0, 11);
  t.blocked(0, TREADLE_EV_LOCK, 'm', 11, 1);
  t.end(TREADLE_END_DEADLOCK, 0, 11);
  EXPECT_EQ(only(t.trace).message, "deadlock: 0 waits for mutex `m`, which it holds already");
}

TEST(Deadlock, OfReadersAndWritersGoesThroughEveryReader) {
  MadeUpTrace t;
  t.event(0, TREADLE_EV_RDLOCK, 'r', 1, 0, 10);
  t.event(1, TREADLE_EV_RDLOCK, 'r', 2, 0, 20);
  t.event(2, TREADLE_EV_LOCK, 'm', 1, 0, 30);
  t.blocked(1, TREADLE_EV_LOCK, 'm', 21, 3);
  t.blocked(2, TREADLE_EV_WRLOCK, 'r', 31, 1);
  t.end(TREADLE_END_DEADLOCK, 2, 31);
  const Finding f = only(t.trace);
  EXPECT_EQ(f.message, "deadlock: 0.1 waits for mutex `m`, held by 0.2; 0.2 waits to write-lock `r`, held by 0 and 0.1");
}

TEST(Deadlock, WithTwoRingsIsTwoFindings) {
  MadeUpTrace t;
  t.event(0, TREADLE_EV_LOCK, 'a', 1, 0, 10);
  t.event(1, TREADLE_EV_LOCK, 'b', 1, 0, 20);
  t.blocked(0, TREADLE_EV_LOCK, 'b', 11, 2);
  t.blocked(1, TREADLE_EV_LOCK, 'a', 21, 1);
  t.blocked(2, TREADLE_EV_THREAD_JOIN, 0, 31, 4);
  t.blocked(3, TREADLE_EV_THREAD_JOIN, 0, 41, 3);
  t.end(TREADLE_END_DEADLOCK, 0, 11);
  const auto findings = diagnose(t.trace, kSymbols);
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(findings[1].message, "deadlock: 0.2 waits for the end of thread 0.1.1; 0.1.1 waits for the end of thread 0.2");
}

TEST(Deadlock, WithoutARingTellsWhatEverybodyWaitsFor) {
  MadeUpTrace t;
  t.blocked(0, TREADLE_EV_THREAD_JOIN, 0, 30, 2);
  t.blocked(1, TREADLE_EV_SEM_WAIT, 's', 11);
  t.end(TREADLE_END_DEADLOCK, 1, 11);
  const Finding f = only(t.trace);
  EXPECT_EQ(f.message, "deadlock: everybody waits: 0 waits for the end of thread 0.1; 0.1 waits for semaphore `s`");
  EXPECT_EQ(f.fingerprint, "deadlock | main.c:11:1 work") << "which thread main happens to join makes no difference";
  EXPECT_EQ(f.location.line, 11u);
}

/// 0 signals c before 0.1 waits on it; `leaves`: 0.1 has been in its critical section in between.
Trace signal_then_wait(bool leaves) {
  MadeUpTrace t;
  t.event(0, TREADLE_EV_COND_SIGNAL, 'c', 0, 0, 5);
  t.event(1, TREADLE_EV_LOCK, 'm', 1, 0, 10);
  if (leaves) {
    t.event(1, TREADLE_EV_UNLOCK, 'm', 0, 0, 11);
    t.event(1, TREADLE_EV_LOCK, 'm', 1, 0, 12);
  }
  t.event(1, TREADLE_EV_COND_WAIT, 'c', 'm', 0, 13);
  t.blocked(0, TREADLE_EV_THREAD_JOIN, 0, 6, 2);
  t.blocked(1, TREADLE_EV_COND_WOKEN, 'c', 13);
  t.end(TREADLE_END_DEADLOCK, 1, 13);
  return t.trace;
}

TEST(LostWakeup, NamesTheSignalThatFoundNobody) {
  const Trace trace = signal_then_wait(false);
  const Finding f = only(trace);
  EXPECT_EQ(f.kind, FindingKind::LostWakeup);
  EXPECT_EQ(f.message,
            "lost wake-up: 0.1 waits for ever on condition variable `c`, which 0 signalled before, at main.c:5, when nobody waited on it");
  ASSERT_EQ(f.parts.size(), 3u);
  EXPECT_EQ(f.parts[1].event, 0u);
  EXPECT_EQ(f.fingerprint, "lost-wakeup | signals main.c:5:1 work | waits main.c:13:1 work");
  EXPECT_EQ(stacks_wanted(trace, f), (std::vector<std::uint64_t>{0}));
}

TEST(LostWakeup, IsNotASignalWhoseNewsTheWaiterHasHeard) {
  const Finding f = only(signal_then_wait(true));
  EXPECT_EQ(f.kind, FindingKind::Deadlock);
  EXPECT_NE(f.message.find("0.1 waits on condition variable `c`"), std::string::npos);
}

TEST(LostWakeup, IsNotWhenTheSignallerWaitsForTheWaitersLock) {
  MadeUpTrace t;
  t.event(0, TREADLE_EV_COND_SIGNAL, 'c', 0, 0, 5);
  t.event(1, TREADLE_EV_LOCK, 'n', 1, 0, 9);
  t.event(1, TREADLE_EV_LOCK, 'm', 1, 0, 10);
  t.event(1, TREADLE_EV_COND_WAIT, 'c', 'm', 0, 13);
  t.blocked(0, TREADLE_EV_LOCK, 'n', 6, 2);
  t.blocked(1, TREADLE_EV_COND_WOKEN, 'c', 13);
  t.end(TREADLE_END_DEADLOCK, 0, 6);
  const Finding f = only(t.trace);
  EXPECT_EQ(f.kind, FindingKind::Deadlock);
  EXPECT_EQ(f.parts[1].also, "holds `n` since main.c:9");
}

TEST(Livelock, NamesTheLoopAndWhatItWaitsFor) {
  MadeUpTrace t;
  t.blocked(0, TREADLE_EV_THREAD_JOIN, 0, 30, 2);
  t.blocked(1, TREADLE_EV_SPIN, 'f', 11);
  t.end(TREADLE_END_LIVELOCK, 1, 11);
  const Finding f = only(t.trace);
  EXPECT_EQ(f.kind, FindingKind::Livelock);
  EXPECT_NE(f.message.find("0.1 loops until `f` changes"), std::string::npos);
  EXPECT_EQ(f.location.line, 11u);
}

}  // namespace
}  // namespace treadle
