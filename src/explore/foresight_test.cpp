// SPDX-License-Identifier: Apache-2.0
#include "explore/foresight.h"

#include <gtest/gtest.h>

#include "explore/listener.h"

namespace treadle {
namespace {

/// Three executions, whatever they show.
class Three final : public Strategy, public Listener {
 public:
  explicit Three(unsigned& learned, unsigned* heard = nullptr) : learned_(learned), heard_(heard) {}
  void hear_of(const Trace&) override {
    if (heard_ != nullptr) ++*heard_;
  }
  std::optional<Item> next() override { return made_ < 3 ? std::optional(Item{{}, made_++}) : std::nullopt; }
  void learn_from(Ticket, const Trace&) override { ++learned_; }
  std::string covers() const override { return "three"; }

 private:
  unsigned& learned_;
  unsigned* heard_;
  Ticket made_ = 0;
};

Schedule schedule_with_seed(std::uint64_t seed) {
  Schedule schedule;
  schedule.seed = seed;
  return schedule;
}

/// The seeds of all schedules, in the order in which they are run.
std::vector<std::uint64_t> run_all(Foresight& foresight) {
  std::vector<std::uint64_t> seeds;
  while (auto item = foresight.next()) {
    seeds.push_back(item->schedule.seed);
    foresight.learn_from(item->ticket, {});
  }
  return seeds;
}

TEST(Foresight, RunsWhatAnExecutionImpliesBeforeTheNextOne) {
  unsigned learned = 0, asked = 0;
  Foresight foresight(std::make_unique<Three>(learned),
                      [&](const Trace&) { return std::vector<Hint>{{schedule_with_seed(100 + asked), asked++}}; }, {});
  EXPECT_EQ(run_all(foresight), (std::vector<std::uint64_t>{1, 100, 1, 101, 1, 102}));
  EXPECT_EQ(learned, 3u);
}

TEST(Foresight, DoesNotTryTheSameAgainAndAgain) {
  unsigned learned = 0;
  const auto ask = [](const Trace&) { return std::vector<Hint>{{schedule_with_seed(7), 1}, {schedule_with_seed(7), 1}}; };
  Foresight foresight(std::make_unique<Three>(learned), ask, {});
  EXPECT_EQ(run_all(foresight).size(), 3u + 3u);
}

TEST(Foresight, TellsThatADataRaceDidNotShow) {
  Trace race;
  race.events.push_back({});
  race.events.back().kind = TREADLE_EV_RACE;
  const auto ask = [](const Trace&) {
    return std::vector<Hint>{
        {schedule_with_seed(7), 1, {}, true}, {schedule_with_seed(8), 2, {}, true}, {schedule_with_seed(9), 1, {}, true}};
  };
  for (const std::uint64_t shows : {8u, 9u, 7u, 0u}) {  // the schedule with that seed
    unsigned learned = 0;
    Foresight foresight(std::make_unique<Three>(learned), ask, {}, [] { return std::string(); });
    while (auto item = foresight.next()) foresight.learn_from(item->ticket, item->schedule.seed == shows ? race : Trace{});
    EXPECT_NE(foresight.gaps().find(shows == 0 ? "2 data races" : "1 data race "), std::string::npos) << foresight.gaps();
  }
}

/// Threads 1 and 2 wait for ever at these places.
Trace standstill(std::uint64_t first, std::uint64_t second) {
  Trace trace;
  trace.end.ending = TREADLE_END_DEADLOCK;
  for (const auto& [thread, pc] : {std::pair{1, first}, std::pair{2, second}}) {
    PendingOperation pending;
    pending.thread = ThreadId{static_cast<std::uint8_t>(thread)};
    pending.state = TREADLE_THREAD_BLOCKED;
    pending.pc = pc;
    trace.pending.push_back(pending);
  }
  return trace;
}

std::vector<Hint> deadlock_of_both(const Trace&) { return {{schedule_with_seed(7), 1, {{ThreadId{1}, 10}, {ThreadId{2}, 20}}}}; }

TEST(Foresight, DoesNotTryAStandstillThatWasSeen) {
  unsigned learned = 0;
  Foresight foresight(std::make_unique<Three>(learned), deadlock_of_both, {});
  foresight.learn_from(foresight.next()->ticket, standstill(10, 20));
  EXPECT_EQ(foresight.next()->schedule.seed, 1u);
  Foresight elsewhere(std::make_unique<Three>(learned), deadlock_of_both, {});
  elsewhere.learn_from(elsewhere.next()->ticket, standstill(10, 30));
  EXPECT_EQ(elsewhere.next()->schedule.seed, 7u);
}

Event event_of(unsigned thread, EventKind kind, std::uint64_t pc) {
  Event event{};
  event.thread = static_cast<std::uint8_t>(thread);
  event.kind = kind;
  event.address = 5;
  event.pc = pc;
  return event;
}

TEST(Foresight, TellsWhoMissedASignalFromWhoDidNot) {
  const auto waits_for_ever = [](const Trace&) { return std::vector<Hint>{{schedule_with_seed(7), 1, {{ThreadId{1}, 10, 3}}}}; };
  Trace trace;
  trace.end.ending = TREADLE_END_DEADLOCK;
  trace.events = {event_of(1, TREADLE_EV_COND_WAIT, 9)};
  PendingOperation pending;
  pending.thread = ThreadId{1};
  pending.state = TREADLE_THREAD_BLOCKED;
  pending.kind = TREADLE_EV_COND_WOKEN;
  pending.address = 5;
  pending.pc = 10;
  trace.pending = {pending};
  unsigned learned = 0;
  Foresight none(std::make_unique<Three>(learned), waits_for_ever, {});
  none.learn_from(none.next()->ticket, trace);
  EXPECT_EQ(none.next()->schedule.seed, 7u);
  trace.events.insert(trace.events.begin(), event_of(2, TREADLE_EV_COND_SIGNAL, 3));
  Foresight missed(std::make_unique<Three>(learned), waits_for_ever, {});
  missed.learn_from(missed.next()->ticket, trace);
  EXPECT_EQ(missed.next()->schedule.seed, 1u);
}

TEST(Foresight, TellsTheStrategyOfDeadlocksThatItWouldOtherwiseRunIntoAgain) {
  unsigned learned = 0, heard = 0;
  Foresight foresight(std::make_unique<Three>(learned, &heard), deadlock_of_both, {});
  foresight.learn_from(foresight.next()->ticket, {});
  foresight.learn_from(foresight.next()->ticket, standstill(10, 20));
  EXPECT_EQ(learned, 1u);
  EXPECT_EQ(heard, 1u);
  EXPECT_EQ(foresight.next()->schedule.seed, 1u);
}

TEST(Foresight, LetsHintsAndTheStrategysOwnBeOutTogether) {
  unsigned learned = 0;
  const auto ask = [](const Trace&) { return std::vector<Hint>{{schedule_with_seed(7), 1}}; };
  Foresight foresight(std::make_unique<Three>(learned), ask, {});
  EXPECT_EQ(foresight.ahead(), 1u);
  foresight.learn_from(foresight.next()->ticket, {});
  EXPECT_EQ(foresight.ahead(), 2u);
  const auto hint = foresight.next();
  EXPECT_EQ(hint->schedule.seed, 7u);
  EXPECT_EQ(foresight.ahead(), 2u);
  foresight.learn_from(hint->ticket, {});
  EXPECT_EQ(foresight.ahead(), 1u);
}

}  // namespace
}  // namespace treadle
