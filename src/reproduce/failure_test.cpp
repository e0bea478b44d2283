// SPDX-License-Identifier: Apache-2.0
#include "reproduce/failure.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <cstdio>

namespace treadle {
namespace {

RecordedRun ended(TreadleRunEnd end, int code = 0) {
  RecordedRun run;
  run.status.end = end;
  run.status.code = code;
  run.status.thread = 4;
  ThreadStream thread;
  thread.number = 4;
  thread.name = "0.1";
  run.threads.push_back(thread);
  return run;
}

/// Thread 1 (0.1) ended the run, so far along its way.
Trace run_with(Ending ending, TreadlePathState state, std::uint64_t detail = 0) {
  Trace trace;
  trace.threads = {ThreadName{}, ThreadName{0, 1}};
  trace.end.ending = ending;
  trace.end.thread = ThreadId{1};
  trace.end.detail = detail;
  Event left{};
  left.kind = TREADLE_EV_PATH;
  left.thread = 0;
  left.step = 7;
  left.address = 0x1ff;
  left.value = 3;
  left.extra = TREADLE_PATH_LEFT;
  trace.events.push_back(left);
  for (std::uint8_t thread : {0, 1}) {
    Event at_end{};
    at_end.kind = TREADLE_EV_PATH;
    at_end.thread = thread;
    at_end.value = 3u + thread;
    at_end.extra = thread == 1 ? state : TREADLE_PATH_LEFT;
    trace.events.push_back(at_end);
  }
  return trace;
}

TEST(RecordedFailure, IsTheThreadsThatFailed) {
  const auto assertion = failure_of(ended(TREADLE_RUN_ASSERTION));
  ASSERT_TRUE(bool(assertion));
  EXPECT_EQ(assertion->thread, "0.1");
  const auto crash = failure_of(ended(TREADLE_RUN_SIGNAL, SIGSEGV));
  ASSERT_TRUE(bool(crash));
  EXPECT_EQ(crash->signal, SIGSEGV);
  EXPECT_FALSE(bool(failure_of(ended(TREADLE_RUN_EXITED, 1))));
  EXPECT_FALSE(bool(failure_of(ended(TREADLE_RUN_STARTED))));
}

TEST(RecordedFailure, OfAHangIsNobodysAlone) {
  RecordedRun run = ended(TREADLE_RUN_STARTED);
  run.end = RecordingEnd{};
  run.end->how = RunEnd::Hang;
  const auto hang = failure_of(run);
  ASSERT_TRUE(bool(hang));
  EXPECT_EQ(hang->kind, RecordedFailure::Kind::Hang);
  EXPECT_TRUE(hang->thread.empty());
}

TEST(RecordedFailure, OfAFaultWhoseSignalWasBlockedIsSomebodysAtTheEndOfHisWay) {
  RecordedRun run = ended(TREADLE_RUN_STARTED);
  run.end = RecordingEnd{};
  run.end->how = RunEnd::Signal;
  run.end->code = SIGKILL;
  EXPECT_FALSE(bool(failure_of(run)));
  run.end->code = SIGSEGV;
  const auto crash = failure_of(run);
  ASSERT_TRUE(bool(crash));
  EXPECT_TRUE(crash->thread.empty());
  EXPECT_TRUE(fails_as_recorded(run_with(TREADLE_END_SIGNALLED, TREADLE_PATH_OVER, SIGSEGV), *crash));
  EXPECT_FALSE(fails_as_recorded(run_with(TREADLE_END_SIGNALLED, TREADLE_ON_THE_PATH, SIGSEGV), *crash));
}

TEST(FailsAsRecorded, WhatIsFalseWhenTheThreadIsNotLed) {
  RecordedRun run = ended(TREADLE_RUN_ASSERTION);
  std::snprintf(run.status.text, sizeof run.status.text, "a.c:7: work: Assertion `x == 1' failed");
  auto failure = failure_of(run);
  ASSERT_TRUE(bool(failure));
  EXPECT_EQ(failure->assertion, "x == 1");
  failure->is_led = false;
  Trace trace = run_with(TREADLE_END_ASSERTION, TREADLE_ON_THE_PATH);
  trace.end.text = "x == 1, a.c:7, work";
  EXPECT_TRUE(fails_as_recorded(trace, *failure));
  trace.end.text = "x == 2, a.c:8, work";
  EXPECT_FALSE(fails_as_recorded(trace, *failure));
}

TEST(RecordedFailure, OfAThreadWhoseFileIsLostIsStillSomebodys) {
  RecordedRun run = ended(TREADLE_RUN_ASSERTION);
  run.threads.clear();
  const auto failure = failure_of(run);
  ASSERT_TRUE(bool(failure));
  EXPECT_EQ(failure->thread, "?4");
}

TEST(FailsAsRecorded, OnlyInThatThreadAtTheEndOfItsWay) {
  const auto failure = failure_of(ended(TREADLE_RUN_ASSERTION));
  ASSERT_TRUE(bool(failure));
  EXPECT_TRUE(fails_as_recorded(run_with(TREADLE_END_ASSERTION, TREADLE_PATH_OVER), *failure));
  EXPECT_FALSE(fails_as_recorded(run_with(TREADLE_END_ASSERTION, TREADLE_ON_THE_PATH), *failure));
  EXPECT_FALSE(fails_as_recorded(run_with(TREADLE_END_SIGNALLED, TREADLE_PATH_OVER, SIGSEGV), *failure));
  Trace elsewhere = run_with(TREADLE_END_ASSERTION, TREADLE_PATH_OVER);
  elsewhere.end.thread = ThreadId{0};
  EXPECT_FALSE(fails_as_recorded(elsewhere, *failure));
}

TEST(FailsAsRecorded, WhenABrokenHeapIsNoticedBeforeItCrashes) {
  const auto crash = failure_of(ended(TREADLE_RUN_SIGNAL, SIGSEGV));
  ASSERT_TRUE(bool(crash));
  EXPECT_TRUE(fails_as_recorded(run_with(TREADLE_END_SIGNALLED, TREADLE_PATH_OVER, SIGSEGV), *crash));
  EXPECT_TRUE(fails_as_recorded(run_with(TREADLE_END_HEAP_BROKEN, TREADLE_PATH_OVER), *crash));
  EXPECT_FALSE(fails_as_recorded(run_with(TREADLE_END_SIGNALLED, TREADLE_PATH_OVER, SIGFPE), *crash));
}

TEST(BreaksEarly, OnlyWhoIsOnHisWay) {
  const auto crash = failure_of(ended(TREADLE_RUN_SIGNAL, SIGSEGV));
  ASSERT_TRUE(bool(crash));
  EXPECT_TRUE(may_come_of_freed_memory(*crash));
  EXPECT_EQ(breaks_early(run_with(TREADLE_END_HEAP_BROKEN, TREADLE_ON_THE_PATH), *crash), (EarlyBreak{true, 4}));
  EXPECT_FALSE(breaks_early(run_with(TREADLE_END_HEAP_BROKEN, TREADLE_PATH_LEFT), *crash));
  EXPECT_FALSE(breaks_early(run_with(TREADLE_END_ASSERTION, TREADLE_ON_THE_PATH), *crash));
  EXPECT_FALSE(may_come_of_freed_memory(*failure_of(ended(TREADLE_RUN_ASSERTION))));
}

TEST(Standings, AreThoseOfTheEndAndDeparturesAreNot) {
  const Trace trace = run_with(TREADLE_END_ASSERTION, TREADLE_PATH_OVER);
  const auto standings = standings_of(trace);
  ASSERT_EQ(standings.size(), 2u);
  EXPECT_EQ(standings[0].position, 3u);
  EXPECT_EQ(standings[1].state, TREADLE_PATH_OVER);
  const auto departures = departures_of(trace);
  ASSERT_EQ(departures.size(), 1u);
  EXPECT_EQ(departures[0].decision, 7u);
}

}  // namespace
}  // namespace treadle
