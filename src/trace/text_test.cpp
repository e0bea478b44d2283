// SPDX-License-Identifier: Apache-2.0
#include "trace/text.h"

#include <gtest/gtest.h>

#include <random>

#include "trace/made_up.h"

namespace treadle {
namespace {

TEST(ScheduleText, GroupsTheStepsOfAThread) {
  Schedule s;
  s.threads = {{}, {0, 1}, {0, 2}};
  const auto step = [](unsigned t) { return Decision{DecisionKind::Step, ThreadId{static_cast<std::uint8_t>(t)}, 0}; };
  s.prefix = {step(0), step(0), step(0), step(1), {DecisionKind::Timeout, ThreadId{2}, 0}, {DecisionKind::Wake, ThreadId{0}, 2}};
  s.prefix.push_back({DecisionKind::Flush, ThreadId{1}, 3});
  s.inputs.add("0", 5);
  s.inputs.add("0.2", 7);
  s.inputs.add("0", 6);
  s.inputs.add_named("the limit", 8);
  EXPECT_EQ(text_of(s),
            "treadle schedule 2\n"
            "model sc\n"
            "races stop\n"
            "policy continue\n"
            "seed 1\n"
            "max-steps 100000\n"
            "spurious-wakeups no\n"
            "inputs 0 5 6\n"
            "inputs 0.2 7\n"
            "input 8 the limit\n"
            "threads 0 0.1 0.2\n"
            "decisions\n"
            "0 x3\n"
            "0.1\n"
            "0.2 timeout\n"
            "0 wake 0.2\n"
            "0.1 flush 3\n");
}

TEST(ScheduleText, IsReadBackWithoutLoss) {
  std::mt19937 random(5);
  const auto up_to = [&](unsigned n) { return random() % (n + 1); };
  for (int i = 0; i < 500; ++i) {
    Schedule s;
    s.threads.clear();
    for (unsigned n = up_to(6), t = 0; t < n; ++t) {
      ThreadName name;
      if (t > 0) name = {static_cast<std::uint16_t>(up_to(t - 1)), static_cast<std::uint16_t>(t)};
      s.threads.push_back(name);
    }
    for (unsigned n = up_to(20); n > 0; --n) {
      const Decision d{static_cast<DecisionKind>(up_to(4)), ThreadId{static_cast<std::uint8_t>(up_to(8) * 31)},
                       static_cast<std::uint16_t>(up_to(1) == 0 ? 0 : random())};
      s.prefix.insert(s.prefix.end(), 1 + up_to(2), d);
    }
    s.policy = static_cast<Policy>(up_to(3));
    s.model = static_cast<MemoryModel>(up_to(2));
    s.races = static_cast<Races>(up_to(2));
    s.spurious_wakeups = up_to(1) == 1;
    s.status_matters = up_to(1) == 1;
    s.seed = std::uint64_t{random()} << 32 | random();
    s.pct_depth = up_to(3);
    s.pct_length = up_to(3);
    s.max_steps = static_cast<std::uint32_t>(random());
    for (unsigned n = up_to(3); n > 0; --n) s.inputs.add("0." + std::to_string(1 + up_to(2)), std::uint64_t{random()} << 32);
    for (unsigned n = up_to(2); n > 0; --n) s.inputs.add_named("x " + std::to_string(n), random());
    std::string odd;  // what ends lines, and what stands for it
    for (unsigned n = up_to(6); n > 0; --n) odd += "\r\n\\nr "[up_to(5)];
    s.inputs.add_named(odd, random());
    const auto read = parse_schedule(text_of(s));
    ASSERT_TRUE(read) << read.problem().sentence << "\n" << text_of(s);
    ASSERT_EQ(*read, s) << text_of(s);
  }
}

TEST(ScheduleText, OfAWitnessCanBeReadAsItsSchedule) {
  Witness w{{}, "/tmp/a\nb", 255, {"x\ny"}, {}, {}};
  const std::string text = text_of(w);
  EXPECT_EQ(text.substr(0, text.find("treadle")), "# program /tmp/a\\nb\n# binary ff\n# argument x\\ny\n");
  ASSERT_TRUE(parse_schedule(text));
  EXPECT_EQ(*parse_schedule(text), w.schedule);
}

TEST(ScheduleText, WithAMistakeNamesTheLine) {
  EXPECT_EQ(parse_schedule("hello").problem().sentence,
            "this is not the text of a schedule: it does not begin with \"treadle schedule 2\"");
  EXPECT_FALSE(parse_schedule(""));
  EXPECT_EQ(parse_schedule("treadle schedule 2\n\nmodel tsa\n").problem().sentence,
            "cannot understand line 3 of the schedule: \"model tsa\"");
  const std::string head = "treadle schedule 2\nthreads 0 0.1\ndecisions\n";
  EXPECT_TRUE(parse_schedule(head + "0.1 x2\r\n  \n# so\n"));
  for (const char* wrong :
       {"0.2", "0 x0", "0 x99999999999", "0 x", "0 wake", "0 wake 0.3", "0 flush -1", "0 fly", "0 x2 3", "?250", "?999", "model sc"})
    EXPECT_FALSE(parse_schedule(head + wrong)) << wrong;
  for (const char* wrong : {"threads 0.1", "threads 0 0", "threads 0 0.1 0.1", "threads 0 0.1.1", "threads 0 .1", "seed x", "seed 1 2",
                            "inputs 5 6", "inputs 0", "inputs 0.1 a", "input x", "colour red"})
    EXPECT_FALSE(parse_schedule(std::string("treadle schedule 2\n") + wrong)) << wrong;
}

class TwoSymbols : public SymbolSource {
 public:
  std::string data_name(std::uint64_t address) const override { return address == 0x1000 ? "mutex" : ""; }
  std::string place_of(std::uint64_t pc) const override { return "bank.c:" + std::to_string(pc); }
};

TEST(TraceText, HasALineForEachEventAndSaysHowItEnded) {
  MadeUpTrace t;
  t.event(0, TREADLE_EV_THREAD_CREATE, 0, 1, 0, 7);
  t.event(1, TREADLE_EV_TRYLOCK, 0x1000, 0, 16, 12);
  t.event(1, TREADLE_EV_RMW, 0x2000, 7, 8, 13, 4, 5);
  t.event(1, TREADLE_EV_ATOMIC_READ, 0x2000, 0xffffffff, 0, 14, 4, 2);
  t.event(0, TREADLE_EV_COND_SIGNAL, 0x3000, 0, 0, 15);
  t.blocked(1, TREADLE_EV_LOCK, 0x1000, 20, 1);
  t.end(TREADLE_END_DEADLOCK, 1, 20);
  const TwoSymbols symbols;
  EXPECT_EQ(text_of(t.trace, &symbols),
            "     0  0        create              thread 0.1                                      bank.c:7\n"
            "     1  0.1      trylock             mutex                   EBUSY                   bank.c:12\n"
            "     2  0.1      rmw seq_cst         0x2000                  7 -> 8                  bank.c:13\n"
            "     3  0.1      atomic-read acquire 0x2000                  -1                      bank.c:14\n"
            "     4  0        signal              0x3000                  wakes nobody            bank.c:15\n"
            "ended: deadlock, by thread 0.1  bank.c:20\n"
            "thread 0.1 is blocked in lock mutex  bank.c:20\n");
}

TEST(TraceText, KnowsAWordForEveryKindOfEvent) {
  MadeUpTrace t;
  for (unsigned kind = 0; kind < TREADLE_EV_COUNT; ++kind)
    for (const std::uint64_t word : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}})
      t.event(3, static_cast<EventKind>(kind), word, word, word);
  const std::string text = text_of(t.trace);
  for (unsigned kind = 0; kind < TREADLE_EV_COUNT; ++kind) EXPECT_NE(text.find(text_of(static_cast<EventKind>(kind))), std::string::npos);
}

TEST(TraceText, NamesErrorsAndSignals) {
  EXPECT_EQ(errno_name(110), "ETIMEDOUT");
  EXPECT_EQ(errno_name(99999), "99999");
  EXPECT_EQ(signal_name(11), "SIGSEGV");
  EXPECT_EQ(signal_name(1ull << 40), "signal 1099511627776");
}

}  // namespace
}  // namespace treadle
