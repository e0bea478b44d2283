// SPDX-License-Identifier: Apache-2.0
#include "reproduce/ways.h"

#include <gtest/gtest.h>

#include "record/made_up.h"
#include "trace/schedule.h"

namespace treadle {
namespace {

PathTables tables_of(const std::string& bytes) {
  auto tables = PathTables::read(bytes);
  EXPECT_TRUE(bool(tables));
  return std::move(*tables);
}

/// main of made_up_tables() has been entered, and called something foreign.
RecordedRun entered(std::string more = {}, TreadleStreamState state = TREADLE_STREAM_OPEN) {
  RecordedRun run;
  const std::string piece = made_up_tables();
  run.tables = tables_of(piece);
  const std::uint64_t mark = treadle_mark(hash_of_piece(piece), 0, 0);
  ThreadStream thread;
  thread.name = "0";
  thread.state = state;
  thread.bytes = std::string(reinterpret_cast<const char*>(&mark), 8) + "\x01" + more;
  run.threads.push_back(std::move(thread));
  return run;
}

TEST(Ways, OfAThreadInACallEndsWithThatAndMayGoOnBehindIt) {
  const RecordedRun run = entered();
  const auto ways = ways_of(run, run.tables);
  ASSERT_TRUE(bool(ways)) << ways.problem().sentence;
  ASSERT_EQ(ways->threads.size(), 1u);
  const Way& way = ways->threads.front();
  const std::uint64_t piece = run.tables.functions()[0].piece;
  EXPECT_EQ(way.blocks, std::vector<std::uint64_t>{treadle_mark(piece, 0, 0)});
  EXPECT_EQ(way.flags, TREADLE_FOLLOW_IN_CALL);
  ASSERT_FALSE(way.tail.empty());
  EXPECT_EQ(way.tail.front(), treadle_mark(piece, 0, TREADLE_RETURNS_AT | 1));
}

TEST(Ways, OfAThreadThatEndedHaveNothingBehindThem) {
  const RecordedRun run = entered("\x01", TREADLE_STREAM_ENDED);
  const auto ways = ways_of(run, run.tables);
  ASSERT_TRUE(bool(ways)) << ways.problem().sentence;
  const Way& way = ways->threads.front();
  EXPECT_EQ(way.flags, TREADLE_FOLLOW_ENDS);
  EXPECT_TRUE(way.tail.empty());
  EXPECT_EQ(way.blocks.size(), 3u);  // a block, the return of the call, another block
}

TEST(Ways, OfAThreadWhoseStreamWasCutLeadOnlyAsFarAsItGoes) {
  RecordedRun run = entered();
  run.threads.front().trouble = "the disk was full";
  const auto ways = ways_of(run, run.tables);
  ASSERT_TRUE(bool(ways));
  EXPECT_EQ(ways->threads.front().flags, TREADLE_FOLLOW_CUT);
  EXPECT_EQ(ways->notes.size(), 1u);
}

TEST(Ways, AreNotMadeForAnotherProgram) {
  const RecordedRun run = entered();
  const PathTables other = tables_of(made_up_piece({{"main", false, 1, {{0, TREADLE_NODE_BEGINS, 0, {{TREADLE_OUT_RETURN}}}}}}));
  const auto ways = ways_of(run, other);
  ASSERT_FALSE(bool(ways));
  EXPECT_NE(ways.problem().sentence.find("another program"), std::string::npos);
}

TEST(Ways, OfThreadsThatNobodyWasSeenToCreateAreLeftOutAndSaid) {
  RecordedRun run = entered();
  run.threads.front().name = "?3";
  const auto ways = ways_of(run, run.tables);
  ASSERT_TRUE(bool(ways));
  EXPECT_TRUE(ways->threads.empty());
  EXPECT_EQ(ways->notes.size(), 1u);
}

TEST(Ways, InTheFileLieWithinIt) {
  const RecordedRun run = entered();
  const auto ways = ways_of(run, run.tables);
  ASSERT_TRUE(bool(ways));
  const std::string file = encode(*ways, {.gates = true});
  TreadleFollowHeader header;
  TreadleFollowThread thread;
  ASSERT_GE(file.size(), sizeof header + sizeof thread);
  std::memcpy(&header, file.data(), sizeof header);
  std::memcpy(&thread, file.data() + sizeof header, sizeof thread);
  EXPECT_EQ(header.magic, TREADLE_FOLLOW_MAGIC);
  EXPECT_EQ(header.threads, 1u);
  EXPECT_EQ(file.size(), sizeof header + sizeof thread + 8 * header.words);
  EXPECT_EQ(thread.first_tail, thread.first_block + thread.blocks);
}

TEST(ThreadHash, IsTheOneOfTheRuntime) {
  EXPECT_EQ(thread_hash("0"), 0u);
  EXPECT_EQ(thread_hash("0.2"), treadle_thread_hash(0, 2));
  EXPECT_EQ(thread_hash("0.2.1"), treadle_thread_hash(treadle_thread_hash(0, 2), 1));
  for (const char* nonsense : {"", "1", "0.", "0.x", "?2", "0.70000"}) EXPECT_FALSE(thread_hash(nonsense)) << nonsense;
}

}  // namespace
}  // namespace treadle
