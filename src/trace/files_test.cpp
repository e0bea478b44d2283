// SPDX-License-Identifier: Apache-2.0
#include "trace/files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <random>

#include "base/atomic_file.h"
#include "trace/codec.h"
#include "trace/made_up.h"

namespace treadle {
namespace {

Schedule some_schedule() {
  Schedule s;
  s.prefix = {{DecisionKind::Step, ThreadId{0}, 0}, {DecisionKind::Wake, ThreadId{2}, 1}, {DecisionKind::Flush, ThreadId{249}, 65535}};
  s.policy = Policy::Pct;
  s.seed = ~0ull;
  s.pct_depth = 3;
  s.pct_length = 1000;
  for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{7}, ~std::uint64_t{0}}) s.inputs.add("0", value);
  s.inputs.add("0.1.1", 9);
  s.inputs.add_named("limit", 5);
  s.threads = {{}, {0, 1}, {1, 1}};
  s.model = MemoryModel::Pso;
  s.races = Races::Explore;
  s.spurious_wakeups = true;
  s.status_matters = true;
  s.max_steps = 12;
  return s;
}

Witness some_witness() {
  return {some_schedule(),    "/tmp/a program",
          0x123456789abcdef0, {"", "-x", std::string("a\0b", 3)},
          {"HOME=/tmp"},      {"deadlock", "transfer", {"transfer", "worker"}, {{"0.1", "transfer", "lock", 2}, {"0", "main", "join", 1}}}};
}

Trace some_trace() {
  MadeUpTrace t;
  t.event(0, TREADLE_EV_ALLOC, 0x310000000010, 24, 0, 0x555555555123);
  t.event(249, TREADLE_EV_WRITE, ~0ull, ~0ull, 1, 3, 8, 0x80);
  t.event(1, TREADLE_EV_OBSERVE, 0, 5);
  t.trace.events[1].step = UINT32_MAX;
  t.trace.alternatives = {{DecisionKind::Step, ThreadId{0}, 0}, {DecisionKind::Timeout, ThreadId{1}, 0}};
  t.trace.choices[1].alternatives = 2;
  t.blocked(2, TREADLE_EV_LOCK, 0x1000, 0x5555, 3);
  t.end(TREADLE_END_ASSERTION, 1, 0x55555, 1, 2, 3, "x == 1");
  t.stack(1, 0, {1, 2, ~0ull});
  t.trace.texts = {"", "r1"};
  t.trace.expressions = {{},
                         {TREADLE_OP_INPUT, 32, 0, 2, 5, 0},
                         {TREADLE_OP_CONSTANT, 32, 0, 0, ~0u, 0},
                         {TREADLE_OP_ADD, 32, 0, 1, 2, 0},
                         {TREADLE_OP_EQ, 1, 0, 3, 1, 0}};
  t.trace.notes = {{TREADLE_NOTE_WRITE, 0, 0, 0, 1, 3, 4, 0x555555555123},
                   {TREADLE_NOTE_BRANCH, 1, TREADLE_GUARDS_ASSERTION, 0, 3, 4, 0, 0}};
  t.trace.plain_hash = 77;
  t.trace.heap_bytes = 4096;
  t.trace.preemptions = 2;
  t.trace.inputs_used = 1;
  return t.trace;
}

TEST(Files, GiveBackTheScheduleThatWasWritten) {
  for (const Schedule& schedule : {some_schedule(), Schedule{}}) {
    const auto read = decode_schedule(encode(schedule), "s");
    ASSERT_TRUE(read);
    EXPECT_EQ(*read, schedule);
  }
}

TEST(Files, GiveBackTheWitnessThatWasWritten) {
  const auto read = decode_witness(encode(some_witness()), "w");
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, some_witness());
}

TEST(Files, GiveBackTheTraceThatWasWritten) {
  for (const Trace& trace : {some_trace(), Trace{}}) {
    const auto read = decode_trace(encode(trace, some_witness()), "t");
    ASSERT_TRUE(read);
    EXPECT_EQ(read->from, some_witness());
    ASSERT_EQ(read->trace.events.size(), trace.events.size());
    if (!trace.events.empty()) {
      EXPECT_EQ(std::memcmp(read->trace.events.data(), trace.events.data(), trace.events.size() * sizeof(Event)), 0);
    }
    EXPECT_EQ(encode(read->trace, read->from), encode(trace, some_witness())) << "one value has one encoding";
    EXPECT_EQ(read->trace.end.text, trace.end.text);
    EXPECT_EQ(read->trace.texts, trace.texts);
    EXPECT_EQ(read->trace.expressions.size(), trace.expressions.size());
    EXPECT_EQ(read->trace.notes.size(), trace.notes.size());
  }
}

