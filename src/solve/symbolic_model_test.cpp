// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "solve/random_symbolic_program.h"
#include "solve/symbolic_machine.h"
#include "solve/trace_model.h"

namespace treadle {
namespace {

struct Tally {
  unsigned yes = 0, no = 0;
};

/// What the model says, what every order says, and what comes of the order that the model found.
void compare(unsigned seed, MemoryModel memory, Races races, CausalKind kind, const Mix& mix, bool cross_check, Tally& tally) {
  std::mt19937 random(seed);
  const MadeUpSymbolicRun run(random_program(random, mix), memory, races, random);
  const Trace& trace = run.trace();
  TraceModelOptions options;
  options.model = memory;
  options.races = races;
  options.kind = kind;
  options.most_beforehand = seed % 3 == 0 ? 0 : 64;
  TraceModel model(trace, options,
                   cross_check ? make_cross_checked_solver(make_acyclic_solver(), make_z3_solver()) : make_acyclic_solver());
  ASSERT_EQ(model.limits(), "") << "seed " << seed;
  const SymbolicMachine start(trace, model.units(), kind, races, [&](std::uint64_t at) { return run.initial(at); });
  const EveryOrder every(start, model.units().all.size());
  for (std::uint32_t note = 0; note < trace.notes.size(); ++note) {
    if (!is_condition(trace.notes[note])) continue;
    std::vector<Truth> wanted;
    const auto target = model.way_to(note, wanted);
    ASSERT_TRUE(target.has_value());
    wanted.push_back(~model.holds(note));
    const Reply reply = model.ask(wanted, std::span(&*target, 1));
    ASSERT_NE(reply.answer, Answer::Unknown);
    EXPECT_EQ(reply.answer == Answer::Yes, every.can_fail(note)) << "seed " << seed << " note " << note;
    ++(reply.answer == Answer::Yes ? tally.yes : tally.no);
    if (reply.answer != Answer::Yes) continue;
    SymbolicMachine machine = start;
    std::uint32_t failed = nothing;
    for (std::size_t i = 0; i < reply.units.size(); ++i) {
      ASSERT_TRUE(machine.is_enabled(reply.units[i])) << "seed " << seed << " note " << note << " at " << i;
      const bool went_on = machine.make(reply.units[i], failed);
      if (i + 1 < reply.units.size()) ASSERT_TRUE(went_on) << "seed " << seed << " note " << note << " at " << i;
    }
    EXPECT_EQ(failed, note) << "seed " << seed;
  }
}

void compare_many(unsigned seeds, MemoryModel memory, Races races, CausalKind kind, const Mix& mix) {
  Tally tally;
  for (unsigned seed = 1; seed <= seeds && !testing::Test::HasFailure(); ++seed)
    compare(seed, memory, races, kind, mix, seed % 20 == 0, tally);
  EXPECT_GT(tally.yes, seeds / 20);
  EXPECT_GT(tally.no, seeds / 10);
}

/// A bound only takes answers away; and few switches to the failure are few with those that end the other threads.
TEST(SymbolicModel, FindsWithABoundWhatNeedsNoMoreSwitches) {
  unsigned found = 0, too_few = 0;
  for (unsigned seed = 1; seed <= 60 && !testing::Test::HasFailure(); ++seed) {
    std::mt19937 random(seed);
    const MadeUpSymbolicRun run(random_program(random, {.locks = true, .sizes = false, .plain = true, .opaque = true}), MemoryModel::Sc,
                                Races::Explore, random);
    TraceModelOptions options;
    TraceModel any(run.trace(), options, make_acyclic_solver());
    options.count_switches = true;
    TraceModel counting(run.trace(), options, make_acyclic_solver());
    for (std::uint32_t note = 0; note < run.trace().notes.size(); ++note) {
      if (!is_condition(run.trace().notes[note])) continue;
      const auto ask = [&](TraceModel& model, std::optional<std::uint32_t> bound) {
        std::vector<Truth> wanted{~model.holds(note)};
        const auto target = model.way_to(note, wanted);
        if (bound) wanted.push_back(model.switches_within(*bound));
        return model.ask(wanted, std::span(&*target, 1));
      };
      const Reply unbounded = ask(any, std::nullopt);
      EXPECT_EQ(ask(counting, std::nullopt).answer, unbounded.answer) << "seed " << seed << " note " << note;
      bool before = false;
      for (std::uint32_t bound = 0; bound <= 2; ++bound) {
        const bool yes = ask(counting, bound).answer == Answer::Yes;
        EXPECT_TRUE(unbounded.answer == Answer::Yes || !yes) << "seed " << seed << " note " << note;
        EXPECT_TRUE(yes || !before) << "seed " << seed << " note " << note;
        before = yes;
        ++(yes ? found : too_few);
      }
      if (unbounded.answer != Answer::Yes) continue;
      std::uint32_t switches = 0;
      for (std::size_t i = 1; i < unbounded.units.size(); ++i)
        switches += any.units().all[unbounded.units[i]].thread != any.units().all[unbounded.units[i - 1]].thread ? 1 : 0;
      const auto threads = static_cast<std::uint32_t>(run.trace().threads.size());
      EXPECT_EQ(ask(counting, switches + threads).answer, Answer::Yes) << "seed " << seed << " note " << note;
    }
  }
  EXPECT_GT(found, 20u);
  EXPECT_GT(too_few, 20u);
}

TEST(SymbolicModel, FindsExactlyTheAssertionsThatSomeOrderBreaks) {
  compare_many(120, MemoryModel::Sc, Races::Explore, CausalKind::Symbolic, {.locks = false, .sizes = false, .plain = true, .opaque = true});
}

TEST(SymbolicModel, KnowsLocksAndSemaphores) {
  compare_many(120, MemoryModel::Sc, Races::Explore, CausalKind::Symbolic, {.locks = true, .sizes = false, .plain = true, .opaque = true});
}

TEST(SymbolicModel, ComposesAccessesOfDifferentSizes) {
  compare_many(120, MemoryModel::Sc, Races::Explore, CausalKind::Symbolic, {.locks = false, .sizes = true, .plain = true, .opaque = true});
}

TEST(SymbolicModel, TakesStepsOfSeveralAccessesAsOne) {
  compare_many(120, MemoryModel::Sc, Races::Stop, CausalKind::Symbolic, {.locks = true, .sizes = true, .plain = true, .opaque = true});
}

TEST(SymbolicModel, KnowsTheStoreBuffersOfTso) {
  compare_many(60, MemoryModel::Tso, Races::Explore, CausalKind::Symbolic, {.locks = true, .sizes = false, .plain = true, .opaque = true});
}

TEST(SymbolicModel, KnowsTheStoreBuffersOfPso) {
  compare_many(60, MemoryModel::Pso, Races::Explore, CausalKind::Symbolic, {.locks = true, .sizes = false, .plain = true, .opaque = true});
}

TEST(SymbolicModel, IsTheMaximalCausalModelWhenReadsKeepTheirValues) {
  compare_many(120, MemoryModel::Sc, Races::Explore, CausalKind::Maximal, {.locks = true, .sizes = true, .plain = true, .opaque = true});
}

}  // namespace
}  // namespace treadle
