// SPDX-License-Identifier: Apache-2.0
#include "reproduce/delays.h"

#include <gtest/gtest.h>

#include "abi/wish.h"
#include "trace/made_up.h"

namespace treadle {
namespace {

constexpr std::uint64_t pointer = 0x1000, elsewhere = 0x2000, block = 0x3000;

RecordedFailure crash_of(const char* thread) {
  RecordedFailure failure;
  failure.kind = RecordedFailure::Kind::Signal;
  failure.signal = 11;
  failure.thread = thread;
  return failure;
}

/// Thread 0.1 looks at a pointer, does something of its own and uses what is there; main frees that and takes the pointer away. Nothing
/// failed, and everybody came to the end of its record; `left`: but for that thread, which left its way in the course of its last step.
Trace harmless(unsigned left = 99) {
  MadeUpTrace t;
  t.event(1, TREADLE_EV_READ, pointer, block, 0, 0, 8);
  t.event(1, TREADLE_EV_WRITE, elsewhere, 1, 0, 0, 4);
  t.event(1, TREADLE_EV_READ, block, 7, 0, 0, 4);
  t.event(0, TREADLE_EV_WRITE, pointer, 0, 0, 0, 8);
  t.event(0, TREADLE_EV_YIELD);
  t.event(0, TREADLE_EV_FREE, block, 24);
  t.event(2, TREADLE_EV_YIELD);
  const auto path = [&](unsigned thread, std::uint64_t mark, TreadlePathState state) {
    Event event{};
    event.kind = TREADLE_EV_PATH;
    event.thread = static_cast<std::uint8_t>(thread);
    event.step = 6;
    event.address = mark;
    event.value = 5;
    event.extra = state;
    t.trace.events.push_back(event);
  };
  if (left != 99) path(left, 0x77, TREADLE_PATH_LEFT);
  for (unsigned thread : {0u, 1u, 2u}) path(thread, 0, thread == left ? TREADLE_PATH_LEFT : TREADLE_PATH_OVER);
  return t.trace;
}

/// The threads' numbers in order; those of wishes behind a bar.
std::string text_of(const Schedule& schedule) {
  std::string text;
  for (const Decision& decision : schedule.prefix) {
    if ((decision.argument & TREADLE_WISH) != 0 && text.find('|') == text.npos) text += '|';
    text += static_cast<char>('0' + index_of(decision.thread));
  }
  return text;
}

Schedule with_plain() {
  Schedule schedule;
  schedule.races = Races::Explore;
  return schedule;
}

std::vector<std::string> tried(const RecordedFailure& failure, const Trace& trace, std::size_t count) {
  Delays delays(failure);
  delays.consider(with_plain(), trace);
  std::vector<std::string> all;
  for (const Schedule& schedule : delays.next(count)) all.push_back(text_of(schedule));
  return all;
}

TEST(Delays, HoldAThreadBackAndWishForTheRestAsItWas) {
  Schedule schedule;
  for (const unsigned thread : {1, 1, 0, 1, 2, 1})
    schedule.prefix.push_back({DecisionKind::Step, ThreadId{static_cast<std::uint8_t>(thread)}, 0});
  EXPECT_EQ(text_of(held_back(schedule, 1, 5)), "1|02111");
  EXPECT_EQ(text_of(held_back(schedule, 1, 2)), "1|01121");
}

TEST(Delays, TryTheLastConflictOfTheThreadThatFailedFirst) {
  // What it uses is freed before: when everybody else is done, and right behind that. Then the pointer. What only it touches is left out.
  EXPECT_EQ(tried(crash_of("0.1"), harmless(), 4), (std::vector<std::string>{"11|00021", "11|00012", "|0002111", "|0111002"}));
}

TEST(Delays, HoldOthersBackWhoCameFirst) {
  // Before main frees it, and before main changes the pointer.
  EXPECT_EQ(tried(crash_of("0"), harmless(), 99), (std::vector<std::string>{"11|00012", "|0111002"}));
}

TEST(Delays, AreAboutAThreadThatLeftItsWayToo) { EXPECT_EQ(tried(crash_of("0.2"), harmless(1), 1).front(), "11|00021"); }

TEST(Delays, OfRunsThatCameLessFarAreNotTried) {
  const RecordedFailure failure = crash_of("0.1");
  Delays delays(failure);
  Trace further = harmless();
  further.events.back().value += 1;
  delays.consider(with_plain(), further);
  while (!delays.next(16).empty()) {
  }
  delays.consider(with_plain(), harmless());
  EXPECT_TRUE(delays.next(1).empty());
}

TEST(Delays, OfRunsThatCameLessFarAreTriedWhenNothingElseHelps) {
  const RecordedFailure failure = crash_of("0.1");
  Delays delays(failure);
  Trace further = harmless();
  further.events.back().value += 1;
  for (int tries = 0; tries <= 512;) {
    further.choices.push_back({Decision{DecisionKind::Step, ThreadId{2}, 0}, 0, 0});
    delays.consider(with_plain(), further);
    tries += static_cast<int>(delays.next(16).size());
  }
  EXPECT_TRUE(delays.next(16).empty());
  delays.consider(with_plain(), harmless());
  EXPECT_FALSE(delays.next(1).empty());
}

TEST(Delays, OfTheSameRunAreTriedOnce) {
  const RecordedFailure failure = crash_of("0.1");
  Delays delays(failure);
  for (int i = 0; i < 3; ++i) delays.consider(with_plain(), harmless());
  EXPECT_EQ(delays.next(99).size(), 4u);
  delays.consider(with_plain(), harmless());
  EXPECT_TRUE(delays.next(1).empty());
}

}  // namespace
}  // namespace treadle
