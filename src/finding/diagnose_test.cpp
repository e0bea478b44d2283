// SPDX-License-Identifier: Apache-2.0
#include "finding/diagnose.h"

#include <gtest/gtest.h>

#include <csignal>

#include "finding/made_up_symbols.h"
#include "finding/triage.h"
#include "finding/verdict.h"
#include "trace/made_up.h"

namespace treadle {
namespace {

const MadeUpSymbols kSymbols;

Finding only(const Trace& trace) {
  const auto findings = diagnose(trace, kSymbols);
  EXPECT_EQ(findings.size(), 1u);
  return findings.empty() ? Finding{} : findings[0];
}

Trace ended(Ending ending, std::uint64_t pc, std::uint64_t detail = 0, std::uint64_t address = 0, const char* text = "") {
  MadeUpTrace t;
  t.end(ending, 1, pc, detail, address, 0, text);
  return t.trace;
}

TEST(Diagnosis, OfAnAssertionSaysWhereAndWhat) {
  const Finding f = only(ended(TREADLE_END_ASSERTION, 42, 0, 0, "x == 1, main.c:42, work"));
  EXPECT_EQ(f.kind, FindingKind::Assertion);
  EXPECT_EQ(f.message, "assertion failed in thread 0.1: x == 1, main.c:42, work");
  EXPECT_EQ(f.location.line, 42u);
  EXPECT_EQ(f.fingerprint, "assertion | main.c:42:1 work");
  EXPECT_FALSE(f.confirmed);
}

TEST(Diagnosis, KnowsEveryWayToFail) {
  EXPECT_EQ(only(ended(TREADLE_END_ABORTED, 1)).kind, FindingKind::Assertion);
  EXPECT_EQ(only(ended(TREADLE_END_REACHED_ERROR, 1)).kind, FindingKind::Assertion);
  EXPECT_EQ(only(ended(TREADLE_END_UNCAUGHT_EXCEPTION, 1)).kind, FindingKind::UncaughtException);
  EXPECT_EQ(only(ended(TREADLE_END_SIGNALLED, 1, SIGFPE)).kind, FindingKind::Crash);
  EXPECT_EQ(only(ended(TREADLE_END_SIGNALLED, 1, SIGSEGV, 0x5000)).kind, FindingKind::Crash);
  EXPECT_EQ(only(ended(TREADLE_END_SIGNALLED, 1, SIGSEGV, 8)).kind, FindingKind::NullDereference);
  EXPECT_EQ(only(ended(TREADLE_END_STACK_OVERFLOW, 1, SIGSEGV)).kind, FindingKind::Crash);
  EXPECT_EQ(only(ended(TREADLE_END_HEAP_BROKEN, 1, TREADLE_HEAP_DOUBLE_FREE)).kind, FindingKind::UseAfterFree);
  EXPECT_EQ(only(ended(TREADLE_END_HEAP_BROKEN, 1, TREADLE_HEAP_OUT_OF_BOUNDS_READ)).kind, FindingKind::Crash);
  EXPECT_EQ(only(ended(TREADLE_END_HOST_SAW_DEATH, 0, SIGKILL)).message,
            "the process is killed by SIGKILL from outside, perhaps for lack of memory");
}

TEST(Diagnosis, FindsNothingWhereNothingIsWrong) {
  for (const Ending ending : {TREADLE_END_COMPLETED, TREADLE_END_STEP_LIMIT, TREADLE_END_MEMORY_LIMIT, TREADLE_END_ASSUMPTION_FAILED,
                              TREADLE_END_STOPPED, TREADLE_END_DIVERGED, TREADLE_END_NEEDS_FORK, TREADLE_END_UNSUPPORTED}) {
    EXPECT_TRUE(diagnose(ended(ending, 1), kSymbols).empty());
    EXPECT_EQ(quick_key(ended(ending, 1)), 0u);
  }
}

TEST(Diagnosis, TakesARaisedSignalForNoNullPointer) {
  MadeUpTrace t;
  t.end(TREADLE_END_SIGNALLED, 0, 10, SIGSEGV, 0);
  t.stack(UINT64_MAX, 0, {9001, 10, 30});
  const Finding f = only(t.trace);
  EXPECT_EQ(f.kind, FindingKind::Crash);
  EXPECT_EQ(f.message, "thread 0 is killed by SIGSEGV");
}

TEST(Diagnosis, TakesAnImpossibleAddressForNoNullPointer) {
  MadeUpTrace t;
  t.end(TREADLE_END_SIGNALLED, 0, 10, SIGSEGV, 0, SI_KERNEL);
  EXPECT_EQ(only(t.trace).message, "thread 0 crashes with SIGSEGV");
}

TEST(Diagnosis, LooksThroughLibrariesForTheUsersCode) {
  MadeUpTrace t;
  t.end(TREADLE_END_ABORTED, 0, 9002, 0, 0, 0, "abort() is called");
  t.stack(UINT64_MAX, 0, {9001, 9002, 9003, 55, 66});
  EXPECT_EQ(only(t.trace).location.line, 55u);
}

TEST(Diagnosis, OfATimeLimitWithoutStepsIsALivelock) {
  MadeUpTrace t;
  t.event(1, TREADLE_EV_LOCK, 'm', 1, 0, 7);
  t.end(TREADLE_END_TIME_LIMIT, 1, 50);
  Trace elsewhere = t.trace;
  elsewhere.end.pc = 51;
  const Finding f = only(t.trace);
  EXPECT_EQ(f.kind, FindingKind::Livelock);
  EXPECT_EQ(f.location.line, 50u);
  EXPECT_EQ(only(elsewhere).fingerprint, f.fingerprint) << "wherever in its loop it was interrupted";
  EXPECT_EQ(only(elsewhere).key, f.key);
  t.event(1, TREADLE_EV_READ, 'x', 1, 0, 50, 4);
  EXPECT_EQ(only(t.trace).key, f.key) << "whether or not plain accesses are recorded";
  EXPECT_FALSE(wants_plain_accesses(f));
  t.trace.choices.resize(100'000);
  EXPECT_TRUE(diagnose(t.trace, kSymbols).empty()) << "busy with steps: slow, not stuck";
}

/// 0.1 writes x at line 10, 0.2 at line 20; `plain` as in a replay that records everything.
Trace race(bool plain, unsigned first = 1, unsigned second = 2, std::uint64_t pc1 = 10, std::uint64_t pc2 = 20) {
  MadeUpTrace t;
  if (plain) t.event(first, TREADLE_EV_WRITE, 'x', 1, 0, pc1, 4);
  const std::uint64_t extra = TREADLE_RACE_EARLIER_WRITES | TREADLE_RACE_LATER_WRITES | first << 8 | 4u << 16;
  t.event(second, TREADLE_EV_RACE, 'x', pc1, extra, pc2, 4);
  if (plain) {
    t.event(second, TREADLE_EV_WRITE, 'x', 2, 0, pc2, 4);
    t.trace.events[2].step = t.trace.events[1].step;
  }
  t.end(TREADLE_END_COMPLETED);
  return t.trace;
}

TEST(DataRace, NamesBothAccesses) {
  const Finding f = only(race(false));
  EXPECT_EQ(f.kind, FindingKind::DataRace);
  EXPECT_EQ(f.message, "data race on `x`: 0.2 writes it at main.c:20, not ordered with the write by 0.1 at main.c:10");
  ASSERT_EQ(f.parts.size(), 2u);
  EXPECT_EQ(f.parts[0].does, "writes 4 bytes of `x`");
  EXPECT_EQ(f.parts[0].event, UINT64_MAX) << "it was not recorded";
  EXPECT_EQ(f.parts[1].thread, "0.2");
}

TEST(DataRace, IsTheSameWhoeverComesFirst) {
  EXPECT_EQ(only(race(false)).fingerprint, only(race(false, 2, 1, 20, 10)).fingerprint);
  EXPECT_EQ(quick_key(race(false)), quick_key(race(false, 2, 1, 20, 10)));
  EXPECT_NE(quick_key(race(false)), quick_key(race(false, 1, 2, 10, 21)));
}

TEST(DataRace, GetsBothStacksFromAReplay) {
  Trace replay = race(true);
  const auto wanted = stacks_wanted(replay, only(race(false)));
  EXPECT_EQ(wanted, (std::vector<std::uint64_t>{0, 1}));
  replay.stacks = {{0, ThreadId{1}, {9000, 10, 100}}, {1, ThreadId{2}, {9000, 20, 200}}};
  const auto findings = diagnose(replay, kSymbols);
  const Finding* full = matching(findings, only(race(false)));
  ASSERT_NE(full, nullptr);
  ASSERT_EQ(full->parts[0].where.frames.size(), 2u) << "the runtime's own frames are gone";
  EXPECT_EQ(full->parts[0].where.frames[1].line, 100u);
  EXPECT_EQ(full->parts[1].where.frames[1].line, 200u);
  EXPECT_EQ(full->parts[0].event, 0u);
  EXPECT_EQ(full->parts[1].event, 2u);
}

TEST(DataRace, OnTheHeapSaysWhereTheBlockCameFrom) {
  MadeUpTrace t;
  t.event(0, TREADLE_EV_ALLOC, TREADLE_AT_HEAP, 24, 0, 5);
  t.event(2, TREADLE_EV_RACE, TREADLE_AT_HEAP + 8, 10, TREADLE_RACE_EARLIER_WRITES | 1u << 8 | 4u << 16, 20, 4);
  t.end(TREADLE_END_COMPLETED);
  const Finding f = only(t.trace);
  EXPECT_EQ(f.parts[1].does, "reads 4 bytes of `heap 0#1+8`");
  EXPECT_EQ(f.parts[1].also, "in a block of 24 bytes that 0 allocated at main.c:5");
}

TEST(Misuse, SaysWhatIsWrongAndWithWhat) {
  MadeUpTrace t;
  t.event(1, TREADLE_EV_MISUSE, 'm', TREADLE_MISUSE_UNLOCK_NOT_OWNER, 1, 10);
  t.event(1, TREADLE_EV_MISUSE, 'm', TREADLE_MISUSE_UNLOCK_NOT_OWNER, 1, 10);
  t.event(1, TREADLE_EV_MISUSE, 0x7ead2000, TREADLE_MISUSE_THREAD_NOT_JOINED, 2, 11);
  t.end(TREADLE_END_COMPLETED);
  const auto findings = diagnose(t.trace, kSymbols);
  ASSERT_EQ(findings.size(), 2u) << "each once";
  EXPECT_EQ(findings[0].message, "a mutex is unlocked by a thread that does not hold it: `m`, in use by 0");
  EXPECT_EQ(findings[1].message, "a thread is neither joined nor detached: `thread 0.2`");
}

TEST(UseAfterFree, SaysWhoFreedIt) {
  MadeUpTrace t;
  const std::uint64_t block = TREADLE_AT_HEAP + 0x100;
  t.event(0, TREADLE_EV_ALLOC, block, 24, 0, 5);
  t.event(2, TREADLE_EV_FREE, block, 24, 0, 15);
  t.event(1, TREADLE_EV_HEAP_ERROR, block + 8, TREADLE_HEAP_USE_AFTER_FREE_READ, block, 25, 4);
  t.end(TREADLE_END_HEAP_BROKEN, 1, 25, TREADLE_HEAP_USE_AFTER_FREE_READ, block + 8, block);
  const Finding f = only(t.trace);
  EXPECT_EQ(f.kind, FindingKind::UseAfterFree);
  EXPECT_EQ(f.message, "thread 0.1 reads freed memory: `heap 0#1`, freed by 0.2 at main.c:15");
  ASSERT_EQ(f.parts.size(), 3u);
  EXPECT_EQ(f.parts[0].does, "reads freed memory, 8 bytes from the start of `heap 0#1`");
  EXPECT_EQ(f.parts[2].does, "allocated it, 24 bytes");
  EXPECT_EQ(stacks_wanted(t.trace, f), (std::vector<std::uint64_t>{0, 1}));
}

TEST(Leak, IsOneForAllBlocksFromOnePlace) {
  MadeUpTrace t;
  for (std::uint64_t i = 0; i < 3; ++i) t.event(0, TREADLE_EV_ALLOC, TREADLE_AT_HEAP + i * 64, 24, 0, i < 2 ? 5 : 6);
  for (std::uint64_t i = 0; i < 3; ++i) t.event(0, TREADLE_EV_LEAK, TREADLE_AT_HEAP + i * 64, 24, TREADLE_LEAK_MEMORY, i < 2 ? 5 : 6);
  t.end(TREADLE_END_COMPLETED);
  const auto findings = diagnose(t.trace, kSymbols);
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(findings[0].message, "24 bytes, allocated by 0 at main.c:5, are never freed");
  EXPECT_EQ(findings[1].location.line, 6u);
}

TEST(Triage, ReturnsEachFindingOnce) {
  Triage triage(kSymbols);
  EXPECT_EQ(triage.new_findings(race(false)).size(), 1u);
  EXPECT_EQ(triage.new_findings(race(false)).size(), 0u);
  EXPECT_EQ(triage.new_findings(race(false, 2, 1, 20, 10)).size(), 0u);
  EXPECT_EQ(triage.new_findings(race(false, 1, 2, 10, 21)).size(), 1u);
  EXPECT_EQ(triage.new_findings(ended(TREADLE_END_COMPLETED, 0)).size(), 0u);
}

TEST(Triage, TellsApartWhatOneLibraryFunctionDoesToDifferentObjects) {
  const auto unlocked_wrongly = [](std::uint64_t mutex) {
    MadeUpTrace t;
    t.event(1, TREADLE_EV_MISUSE, mutex, TREADLE_MISUSE_UNLOCK_NOT_LOCKED, 0, 9000);
    t.end(TREADLE_END_COMPLETED);
    return t.trace;
  };
  Triage triage(kSymbols);
  EXPECT_EQ(triage.new_findings(unlocked_wrongly('a')).size(), 1u);
  EXPECT_EQ(triage.new_findings(unlocked_wrongly('a')).size(), 0u);
  EXPECT_EQ(triage.new_findings(unlocked_wrongly('b')).size(), 1u);
}

TEST(Triage, TellsDeadlocksInOneLibraryFunctionApartByTheirCallers) {
  const auto deadlock = [](std::uint64_t caller) {
    MadeUpTrace t;
    t.blocked(0, TREADLE_EV_LOCK, 'a', 9000, 1);
    t.stack(UINT64_MAX - 1, 0, {9100, 9000, caller});
    t.end(TREADLE_END_DEADLOCK, 0, 9000);
    return t.trace;
  };
  Triage triage(kSymbols);
  EXPECT_EQ(triage.new_findings(deadlock(10)).size(), 1u);
  EXPECT_EQ(triage.new_findings(deadlock(10)).size(), 0u);
  EXPECT_EQ(triage.new_findings(deadlock(20)).size(), 1u);
}

TEST(Verdict, IsCleanOnlyWhenEverythingWasSeen) {
  EXPECT_EQ(verdict_of(false, true, false, "").kind, VerdictKind::Clean);
  EXPECT_EQ(verdict_of(false, true, true, "").kind, VerdictKind::Incomplete);
  EXPECT_EQ(verdict_of(false, false, false, "").kind, VerdictKind::Incomplete);
  EXPECT_EQ(verdict_of(true, true, false, "").kind, VerdictKind::Bugs);
  EXPECT_STREQ(text_of(VerdictKind::Incomplete), "incomplete");
  EXPECT_STREQ(text_of(FindingKind::UncaughtException), "uncaught-exception");
}

}  // namespace
}  // namespace treadle
