// SPDX-License-Identifier: Apache-2.0
// What is found by letting a few steps of others in between, against the definition of the model and against the solver.
#include "predict/let_between.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "predict/atomicity.h"
#include "predict/held_back.h"
#include "solve/random_symbolic_program.h"
#include "solve/symbolic_machine.h"

namespace treadle {
namespace {

const KeepAsking always = [] { return true; };

struct Case {
  Case(const Program& program, std::mt19937& random)
      : run(program, MemoryModel::Sc, Races::Explore, random),
        model(run.trace(), {}, make_acyclic_solver()),
        definition(run.trace(), model.units(), CausalKind::Symbolic, Races::Explore, [this](std::uint64_t at) { return run.initial(at); }),
        machine(model.machine()) {
    std::vector<Region> regions;
    for (std::uint8_t t = 1; t < run.trace().threads.size(); ++t)
      regions.push_back({t, 0, static_cast<std::uint32_t>(run.trace().events.size())});
    triples = triples_of(regions, shared_locations(run.trace()), ThreadOrder(run.trace()), AcquisitionHistory(run.trace())).triples;
  }

  using Found = std::vector<std::pair<std::size_t, Reply>>;

  Found found(std::vector<char> answered = {}) {
    Found all;
    answered.resize(triples.size(), 0);
    Interruptions interruptions(run.trace(), model, *machine, true);
    LetBetween(interruptions).look_for(triples, answered, always, [&](std::size_t number, const auto& reply) {
      all.emplace_back(number, reply());
    });
    return all;
  }

  /// By triple, those that are found by holding threads back.
  std::vector<char> found_by_holding_back() {
    std::vector<char> answered(triples.size(), 0);
    Interruptions interruptions(run.trace(), model, *machine, true);
    HeldBack(interruptions).look_for(triples, always, [&](std::size_t number, const auto&) { answered[number] = 1; });
    return answered;
  }

  /// The order leads there, by the definition.
  void expect_possible(const Triple& triple, const Reply& reply) const {
    SymbolicMachine made = definition;
    std::uint32_t failed = nothing;
    for (std::size_t i = 0; i + 1 < reply.units.size(); ++i) {
      ASSERT_TRUE(made.is_enabled(reply.units[i]));
      ASSERT_TRUE(made.make(reply.units[i], failed));
    }
    EXPECT_TRUE(made.is_enabled(reply.units.back()));
    const auto place = [&](std::uint32_t event) {
      return std::ranges::find(reply.units, model.units().unit_of[event]) - reply.units.begin();
    };
    EXPECT_LT(place(triple.first), place(triple.remote));
    EXPECT_LT(place(triple.remote), place(triple.last));
    EXPECT_EQ(place(triple.last) + 1, static_cast<std::ptrdiff_t>(reply.units.size()));
  }

  MadeUpSymbolicRun run;
  TraceModel model;
  SymbolicMachine definition;
  std::unique_ptr<TraceMachine> machine;
  std::vector<Triple> triples;
};

TEST(LetBetween, FindsOnlyWhatTheDefinitionAllows) {
  std::size_t found = 0;
  for (unsigned seed = 1; seed <= 300 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    Case c(random_program(random, {.locks = true, .plain = true, .opaque = true}), random);
    for (const auto& [number, reply] : c.found()) {
      c.expect_possible(c.triples[number], reply);
      ++found;
    }
  }
  EXPECT_GT(found, 100u);
}

/// Reads in one section and writes in another: nobody notices who else has added the same in between, unless a third one has added
/// something, too.
std::vector<SymbolicOp> split_sum(std::uint64_t by) {
  return {{.kind = SymbolicOp::Lock},
          {.kind = SymbolicOp::Load},
          {.kind = SymbolicOp::Unlock},
          {.kind = SymbolicOp::Lock},
          {.kind = SymbolicOp::Store, .constant = by},
          {.kind = SymbolicOp::Unlock}};
}

std::vector<SymbolicOp> sum(std::uint64_t by) {
  return {
      {.kind = SymbolicOp::Lock}, {.kind = SymbolicOp::Load}, {.kind = SymbolicOp::Store, .constant = by}, {.kind = SymbolicOp::Unlock}};
}

TEST(LetBetween, FindsWhatOneOrTwoOthersMakeADifferenceTo) {
  std::size_t real = 0;
  for (unsigned seed = 1; seed <= 60 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    Case c({split_sum(1), split_sum(1), sum(seed % 2 == 0 ? 5 : 255), sum(1)}, random);
    std::vector<char> answered = c.found_by_holding_back();
    const auto found = c.found(answered);
    for (const auto& [number, reply] : found) {
      c.expect_possible(c.triples[number], reply);
      answered[number] = 1;
    }
    real += found.size();
    // Asked about what was found by neither, the solver has nothing to add.
    std::vector<Triple> rest;
    for (std::size_t i = 0; i < c.triples.size(); ++i)
      if (!answered[i]) rest.push_back(c.triples[i]);
    TripleCounts counts;
    const Predictions more = predict_atomicity(c.run.trace(), c.model, rest, counts, always, true);
    EXPECT_TRUE(more.found.empty());
    EXPECT_EQ(more.coverage.unanswered, 0u);
  }
  EXPECT_GT(real, 10u);
}

}  // namespace
}  // namespace treadle
