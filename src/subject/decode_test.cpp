// SPDX-License-Identifier: Apache-2.0
#include "subject/decode.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

namespace treadle {
namespace {

template <class T>
T* region(SharedMemory& memory, std::uint64_t offset) {
  return reinterpret_cast<T*>(reinterpret_cast<char*>(&memory.block()) + offset);
}

/// Two decisions, three events, one observed name, as an honest guest would leave them.
void fill(SharedMemory& memory) {
  TreadleSharedBlock& b = memory.block();
  TreadleResult& r = b.results[0];
  std::memset(&r, 0, sizeof r);
  auto* events = region<TreadleEvent>(memory, b.events_at);
  events[0] = {TREADLE_EV_THREAD_CREATE, 0, 0, 0, 0, 0x1000, 0, 1, 0};
  events[1] = {TREADLE_EV_THREAD_START, 1, 0, 0, 1, 0x1004, 0, 0, 0};
  events[2] = {TREADLE_EV_OBSERVE, 1, 8, 0, 1, 0x1008, 0, 42, 3};
  std::memcpy(region<char>(memory, b.texts_at), "sumtoo few", 10);
  const TreadleDecision taken[] = {{TREADLE_STEP, 0, 0}, {TREADLE_STEP, 1, 0}, {TREADLE_STEP, 0, 0}};
  auto* words = region<std::uint32_t>(memory, b.choices_at);
  words[0] = 1;
  std::memcpy(&words[1], &taken[0], 4);
  words[2] = 2;
  std::memcpy(&words[3], &taken[1], 8);
  r.ending = TREADLE_END_ASSERTION;
  r.thread = 1;
  r.text_offset = 3;
  r.text_length = 7;
  r.event_count = 3;
  r.choice_words = 5;
  r.steps = 2;
  r.thread_names = 2;
  b.names[1] = {0, 1};
}

struct Decode : testing::Test {
  SharedMemory memory = *SharedMemory::create();
  Trace trace;
  Decode() { fill(memory); }
  TreadleResult& result() { return memory.block().results[0]; }
};

TEST_F(Decode, ReadsWhatAnHonestProgramLeaves) {
  ASSERT_TRUE(decode(memory, 0, true, trace));
  EXPECT_EQ(trace.events.size(), 3u);
  ASSERT_EQ(trace.choices.size(), 2u);
  EXPECT_EQ(trace.choices[1].alternatives, 2u);
  EXPECT_EQ(trace.choices[1].taken.thread, ThreadId{1});
  EXPECT_EQ(trace.texts.at(trace.events[2].address), "sum");
  EXPECT_EQ(trace.end.text, "too few");
  EXPECT_EQ(trace.threads.size(), 2u);
}

TEST_F(Decode, RefusesAnEventOfUnknownKind) {
  region<TreadleEvent>(memory, memory.block().events_at)[1].kind = TREADLE_EV_COUNT;
  EXPECT_FALSE(decode(memory, 0, true, trace));
}

TEST_F(Decode, RefusesAThreadThatDoesNotExist) {
  region<TreadleEvent>(memory, memory.block().events_at)[1].thread = 2;
  EXPECT_FALSE(decode(memory, 0, true, trace));
}

TEST_F(Decode, RefusesMoreEventsThanThereIsRoom) {
  result().event_count = memory.events().size() + 1;
  EXPECT_FALSE(decode(memory, 0, true, trace));
  result().event_count = UINT64_MAX;
  EXPECT_FALSE(decode(memory, 0, true, trace));
}

TEST_F(Decode, RefusesAlternativesThatRunPastTheEnd) {
  region<std::uint32_t>(memory, memory.block().choices_at)[2] = 3;
  EXPECT_FALSE(decode(memory, 0, true, trace));
}

TEST_F(Decode, RefusesANameOutsideTheTexts) {
  region<TreadleEvent>(memory, memory.block().events_at)[2].extra = UINT64_MAX;
  EXPECT_FALSE(decode(memory, 0, true, trace));
}

TEST_F(Decode, SurvivesGarbageAnywhere) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 20'000; ++round) {
    fill(memory);
    auto* bytes = reinterpret_cast<unsigned char*>(&result());
    for (int i = 0; i < 4; ++i) bytes[random() % offsetof(TreadleResult, stacks)] = static_cast<unsigned char>(random());
    if (result().event_count > 1000) result().event_count %= 1000;  // keep the test quick; too many is a case of its own
    if (result().choice_words > 1000) result().choice_words %= 1000;
    auto* events = reinterpret_cast<unsigned char*>(region<TreadleEvent>(memory, memory.block().events_at));
    for (int i = 0; i < 4; ++i) events[random() % (3 * sizeof(TreadleEvent))] = static_cast<unsigned char>(random());
    auto* words = reinterpret_cast<unsigned char*>(region<std::uint32_t>(memory, memory.block().choices_at));
    words[random() % 20] = static_cast<unsigned char>(random());
    if (!decode(memory, 0, round % 2 == 0, trace)) continue;
    for (const Event& event : trace.events) {
      ASSERT_LT(event.kind, TREADLE_EV_COUNT);
      ASSERT_LT(event.thread, trace.threads.size());
      if (event.kind == TREADLE_EV_OBSERVE) ASSERT_LT(event.address, trace.texts.size());
    }
  }
}

}  // namespace
}  // namespace treadle
