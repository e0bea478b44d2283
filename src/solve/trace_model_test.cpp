// SPDX-License-Identifier: Apache-2.0
#include "solve/trace_model.h"

#include <gtest/gtest.h>

#include "solve/made_up_symbolic_run.h"
#include "trace/made_up.h"

namespace treadle {
namespace {

constexpr std::uint64_t x = 0x10, lock = 0x20;

/// Can both be the next steps of their threads?
Answer meet(const Trace& trace, std::uint64_t a, std::uint64_t b) {
  TraceModel model(trace, {}, make_acyclic_solver());
  const Target ends[] = {{model.units().unit_of[a], 0}, {model.units().unit_of[b], 0}};
  const Reply reply = model.ask({}, ends);
  if (reply.answer == Answer::Yes) {
    EXPECT_EQ(reply.units.size(), reply.decisions.size());
    EXPECT_NE(std::find(reply.units.end() - 2, reply.units.end(), ends[0].unit), reply.units.end());
    EXPECT_NE(std::find(reply.units.end() - 2, reply.units.end(), ends[1].unit), reply.units.end());
  }
  return reply.answer;
}

MadeUpTrace two_threads() {
  MadeUpTrace made;
  made.event(0, TREADLE_EV_THREAD_CREATE, 0, 1);
  made.event(0, TREADLE_EV_THREAD_CREATE, 0, 2);
  made.end(TREADLE_END_COMPLETED);
  return made;
}

TEST(TraceModel, LetsAccessesOfTwoThreadsMeet) {
  MadeUpTrace made = two_threads();
  const auto a = made.event(1, TREADLE_EV_WRITE, x, 1, 0, 0, 4);
  const auto b = made.event(2, TREADLE_EV_READ, x, 1, 0, 0, 4);
  EXPECT_EQ(meet(made.trace, a, b), Answer::Yes);
}

TEST(TraceModel, LocksKeepAccessesApart) {
  MadeUpTrace made = two_threads();
  made.event(1, TREADLE_EV_LOCK, lock, 1);
  const auto a = made.event(1, TREADLE_EV_WRITE, x, 1, 0, 0, 4);
  made.event(1, TREADLE_EV_UNLOCK, lock, 0);
  const auto outside = made.event(1, TREADLE_EV_WRITE, x, 2, 1, 0, 4);
  made.event(2, TREADLE_EV_LOCK, lock, 1);
  const auto b = made.event(2, TREADLE_EV_READ, x, 2, 0, 0, 4);
  made.event(2, TREADLE_EV_UNLOCK, lock, 0);
  EXPECT_EQ(meet(made.trace, a, b), Answer::No);
  EXPECT_EQ(meet(made.trace, outside, b), Answer::Yes);
}

TEST(TraceModel, WhatFollowsAReadNeedsItsValue) {
  MadeUpTrace made = two_threads();
  const auto a = made.event(1, TREADLE_EV_WRITE, x, 1, 0, 0, 4);
  made.event(2, TREADLE_EV_READ, x, 1, 0, 0, 4);
  const auto b = made.event(2, TREADLE_EV_WRITE, x, 2, 1, 0, 4);
  EXPECT_EQ(meet(made.trace, a, b), Answer::No);
}

TEST(TraceModel, ThreadsThatWaitForEachOthersLocksAreStuck) {
  MadeUpTrace made = two_threads();
  const auto first = made.event(1, TREADLE_EV_LOCK, lock, 1);
  const auto wants = made.event(1, TREADLE_EV_LOCK, lock + 8, 1);
  made.event(1, TREADLE_EV_UNLOCK, lock + 8, 0);
  made.event(1, TREADLE_EV_UNLOCK, lock, 0);
  const auto second = made.event(2, TREADLE_EV_LOCK, lock + 8, 1);
  const auto wants_too = made.event(2, TREADLE_EV_LOCK, lock, 1);
  made.event(2, TREADLE_EV_UNLOCK, lock, 0);
  made.event(2, TREADLE_EV_UNLOCK, lock + 8, 0);
  TraceModel model(made.trace, {}, make_acyclic_solver());
  const auto unit = [&](std::uint64_t event) { return model.units().unit_of[event]; };
  const Truth wanted[] = {~model.reached(unit(wants)), ~model.reached(unit(wants_too)), model.is_stuck(unit(wants)),
                          model.is_stuck(unit(wants_too))};
  const UnitId also[] = {unit(first), unit(second)};
  const Reply reply = model.ask(wanted, {}, also);
  ASSERT_EQ(reply.answer, Answer::Yes);
  EXPECT_EQ(reply.units.size(), 4u);
}

/// Whoever finds an entry in use has come behind who found it empty, although everybody adds to it.
TEST(TraceModel, WhoFindsMoreThanWasThereComesBehindTheFirstWrite) {
  const auto adds = [](unsigned by) {
    return std::vector<SymbolicOp>{{.kind = SymbolicOp::Lock},
                                   {.kind = SymbolicOp::Load},
                                   {.kind = SymbolicOp::Branch, .constant = 1},  // is it 0?
                                   {.kind = SymbolicOp::Store, .constant = by},
                                   {.kind = SymbolicOp::Unlock}};
  };
  unsigned runs = 0;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    std::mt19937 random(seed);
    const MadeUpSymbolicRun run({adds(1), adds(1), adds(1)}, MemoryModel::Sc, Races::Explore, random);
    if (run.initial(MadeUpSymbolicRun::memory_at) != 0) continue;
    ++runs;
    const TraceModel model(run.trace(), {}, make_acyclic_solver());
    std::vector<UnitId> stores;
    for (std::uint32_t e = 0; e < run.trace().events.size(); ++e)
      if (run.trace().events[e].kind == TREADLE_EV_ATOMIC_WRITE) stores.push_back(model.units().unit_of[e]);
    ASSERT_EQ(stores.size(), 3u);
    EXPECT_TRUE(model.must_precede(stores[0], stores[1])) << seed;
    EXPECT_TRUE(model.must_precede(stores[0], stores[2])) << seed;
    EXPECT_FALSE(model.must_precede(stores[1], stores[2])) << seed;
  }
  EXPECT_GT(runs, 5u);
}

}  // namespace
}  // namespace treadle
