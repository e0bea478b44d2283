// SPDX-License-Identifier: Apache-2.0
#include "explore/story.h"

#include <gtest/gtest.h>

namespace treadle {
namespace {

constexpr std::uint64_t mutex = 0x2000, shared = 0x3000, own = 0x4000;

class StoryTest : public ::testing::Test {
 protected:
  std::uint64_t event(EventKind kind, unsigned thread, std::uint64_t address, std::uint64_t value = 0) {
    Event event{};
    event.kind = static_cast<std::uint8_t>(kind);
    event.thread = static_cast<std::uint8_t>(thread);
    event.size = 4;
    event.address = address;
    event.value = value;
    trace.events.push_back(event);
    return trace.events.size() - 1;
  }

  void SetUp() override {
    trace.threads = {{0, 0}, {0, 1}, {0, 2}};
    trace.end.ending = TREADLE_END_ASSERTION;
    event(TREADLE_EV_WRITE, 0, shared, 7);
    event(TREADLE_EV_THREAD_CREATE, 0, 0, 1);
    event(TREADLE_EV_THREAD_CREATE, 0, 0, 2);
  }

  Story told(std::size_t max_lines = 24) const { return tell(trace, finding, *Symbols::of_objects({}), max_lines); }

  std::vector<std::string> threads_of(const Story& story) const {
    std::vector<std::string> threads;
    for (const StoryLine& line : story.lines) threads.push_back(line.thread);
    return threads;
  }

  void names(std::uint64_t event, const char* thread) {
    Part part;
    part.event = event;
    part.thread = thread;
    part.does = "does something";
    finding.parts.push_back(part);
  }

  Trace trace;
  Finding finding;
};

TEST_F(StoryTest, LeavesOutWhatOnlyOneThreadTouchesAndWhatHappensBeforeThereAreThreads) {
  event(TREADLE_EV_WRITE, 1, own, 1);
  event(TREADLE_EV_WRITE, 1, shared, 1);
  event(TREADLE_EV_READ, 2, shared, 1);
  names(UINT64_MAX, "0.2");
  const Story story = told();
  EXPECT_EQ(threads_of(story), (std::vector<std::string>{"0", "0", "0.1", "0.2", "0.2"}));
  EXPECT_EQ(story.threads, (std::vector<std::string>{"0", "0.1", "0.2"}));
  EXPECT_TRUE(story.lines.back().key);
  EXPECT_EQ(story.lines.back().text, "does something");
}

TEST_F(StoryTest, TellsWhoseWriteAReadSaw) {
  event(TREADLE_EV_READ, 1, shared, 7);
  event(TREADLE_EV_WRITE, 1, shared, 8);
  event(TREADLE_EV_READ, 1, shared, 8);
  event(TREADLE_EV_READ, 2, shared, 8);
  event(TREADLE_EV_READ, 2, own, 0);
  event(TREADLE_EV_WRITE, 1, own, 5);
  const Story story = told();
  ASSERT_EQ(story.lines.size(), 8u);
  EXPECT_EQ(story.lines[2].from, "from 0");
  EXPECT_EQ(story.lines[4].from, "");
  EXPECT_EQ(story.lines[5].from, "from 0.1");
  EXPECT_EQ(story.lines[6].from, "initial value");
}

TEST_F(StoryTest, EndsWithTheRaceThatItIsAbout) {
  names(event(TREADLE_EV_WRITE, 1, shared, 1), "0.1");
  names(event(TREADLE_EV_READ, 2, shared, 1), "0.2");
  event(TREADLE_EV_WRITE, 2, shared, 2);
  const Story story = told();
  ASSERT_EQ(story.lines.size(), 5u);  // the first value of what it is about is told too
  EXPECT_TRUE(story.lines[3].key && story.lines[4].key);
}

TEST_F(StoryTest, ShowsTheLockThatABlockedThreadWaitsFor) {
  event(TREADLE_EV_LOCK, 1, mutex);
  trace.pending.push_back({.thread = ThreadId{2}, .kind = TREADLE_EV_LOCK, .address = mutex});
  names(UINT64_MAX, "0.2");
  const Story story = told();
  ASSERT_EQ(story.lines.size(), 4u);
  EXPECT_EQ(story.lines[2].thread, "0.1");
}

TEST_F(StoryTest, KeepsTheSwitchesAndTheEndOfALongExecutionAndCountsTheRest) {
  for (int i = 0; i < 100; ++i) event(TREADLE_EV_WRITE, 1, shared, 1);
  for (int i = 0; i < 100; ++i) event(TREADLE_EV_WRITE, 2, shared, 2);
  names(UINT64_MAX, "0.2");
  const Story story = told(10);
  std::size_t lines = 0, elided = 0;
  for (const StoryLine& line : story.lines) (line.elided ? elided += line.elided : ++lines);
  EXPECT_LE(lines, 12u);
  EXPECT_EQ(lines - 1 + elided, 202u);
  EXPECT_TRUE(story.lines.back().key);
}

TEST_F(StoryTest, OfAMisuseIsAboutItsObjectOnly) {
  finding.kind = FindingKind::Misuse;
  event(TREADLE_EV_WRITE, 1, shared, 1);
  event(TREADLE_EV_WRITE, 2, shared, 1);
  event(TREADLE_EV_LOCK, 1, mutex);
  names(event(TREADLE_EV_MISUSE, 2, mutex), "0.2");
  EXPECT_EQ(threads_of(told()), (std::vector<std::string>{"0.1", "0.2"}));
}

}  // namespace
}  // namespace treadle
