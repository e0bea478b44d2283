// SPDX-License-Identifier: Apache-2.0
#include "explore/coverage.h"

#include <gtest/gtest.h>

#include "explore/exhaustive.h"
#include "explore/random.h"

namespace treadle {
namespace {

constexpr const char* race_free = "all schedules under SC for these inputs; free of data races, so this holds for TSO, PSO and beyond";

Tally tally_of(std::vector<Trace> traces) {
  Tally tally;
  for (const Trace& trace : traces) tally.count(trace);
  return tally;
}

Trace ending(Ending how) {
  Trace trace;
  trace.end.ending = how;
  return trace;
}

Trace completed_with(EventKind kind, unsigned order) {
  Trace trace = ending(TREADLE_END_COMPLETED);
  Event event{};
  event.kind = static_cast<std::uint8_t>(kind);
  event.order = static_cast<std::uint8_t>(order);
  trace.events.push_back(event);
  return trace;
}

TEST(Verdict, OfACompleteRaceFreeSearchHoldsBeyondSc) {
  const Exhaustive strategy({});
  const auto verdict = conclude(strategy, {}, tally_of({completed_with(TREADLE_EV_RMW, 5)}), std::nullopt, false);
  EXPECT_EQ(verdict.kind, VerdictKind::Clean);
  EXPECT_EQ(verdict.covers, race_free);
}

TEST(Verdict, ClaimsNothingOnWeakModelsWhenAtomicsAreWeakerThanSeqCst) {
  const Exhaustive strategy({});
  for (const auto kind : {TREADLE_EV_ATOMIC_READ, TREADLE_EV_ATOMIC_WRITE, TREADLE_EV_RMW, TREADLE_EV_CAS_OK, TREADLE_EV_CAS_FAIL}) {
    const auto verdict = conclude(strategy, {}, tally_of({completed_with(kind, 3)}), std::nullopt, false);
    EXPECT_EQ(verdict.kind, VerdictKind::Clean);
    EXPECT_NE(verdict.covers.find("nothing is said on TSO"), std::string::npos) << verdict.covers;
  }
}

TEST(Verdict, ClaimsNothingOnWeakModelsWhenRacesAreExploredOrIgnored) {
  for (const Races races : {Races::Explore, Races::Ignore}) {
    Schedule schedule;
    schedule.races = races;
    const Exhaustive strategy(schedule);
    const auto verdict = conclude(strategy, schedule, tally_of({ending(TREADLE_END_COMPLETED)}), std::nullopt, false);
    EXPECT_EQ(verdict.covers.find("TSO"), std::string::npos) << verdict.covers;
    EXPECT_EQ(verdict.covers,
              races == Races::Explore
                  ? "all schedules under SC for these inputs, with every outcome of racy plain accesses"
                  : "all schedules of synchronisation and atomics under SC for these inputs; a plain access is one step with "
                    "the synchronisation before it, and data races are neither looked for nor explored");
  }
}

TEST(Verdict, UnderAWeakModelSaysWhatFollowsForOthers) {
  const auto covers = [](MemoryModel model, unsigned order) {
    Schedule schedule;
    schedule.model = model;
    return conclude(Exhaustive(schedule), schedule, tally_of({completed_with(TREADLE_EV_ATOMIC_WRITE, order)}), std::nullopt, false).covers;
  };
  EXPECT_EQ(covers(MemoryModel::Tso, 5),
            "all schedules under TSO for these inputs; free of data races, so this holds for PSO and beyond too");
  EXPECT_EQ(
      covers(MemoryModel::Tso, 0),
      "all schedules under TSO for these inputs; free of data races, but with atomics weaker than seq_cst, so nothing is said on PSO and "
      "beyond");
  EXPECT_EQ(covers(MemoryModel::Pso, 5),
            "all schedules under PSO for these inputs; free of data races, so this holds for weaker models too");
  EXPECT_EQ(
      covers(MemoryModel::Pso, 3),
      "all schedules under PSO for these inputs; free of data races, but with atomics weaker than seq_cst, so nothing is said on weaker "
      "models");
}

TEST(Verdict, IsIncompleteWhenAnExecutionWasCutOff) {
  const Exhaustive strategy({});
  for (const auto how : {TREADLE_END_STEP_LIMIT, TREADLE_END_TIME_LIMIT, TREADLE_END_MEMORY_LIMIT, TREADLE_END_DIVERGED}) {
    const auto verdict = conclude(strategy, {}, tally_of({ending(TREADLE_END_COMPLETED), ending(how)}), std::nullopt, false);
    EXPECT_EQ(verdict.kind, VerdictKind::Incomplete);
    EXPECT_NE(verdict.covers.find("up to bound: 1 execution "), std::string::npos) << verdict.covers;
    EXPECT_EQ(verdict.covers.find("TSO"), std::string::npos) << verdict.covers;
  }
}

TEST(Verdict, OfAProgramThatIsNotDeterminedByItsScheduleIsNeverClean) {
  const Exhaustive strategy({});
  Tally tally = tally_of({ending(TREADLE_END_COMPLETED)});
  tally.nondeterministic = true;
  const auto verdict = conclude(strategy, {}, tally, std::nullopt, false);
  EXPECT_EQ(verdict.kind, VerdictKind::Incomplete);
  EXPECT_NE(verdict.covers.find("not determined by its schedule"), std::string::npos);
}

TEST(Verdict, OfAProgramWhoseAssumptionsNeverHoldIsNotClean) {
  const Exhaustive strategy({});
  const auto verdict_on = [&](std::vector<Trace> traces) { return conclude(strategy, {}, tally_of(traces), std::nullopt, false); };
  const auto vacuous =
      verdict_on({ending(TREADLE_END_ASSUMPTION_FAILED), ending(TREADLE_END_STOPPED), ending(TREADLE_END_ASSUMPTION_FAILED)});
  EXPECT_EQ(vacuous.kind, VerdictKind::Incomplete);
  EXPECT_EQ(vacuous.covers,
            "all schedules under SC for these inputs; in none of them did the program's assumptions hold, so nothing was checked");
  EXPECT_EQ(verdict_on({ending(TREADLE_END_ASSUMPTION_FAILED), ending(TREADLE_END_COMPLETED)}).kind, VerdictKind::Clean);
}

TEST(Verdict, OfAStoppedSearchSaysHowMuchWasDoneAndWhyNoMore) {
  const Exhaustive strategy({});
  const auto verdict = conclude(strategy, {}, tally_of({ending(TREADLE_END_COMPLETED)}), "interrupted", false);
  EXPECT_EQ(verdict.kind, VerdictKind::Incomplete);
  EXPECT_EQ(verdict.covers, "1 execution only: interrupted");
}

TEST(Verdict, OfSamplingIsNeverClean) {
  Random strategy({});
  strategy.learn_from(strategy.next()->ticket, ending(TREADLE_END_COMPLETED));
  const auto verdict = conclude(strategy, {}, tally_of({ending(TREADLE_END_COMPLETED)}), "the limit of 1 execution is reached", false);
  EXPECT_EQ(verdict.kind, VerdictKind::Incomplete);
  EXPECT_EQ(verdict.covers, "1 random schedule only");
}

TEST(Verdict, WithFindingsIsBugsAndClaimsNoFreedomFromRaces) {
  const Exhaustive strategy({});
  const auto verdict = conclude(strategy, {}, tally_of({ending(TREADLE_END_ASSERTION)}), std::nullopt, true);
  EXPECT_EQ(verdict.kind, VerdictKind::Bugs);
  EXPECT_EQ(verdict.covers, "all schedules under SC for these inputs");
}

}  // namespace
}  // namespace treadle
