// SPDX-License-Identifier: Apache-2.0
#include "record/decode.h"

#include <gtest/gtest.h>

#include "record/made_up.h"

namespace treadle {
namespace {

class Decoding : public ::testing::Test {
 protected:
  void use(const std::string& piece) {
    auto read = PathTables::read(piece);
    ASSERT_TRUE(static_cast<bool>(read)) << read.problem().sentence;
    tables_ = std::move(*read);
    hash_ = hash_of_piece(piece);
  }
  std::string enter(std::uint32_t function) const { return mark_bytes(treadle_mark(hash_, function, 0)); }

  std::vector<std::uint32_t> blocks(const std::string& stream, bool has_ended = true) {
    auto flow = flow_of(tables_, stream, has_ended, 1000);
    if (!flow) {
      problem_ = flow.problem().sentence;
      return {};
    }
    tail_ = flow->tail;
    std::vector<std::uint32_t> list;
    for (const BlockId& id : flow->blocks) list.push_back(id.function * 100 + id.block);
    return list;
  }

  PathTables tables_;
  std::uint64_t hash_ = 0;
  Tail tail_;
  std::string problem_;
};

using List = std::vector<std::uint32_t>;

TEST_F(Decoding, FollowsTheNumbersOfPaths) {
  use(made_up_tables());
  EXPECT_EQ(blocks(enter(0) + "\x01\x01"), (List{0, 1}));
  EXPECT_EQ(blocks(enter(0) + "\x01\x02"), (List{0, 2}));
  EXPECT_TRUE(tail_.frames.empty());
}

TEST_F(Decoding, OfAThreadThatWasKilledInACallEndsThere) {
  use(made_up_tables());
  EXPECT_EQ(blocks(enter(0) + "\x01", false), (List{0}));
  ASSERT_EQ(tail_.frames.size(), 1u);
  EXPECT_TRUE(tail_.frames[0].in_call);
}

TEST_F(Decoding, TellsWhatForeignCodeCalledBack) {
  use(made_up_tables());
  EXPECT_EQ(blocks(enter(0) + "\x01" + enter(0) + "\x01\x02" + enter(0) + "\x01\x01" + "\x02"), (List{0, 0, 2, 0, 1, 2}));
}

TEST_F(Decoding, OfAMarkThatWasWrittenInPartEndsBeforeIt) {
  use(made_up_tables());
  EXPECT_EQ(blocks((enter(0) + "\x01" + enter(0)).substr(0, 14), false), (List{0}));
  EXPECT_TRUE(problem_.empty());
}

TEST_F(Decoding, RefusesWhatDoesNotFit) {
  use(made_up_tables());
  blocks(enter(0) + "\x01\x03");
  EXPECT_NE(problem_.find("no such path"), std::string::npos);
  blocks("\x01");
  EXPECT_NE(problem_.find("no function is entered"), std::string::npos);
  blocks(mark_bytes(0x123456789aff));
  EXPECT_NE(problem_.find("unknown function"), std::string::npos);
}

/// A loop with one way through it: header 1, body 2; then 3.
MadeUpFunction counting() {
  return {"count",
          false,
          4,
          {{0, TREADLE_NODE_BEGINS, 0, {{TREADLE_OUT_CUT, 1}}},
           {1, TREADLE_NODE_BEGINS | TREADLE_NODE_COUNTED, 1, {{TREADLE_OUT_EDGE, 2}, {TREADLE_OUT_EDGE, 3}}},
           {2, TREADLE_NODE_BEGINS, 1, {{TREADLE_OUT_AGAIN, 1}}},
           {3, TREADLE_NODE_BEGINS, 1, {{TREADLE_OUT_RETURN}}}}};
}

TEST_F(Decoding, RepeatsCountedLoops) {
  use(made_up_piece({counting()}));
  EXPECT_EQ(blocks(enter(0) + "\x03"), (List{0, 1, 2, 1, 2, 1, 3}));
  EXPECT_EQ(blocks(enter(0) + "\x01"), (List{0, 1, 3}));
  EXPECT_EQ(blocks(enter(0) + "\xf6\x02\x01"), (List{0, 1, 2, 1, 2, 1, 3}));
  const std::uint64_t many = 300;
  EXPECT_EQ(blocks(enter(0) + "\xfd" + std::string(reinterpret_cast<const char*>(&many), 8) + "\x01").size(), 603u);
}

TEST_F(Decoding, TellsIterationsAndTheWayBehindTheLoopFromOneNumber) {
  MadeUpFunction function = counting();
  function.blocks = 6;
  function.nodes[3].outs = {{TREADLE_OUT_EDGE, 4}, {TREADLE_OUT_EDGE, 5}};
  function.nodes.push_back({4, TREADLE_NODE_BEGINS, 1, {{TREADLE_OUT_RETURN}}});
  function.nodes.push_back({5, TREADLE_NODE_BEGINS, 1, {{TREADLE_OUT_RETURN}}});
  use(made_up_piece({function}));
  EXPECT_EQ(blocks(enter(0) + "\x01"), (List{0, 1, 3, 4}));
  EXPECT_EQ(blocks(enter(0) + "\x04"), (List{0, 1, 2, 1, 3, 5}));
  const std::uint64_t few = 1;
  EXPECT_EQ(blocks(enter(0) + "\xfd" + std::string(reinterpret_cast<const char*>(&few), 8) + "\x02"), (List{0, 1, 2, 1, 3, 5}));
}

struct Listed : PathVisitor {
  void blocks(std::uint32_t, std::span<const std::uint32_t> all, std::uint64_t times) override {
    for (std::uint64_t i = 0; i < times; ++i) list.insert(list.end(), all.begin(), all.end());
  }
  void gap() override { list.push_back(1000); }
  List list;
};

/// A loop with three ways through it: header 1; 2, 3 or 4; 5; two ways out, both to 6.
MadeUpFunction packing() {
  return {"pack",
          false,
          7,
          {{0, TREADLE_NODE_BEGINS, 0, {{TREADLE_OUT_CUT, 1}}},
           {1, TREADLE_NODE_BEGINS | TREADLE_NODE_PACKED, 2, {{TREADLE_OUT_EDGE, 2}, {TREADLE_OUT_EDGE, 6}, {TREADLE_OUT_EDGE, 3}}},
           {2, TREADLE_NODE_BEGINS, 2, {{TREADLE_OUT_EDGE, 5}}},
           {3, TREADLE_NODE_BEGINS, 2, {{TREADLE_OUT_EDGE, 5}, {TREADLE_OUT_EDGE, 4}}},
           {4, TREADLE_NODE_BEGINS, 2, {{TREADLE_OUT_EDGE, 6}, {TREADLE_OUT_EDGE, 5}}},
           {5, TREADLE_NODE_BEGINS, 2, {{TREADLE_OUT_AGAIN, 1}}},
           {6, TREADLE_NODE_BEGINS, 2, {{TREADLE_OUT_RETURN}}}}};
}

/// What stands for these ways through `packing`.
std::uint64_t digits(const std::vector<unsigned>& ways) {
  std::uint64_t all = 1;
  for (unsigned way : ways) all = all * 3 + way;
  return all;
}

std::string number_of(std::uint64_t number) { return {static_cast<char>((number + 0x100) >> 8), static_cast<char>(number)}; }

TEST_F(Decoding, UnpacksTheWaysThroughALoop) {
  use(made_up_piece({packing()}));
  EXPECT_EQ(blocks(enter(0) + number_of(2 * digits({}))), (List{0, 1, 6}));
  EXPECT_EQ(blocks(enter(0) + number_of(2 * digits({0, 1, 2}) + 1)), (List{0, 1, 2, 5, 1, 3, 5, 1, 3, 4, 5, 1, 3, 4, 6}));
  EXPECT_EQ(blocks(enter(0) + "\xf6" + static_cast<char>(digits({2, 0})) + number_of(0)), (List{0, 1, 3, 4, 5, 1, 2, 5, 1, 6}));
}

TEST_F(Decoding, OfAPackedLoopThatGoesOnForLongPutsThePiecesTogether) {
  use(made_up_piece({packing()}));
  const std::uint64_t full = digits(std::vector<unsigned>(39, 1));
  const std::string piece = "\xfd" + mark_bytes(full);
  EXPECT_EQ(blocks(enter(0) + piece + piece + number_of(2 * digits({0}))).size(), 1 + 78 * 3 + 3 + 2u);
}

TEST_F(Decoding, OfAThreadThatWasKilledInAPackedLoopHasItsIterations) {
  use(made_up_piece({packing()}));
  EXPECT_EQ(blocks(enter(0) + "\xfd" + static_cast<char>(digits({2, 0})), false), (List{0, 1, 3, 4, 5, 1, 2, 5}));
  EXPECT_TRUE(tail_.in_counted_loop);
  EXPECT_EQ(blocks(enter(0) + "\xfd", false), (List{0}));
}

TEST_F(Decoding, RefusesWhatNoPackedLoopLeaves) {
  use(made_up_piece({packing()}));
  blocks(enter(0) + "\xfe\x01");
  EXPECT_NE(problem_.find("something else"), std::string::npos);
  blocks(enter(0) + "\xf6\x02");  // a digit without the 1 in front
  EXPECT_NE(problem_.find("something else"), std::string::npos);
}

TEST_F(Decoding, OfAStreamThatBeginsInTheMiddleOfAPackedLoopReadsItsPieces) {
  use(made_up_piece({packing()}));
  const std::vector<StreamResume> resumes{{0, treadle_resume_mark(hash_, 0, 1, TREADLE_RESUME_LOOP)}};
  Listed found;
  ASSERT_TRUE(static_cast<bool>(
      decode_stream(tables_, "\xf6" + std::string(1, static_cast<char>(digits({0, 1}))) + number_of(0), true, found, resumes)));
  EXPECT_EQ(found.list, (List{1000, 1, 2, 5, 1, 3, 5, 1, 6}));
}

TEST_F(Decoding, OfAStreamThatBeginsInTheMiddleGoesOnBehindARecordThatSaysWhatItEnds) {
  use(made_up_tables());
  const std::vector<StreamResume> in_call{{0, treadle_resume_mark(hash_, 0, 0, 0)}}, in_return{{0, treadle_resume_mark(hash_, 0, 2, 0)}};
  Listed first, second, third;
  ASSERT_TRUE(static_cast<bool>(decode_stream(tables_, "\x01\x02", true, first, in_call)));
  EXPECT_EQ(first.list, (List{1000, 2}));
  // What the unknown caller did is passed over, up to the next mark.
  ASSERT_TRUE(static_cast<bool>(decode_stream(tables_, "\x01\x05\x06" + enter(0) + "\x01\x01", true, second, in_return)));
  EXPECT_EQ(second.list, (List{1000, 1000, 0, 1}));
  const std::vector<StreamResume> foreign{{0, 77}};
  ASSERT_TRUE(static_cast<bool>(decode_stream(tables_, "\x01\x02", true, third, foreign)));
  EXPECT_EQ(third.list, (List{1000}));
}

TEST_F(Decoding, OfAThreadThatWasKilledInALoopSaysSo) {
  use(made_up_piece({counting()}));
  EXPECT_EQ(blocks(enter(0), false), (List{}));
  EXPECT_EQ(blocks(enter(0), true), (List{0}));
  EXPECT_TRUE(tail_.in_counted_loop);
}

TEST_F(Decoding, LandsInTheInnermostFrameThatWaits) {
  // f: calls itself or something foreign, with a landing pad (node 3); the landing pad returns.
  use(made_up_piece({{"f",
                      false,
                      3,
                      {{0, TREADLE_NODE_BEGINS, 1, {{TREADLE_OUT_CALL, TREADLE_CALL_UNKNOWN, 0, 2, 3}}},
                       {1, TREADLE_NODE_BEGINS, 1, {{TREADLE_OUT_RETURN}}},
                       {2, TREADLE_NODE_BEGINS | TREADLE_NODE_LANDING, 0, {{TREADLE_OUT_RETURN}}}}}}));
  const std::string lands = mark_bytes(treadle_mark(hash_, 0, 2));
  EXPECT_EQ(blocks(enter(0) + "\x01" + enter(0) + "\x01" + lands + "\x01"), (List{0, 0, 2, 1}));
  EXPECT_EQ(blocks(enter(0) + "\x01" + enter(0) + "\x01" + lands + lands), (List{0, 0, 2, 2}));
  blocks(lands);
  EXPECT_NE(problem_.find("nobody was waiting"), std::string::npos);
}

TEST_F(Decoding, KeepsValuesApart) {
  use(made_up_tables());
  struct Values : PathVisitor {
    void value(TreadleValueKind kind, std::uint64_t value) override { seen.emplace_back(kind, value); }
    std::vector<std::pair<int, std::uint64_t>> seen;
  } values;
  const std::uint64_t mark = TREADLE_VALUE_MARK | TREADLE_VALUE_RANDOM << 8 | TREADLE_MARK_BYTE;
  ASSERT_TRUE(static_cast<bool>(decode_stream(tables_, enter(0) + "\x01" + mark_bytes(mark) + mark_bytes(77) + "\x01", true, values)));
  EXPECT_EQ(values.seen, (std::vector<std::pair<int, std::uint64_t>>{{TREADLE_VALUE_RANDOM, 77}}));
}

TEST(Tables, ThatRunInACircleAreRefused) {
  const auto read =
      PathTables::read(made_up_piece({{"f", false, 1, {{0, 1, 1, {{TREADLE_OUT_EDGE, 1}}}, {0, 0, 1, {{TREADLE_OUT_EDGE, 0}}}}}}));
  EXPECT_NE(read.problem().sentence.find("impossible"), std::string::npos);
}

TEST(Tables, WithAPackedLoopOfTooManyWaysOrTooFewAreRefused) {
  MadeUpFunction one = packing();
  one.nodes[1].outs = {{TREADLE_OUT_EDGE, 2}, {TREADLE_OUT_EDGE, 6}};
  EXPECT_NE(PathTables::read(made_up_piece({one})).problem().sentence.find("too many ways"), std::string::npos);
  MadeUpFunction many = packing();
  many.nodes[1].outs.assign(TREADLE_MOST_WAYS + 1, {TREADLE_OUT_EDGE, 2});
  EXPECT_NE(PathTables::read(made_up_piece({many})).problem().sentence.find("too many ways"), std::string::npos);
}

TEST(Tables, ThatAreDamagedCutOrOfAnotherVersionAreRefused) {
  const std::string piece = made_up_tables();
  for (std::size_t i = 1; i < piece.size(); ++i) {
    std::string bytes = piece;
    bytes[i] = static_cast<char>(bytes[i] ^ 0x10);
    EXPECT_FALSE(static_cast<bool>(PathTables::read(bytes))) << i;
    EXPECT_FALSE(static_cast<bool>(PathTables::read(piece.substr(0, i)))) << i;
  }
}

TEST(Tables, OfSeveralFilesFollowEachOther) {
  const auto read = PathTables::read(made_up_tables() + std::string(5, '\0') + made_up_piece({counting()}));
  ASSERT_TRUE(static_cast<bool>(read));
  EXPECT_EQ(read->functions().size(), 2u);
}

}  // namespace
}  // namespace treadle
