// SPDX-License-Identifier: Apache-2.0
// What is predicted from a trace, against all of its interleavings.
#include "predict/brute_force.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "predict/atomicity.h"
#include "predict/deadlock.h"
#include "solve/made_up_run.h"

namespace treadle {
namespace {

using Ops = std::vector<MadeUpOp>;

/// Accesses, and sections with a lock around them; inner sections make rings.
Ops random_thread(std::mt19937& random) {
  Ops ops;
  const auto pick = [&](unsigned n) { return random() % n; };
  const auto access = [&] { ops.push_back({pick(2) ? MadeUpOp::Write : MadeUpOp::Read, pick(2), 1 + pick(2)}); };
  switch (pick(5)) {
    case 0:
      access(), access(), access();
      break;
    case 1: {
      const std::uint64_t lock = 8 + pick(2);
      ops.push_back({MadeUpOp::Lock, lock});
      access();
      ops.push_back({MadeUpOp::Unlock, lock});
      access();
      break;
    }
    case 2: {
      const std::uint64_t lock = 8 + pick(2);
      ops = {{MadeUpOp::Lock, lock}, {MadeUpOp::Lock, 17 - lock}, {MadeUpOp::Unlock, 17 - lock}, {MadeUpOp::Unlock, lock}};
      break;
    }
    case 3:
      access(), ops.push_back({MadeUpOp::Post, 12}), access();
      break;
    default:
      access(), ops.push_back({MadeUpOp::Wait, 12}), access();
  }
  return ops;
}

Trace random_trace(std::mt19937& random) {
  MadeUpRun run({random_thread(random), random_thread(random), random_thread(random)}, MemoryModel::Sc, random);
  Trace trace = run.trace();
  for (std::uint32_t i = 0; i < trace.events.size(); ++i) {
    Event& event = trace.events[i];
    event.pc = 0x1000 + i;  // each at a place of its own
    if (event.kind == TREADLE_EV_ATOMIC_READ) event.kind = TREADLE_EV_READ;
    if (event.kind == TREADLE_EV_ATOMIC_WRITE) event.kind = TREADLE_EV_WRITE;
  }
  return trace;
}

BruteForce::Events events_of(const Predictions& predictions, bool sorted) {
  BruteForce::Events all;
  for (const Prediction& prediction : predictions.found) {
    auto events = prediction.events;
    if (sorted) std::ranges::sort(events);
    all.insert(events);
  }
  return all;
}

const KeepAsking always = [] { return true; };

constexpr unsigned programs = 150;

struct Case {
  explicit Case(unsigned seed) : random(seed), trace(random_trace(random)), expected(trace), model(trace, {}, make_acyclic_solver()) {}
  std::mt19937 random;
  Trace trace;
  BruteForce expected;
  TraceModel model;
};

TEST(Races, ArePredictedExactlyWhereSomeInterleavingLetsAccessesMeet) {
  std::size_t all = 0;
  for (unsigned seed = 0; seed < programs; ++seed) {
    Case c(seed);
    const auto groups = race_candidates(c.trace, shared_locations(c.trace), ThreadOrder(c.trace), LockSets(c.trace));
    EXPECT_EQ(events_of(predict_races(c.trace, c.model, groups, always), true), c.expected.races) << seed;
    all += c.expected.races.size();
  }
  EXPECT_GT(all, 100u);
}

TEST(Deadlocks, ArePredictedExactlyWhereSomeInterleavingMakesARing) {
  std::size_t all = 0;
  for (unsigned seed = 0; seed < programs; ++seed) {
    Case c(seed);
    const auto rings = lock_rings(c.trace, ThreadOrder(c.trace), LockSets(c.trace));
    EXPECT_EQ(events_of(predict_deadlocks(c.trace, c.model, rings, always), true), c.expected.rings) << seed;
    all += c.expected.rings.size();
  }
  EXPECT_GT(all, 3u);
}

TEST(Atomicity, ViolationsArePredictedExactlyWhereSomeInterleavingComesBetween) {
  std::size_t all = 0;
  for (unsigned seed = 0; seed < programs; ++seed) {
    Case c(seed);
    std::vector<Region> regions;
    for (std::uint8_t t = 1; t <= 3; ++t) regions.push_back({t, 0, static_cast<std::uint32_t>(c.trace.events.size())});
    auto candidates = triples_of(regions, shared_locations(c.trace), ThreadOrder(c.trace), AcquisitionHistory(c.trace));
    const auto predicted = events_of(predict_atomicity(c.trace, c.model, candidates.triples, candidates.counts, always), false);
    EXPECT_EQ(candidates.counts.real, predicted.size()) << seed;
    for (const auto& triple : predicted) EXPECT_TRUE(c.expected.triples.contains(triple)) << seed;
    // Whatever comes between accesses further apart comes between two of the candidates.
    for (const auto& triple : c.expected.triples) {
      const bool shown = std::ranges::any_of(predicted, [&](const auto& other) {
        return other[1] == triple[1] && other[0] >= triple[0] && other[2] <= triple[2] &&
               c.trace.events[other[0]].thread == c.trace.events[triple[0]].thread;
      });
      EXPECT_TRUE(shown) << seed;
    }
    all += predicted.size();
  }
  EXPECT_GT(all, 100u);
}

}  // namespace
}  // namespace treadle