TEST(Files, WithExpressionsThatMakeNoSenseSaySo) {
  Trace trace = some_trace();
  trace.expressions[3].a = 4;  // what comes later
  EXPECT_FALSE(decode_trace(encode(trace, {}), "t"));
  trace = some_trace();
  trace.notes[0].expression = 5;
  EXPECT_FALSE(decode_trace(encode(trace, {}), "t"));
  trace = some_trace();
  trace.notes[1].expression = 3;  // a condition of 32 bits
  EXPECT_FALSE(decode_trace(encode(trace, {}), "t"));
}

TEST(Files, SayWhatTheyAreWhenAskedForAnything) {
  EXPECT_TRUE(std::holds_alternative<Schedule>(*decode_any(encode(some_schedule()), "f")));
  EXPECT_TRUE(std::holds_alternative<Witness>(*decode_any(encode(some_witness()), "f")));
  EXPECT_TRUE(std::holds_alternative<TraceFile>(*decode_any(encode(some_trace(), {}), "f")));
}

TEST(Files, OfAnotherKindGetOneClearSentence) {
  const auto read = decode_schedule(encode(some_trace(), {}), "run.trace");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.problem().sentence, "cannot read run.trace: it is a trace, not a schedule");
}

TEST(Files, FromElsewhereGetOneClearSentence) {
  EXPECT_EQ(decode_any("\x7f"
                       "ELF and so on",
                       "a.out")
                .problem()
                .sentence,
            "cannot read a.out: it is not a file of Treadle's");
  EXPECT_EQ(decode_any("", "a.out").problem().sentence, "cannot read a.out: it is empty");
  EXPECT_EQ(decode_any("TREA", "a.out").problem().sentence, "cannot read a.out: it is cut short");
}

TEST(Files, OfANewerVersionSaySo) {
  std::string bytes = encode(some_schedule());
  bytes[8] = 9;
  EXPECT_EQ(decode_schedule(bytes, "s").problem().sentence,
            "cannot read s: it was written by a newer Treadle (format 9, this one reads up to 6)");
}

TEST(Files, CutShortAnywhereSaySo) {
  const std::string bytes = encode(some_trace(), some_witness());
  for (std::size_t size = 1; size < bytes.size(); ++size) {
    const auto read = decode_trace(std::string_view(bytes).substr(0, size), "t");
    ASSERT_FALSE(read) << size;
    EXPECT_EQ(read.problem().sentence, "cannot read t: it is cut short") << size;
  }
  EXPECT_FALSE(decode_trace(bytes + "x", "t")) << "and with something behind it";
}

TEST(Files, WithAnyBitFlippedAreRefused) {
  for (const std::string& bytes : {encode(some_schedule()), encode(some_witness()), encode(some_trace(), some_witness())})
    for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
      std::string flipped = bytes;
      flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
      EXPECT_FALSE(decode_any(flipped, "f")) << bit;
    }
}

/// Past the checksum, where only an enemy gets: whatever is accepted must be what would be written.
template <class Get, class Value>
void survives_garbage(const Value& value, Get get) {
  ByteWriter out;
  put(out, value);
  const std::string good = out.bytes();
  std::mt19937_64 random(3);
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes = good;
    for (unsigned n = 1 + random() % 3; n-- > 0;) bytes[random() % bytes.size()] = static_cast<char>(random());
    if (random() % 4 == 0) bytes.resize(random() % bytes.size());
    ByteReader in(bytes);
    const auto read = get(in);
    if (!in.ok() || !in.at_end()) continue;
    ByteWriter again;
    put(again, read);
    ASSERT_EQ(again.bytes(), bytes);
  }
}

TEST(Files, WithGarbageInsideAreReadWithoutHarm) {
  survives_garbage(some_schedule(), get_schedule);
  survives_garbage(some_witness(), get_witness);
  survives_garbage(some_trace(), get_trace);
}

TEST(Files, OfLongRunsAreSmall) {
  MadeUpTrace t;
  for (unsigned i = 0; i < 100'000; ++i)
    t.event(i % 3, TREADLE_EV_ATOMIC_READ, 0x555555558000 + i % 7 * 8, i, 0, 0x555555555000 + i % 11, 8, 5);
  EXPECT_LT(encode(t.trace, {}).size(), 1'000'000u);
}

TEST(Files, AreWrittenAndReadByPath) {
  std::string pattern = (std::filesystem::temp_directory_path() / "treadle-test-XXXXXX").string();
  const std::string folder = ::mkdtemp(pattern.data());
  const std::string path = folder + "/a.witness";
  ASSERT_TRUE(write_witness(path, some_witness()));
  ASSERT_TRUE(read_witness(path));
  EXPECT_EQ(*read_witness(path), some_witness());
  EXPECT_FALSE(read_schedule(path));
  EXPECT_EQ(read_any(folder + "/missing").problem().sentence, "cannot read " + folder + "/missing: No such file or directory");
  EXPECT_FALSE(write_trace(folder + "/no/where", some_trace(), {}));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace treadle
