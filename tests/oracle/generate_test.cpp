// SPDX-License-Identifier: Apache-2.0
#include "generate.h"

#include <gtest/gtest.h>

#include <set>

#include "emit_c.h"
#include "interpret.h"

namespace oracle {
namespace {

TEST(Generator, MakesTheSameProgramFromTheSameSeed) {
  for (const Profile& profile : profiles())
    for (std::uint64_t seed = 1; seed <= 20; ++seed)
      EXPECT_EQ(generate(seed, profile), generate(seed, profile)) << profile.name << "/" << seed;
}

TEST(Generator, MakesDifferentProgramsFromDifferentSeeds) {
  for (const Profile& profile : profiles()) {
    std::set<std::string> texts;
    for (std::uint64_t seed = 1; seed <= 50; ++seed) texts.insert(emit_c(generate(seed, profile)));
    EXPECT_GE(texts.size(), 48u) << profile.name;
  }
}

TEST(Generator, StaysWithinTheLimitOfExecutionsAndNeverMisusesALock) {
  for (const Profile& profile : profiles()) {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      const Program program = generate(seed, profile);
      EXPECT_EQ(why_malformed(program), "");
      const Interpretation all = interpret(program, Model::Sc);
      EXPECT_TRUE(all.complete);
      EXPECT_FALSE(all.misuses) << profile.name << "/" << seed;
      EXPECT_LE(all.executions, profile.most_executions) << profile.name << "/" << seed;
    }
  }
}

TEST(Generator, ReachesDeadlocksAndFailedAssertionsWhereTheProfileHasThem) {
  const auto some = [](const char* name, auto property) {
    for (std::uint64_t seed = 1; seed <= 100; ++seed)
      if (property(interpret(generate(seed, *find_profile(name)), Model::Sc))) return true;
    return false;
  };
  const auto deadlocks = [](const Interpretation& all) { return all.deadlocks; };
  const auto fails = [](const Interpretation& all) { return all.fails; };
  for (const char* name : {"locks", "condvars", "semaphores", "spins"}) EXPECT_TRUE(some(name, deadlocks)) << name;
  for (const char* name : {"racy", "locks", "loops"}) EXPECT_TRUE(some(name, fails)) << name;
  EXPECT_FALSE(some("atomics", deadlocks));
}

// Walks through a thread and checks that plain variables are touched only while their mutex is held.
void expect_guarded(const Program& program, const Block& block, std::set<int>& held) {
  const auto guarded = [&](int variable) {
    if (!program.variables[variable].atomic) EXPECT_TRUE(held.count(variable % program.mutexes)) << emit_c(program);
  };
  for (const Statement& statement : block) {
    std::visit(Cases{
                   [&](const Load& s) { guarded(s.variable); },
                   [&](const Store& s) { guarded(s.variable); },
                   [&](const Lock& s) { held.insert(s.mutex); },
                   [&](const Unlock& s) { held.erase(s.mutex); },
                   [&](const If& s) {
                     std::set<int> other = held;
                     expect_guarded(program, s.then, held);
                     expect_guarded(program, s.otherwise, other);
                   },
                   [&](const Loop& s) { expect_guarded(program, s.body, held); },
                   [](const auto&) {},
               },
               statement.is);
  }
}

TEST(Generator, GuardsEveryPlainAccessInTheRaceFreeProfiles) {
  for (const char* name : {"drf", "condvars"}) {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
      const Program program = generate(seed, *find_profile(name));
      for (const Block& block : program.threads) {
        std::set<int> held;
        expect_guarded(program, block, held);
      }
    }
  }
}

}  // namespace
}  // namespace oracle
