// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "predict/predict.h"
#include "trace/made_up.h"
#include "trace/plain_steps.h"

namespace treadle {
namespace {

constexpr std::uint64_t x = 0x100, told = 0x110, lock = 0x200;
constexpr unsigned relaxed = 0, acquire = 2, release = 3;

struct Made : MadeUpTrace {
  Made() {
    event(0, TREADLE_EV_THREAD_CREATE, 0, 1);
    event(0, TREADLE_EV_THREAD_CREATE, 0, 2);
  }
  void write(unsigned t, std::uint64_t at, std::uint64_t value) { event(t, TREADLE_EV_WRITE, at, value, value - 1, next(), 4); }
  void touch_lock(unsigned t) {
    event(t, TREADLE_EV_LOCK, lock, 1, 0, next());
    event(t, TREADLE_EV_UNLOCK, lock, 0, 0, next());
  }
  void tell(unsigned t, unsigned order) { event(t, TREADLE_EV_ATOMIC_WRITE, told, 1, 0, next(), 4, order); }
  void hear(unsigned t, unsigned order) { event(t, TREADLE_EV_ATOMIC_READ, told, 1, 0, next(), 4, order); }
  std::uint64_t next() const { return 0x1000 + trace.events.size(); }
};

Foreseen races(const Trace& trace, MemoryModel model = MemoryModel::Sc) {
  PredictOptions options;
  options.kinds = {PredictionKind::DataRace};
  options.model = model;
  return predict(trace, options);
}

/// One thread writes, tells it and takes the lock; the other one hears of it, takes the lock and writes.
Made written_and_told(unsigned how_told, unsigned how_heard) {
  Made made;
  made.write(1, x, 1);
  made.tell(1, how_told);
  made.touch_lock(1);
  made.hear(2, how_heard);
  made.touch_lock(2);
  made.write(2, x, 2);
  return made;
}

TEST(Races, AreFoundThoughSomethingAlwaysComesBetween) {
  for (const auto& [how_told, how_heard] : {std::pair(relaxed, relaxed), std::pair(relaxed, acquire), std::pair(release, relaxed)}) {
    const Foreseen foreseen = races(written_and_told(how_told, how_heard).trace);
    ASSERT_EQ(foreseen.found.size(), 1u);
    EXPECT_EQ(foreseen.found[0].decisions.back().thread, ThreadId{2});
  }
}

TEST(Races, AreNoneWhereWhatWasHeardWasReleased) {
  const Foreseen foreseen = races(written_and_told(release, acquire).trace);
  EXPECT_TRUE(foreseen.found.empty());
  EXPECT_TRUE(foreseen.coverage.at(PredictionKind::DataRace).complete);
}

TEST(Races, AreNoneWhereTheLockWasTakenBeforeItWasTold) {
  Made made;
  made.write(1, x, 1);
  made.touch_lock(1);
  made.tell(1, relaxed);
  made.hear(2, relaxed);
  made.touch_lock(2);
  made.write(2, x, 2);
  const Foreseen foreseen = races(made.trace);
  EXPECT_TRUE(foreseen.found.empty());
  EXPECT_TRUE(foreseen.coverage.at(PredictionKind::DataRace).complete);
}

/// Plain stores that are no steps neither wait for the store buffer nor go into it.
TEST(Races, AreFoundBehindAStoreThatIsStillUnderWay) {
  Made made;
  const auto plain = [&](unsigned thread) {  // in the step before it
    made.write(thread, x, thread);
    made.trace.choices.pop_back();
    --made.trace.events.back().step;
  };
  made.tell(1, relaxed | TREADLE_ORDER_BUFFERED);
  const auto store = made.trace.events.size() - 1;
  plain(1);
  made.event(2, TREADLE_EV_LOCK, lock, 1);
  plain(2);
  made.event(1, TREADLE_EV_FLUSH, told, 1, store, 0, 4, relaxed | TREADLE_ORDER_BUFFERED);
  made.trace.choices.back().taken.kind = DecisionKind::Flush;
  for (const MemoryModel model : {MemoryModel::Tso, MemoryModel::Pso})
    EXPECT_EQ(races(with_plain_steps(made.trace), model).found.size(), 1u);
}

}  // namespace
}  // namespace treadle
