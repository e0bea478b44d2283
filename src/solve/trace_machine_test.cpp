// SPDX-License-Identifier: Apache-2.0
#include "solve/trace_machine.h"

#include <gtest/gtest.h>

#include "solve/random_symbolic_program.h"
#include "solve/symbolic_machine.h"
#include "solve/trace_model.h"

namespace treadle {
namespace {

/// A random program, one run of it, and what its units may do by the definition of the model.
struct Case {
  Case(unsigned seed, Races races, const Mix& mix)
      : random(seed),
        run(random_program(random, mix), MemoryModel::Sc, races, random),
        model(run.trace(), options_for(races), make_acyclic_solver()),
        definition(run.trace(), model.units(), CausalKind::Symbolic, races, [this](std::uint64_t at) { return run.initial(at); }),
        machine(model.machine()) {}

  static TraceModelOptions options_for(Races races) {
    TraceModelOptions options;
    options.races = races;
    return options;
  }

  UnitId any_unit() { return static_cast<UnitId>(random() % model.units().all.size()); }

  std::mt19937 random;
  MadeUpSymbolicRun run;
  TraceModel model;
  SymbolicMachine definition;
  std::unique_ptr<TraceMachine> machine;
};

/// By the definition everybody goes on as recorded.
void expect_possible(SymbolicMachine definition, std::span<const UnitId> units, unsigned seed) {
  std::uint32_t failed = nothing;
  for (const UnitId u : units) {
    ASSERT_TRUE(definition.is_enabled(u)) << "seed " << seed;
    ASSERT_TRUE(definition.make(u, failed)) << "seed " << seed;
    ASSERT_EQ(failed, nothing) << "seed " << seed;
  }
}

constexpr Mix everything{.locks = true, .sizes = true, .plain = true, .opaque = true};

TEST(TraceMachine, MakesOnlyWhatTheDefinitionAllows) {
  std::size_t made = 0, other = 0;
  for (unsigned seed = 1; seed <= 200 && !testing::Test::HasFailure(); ++seed) {
    Case c(seed, Races::Explore, everything);
    c.machine->start();
    for (int tries = 0; tries < 200; ++tries) c.machine->make(c.any_unit());
    expect_possible(c.definition, c.machine->made(), seed);
    made += c.machine->made().size();
    other += std::ranges::is_sorted(c.machine->made()) ? 0 : 1;
  }
  EXPECT_GT(made, 1500u);
  EXPECT_GT(other, 100u);  // mostly in another order than that of the trace
}

TEST(TraceMachine, CanMakeTheTraceItself) {
  for (unsigned seed = 1; seed <= 100 && !testing::Test::HasFailure(); ++seed) {
    Case c(seed, Races::Explore, everything);
    c.machine->start();
    for (UnitId u = 0; u < c.model.units().all.size(); ++u)
      if (!c.model.units().all[u].ends) EXPECT_TRUE(c.machine->make(u)) << "seed " << seed << " unit " << u;
  }
}

TEST(TraceMachine, GoesOnAfterUndoingAsIfNothingHadBeen) {
  for (unsigned seed = 1; seed <= 100 && !testing::Test::HasFailure(); ++seed) {
    Case c(seed, Races::Explore, everything);
    c.machine->start();
    for (int tries = 0; tries < 60; ++tries) c.machine->make(c.any_unit());
    const std::vector<UnitId> whole(c.machine->made().begin(), c.machine->made().end());
    const std::size_t back = whole.empty() ? 0 : c.random() % whole.size();
    c.machine->undo(back);
    for (int tries = 0; tries < 20; ++tries) c.machine->make(c.any_unit());
    c.machine->undo(back);
    for (std::size_t i = back; i < whole.size(); ++i) EXPECT_TRUE(c.machine->make(whole[i])) << "seed " << seed;
    EXPECT_TRUE(std::ranges::equal(c.machine->made(), whole)) << "seed " << seed;
    for (int tries = 0; tries < 200; ++tries) c.machine->make(c.any_unit());
    expect_possible(c.definition, c.machine->made(), seed);
  }
}

TEST(TraceMachine, LeavesOutWhatIsNotNeeded) {
  std::size_t shorter = 0, all = 0;
  for (unsigned seed = 1; seed <= 200 && !testing::Test::HasFailure(); ++seed) {
    Case c(seed, Races::Explore, everything);
    c.machine->start();
    for (int tries = 0; tries < 60; ++tries) c.machine->make(c.any_unit());
    for (UnitId end = 0; end < c.model.units().all.size(); ++end) {
      if (!c.machine->reaches(end)) continue;
      const auto needed = c.machine->needed({}, end);
      expect_possible(c.definition, needed, seed);
      SymbolicMachine definition = c.definition;
      std::uint32_t failed = nothing;
      for (const UnitId u : needed) definition.make(u, failed);
      EXPECT_TRUE(definition.is_enabled(end)) << "seed " << seed << " unit " << end;
      shorter += needed.size() < c.machine->made().size() ? 1 : 0;
      ++all;
    }
  }
  EXPECT_GT(all, 100u);
  EXPECT_GT(shorter, all / 4);
}

}  // namespace
}  // namespace treadle
