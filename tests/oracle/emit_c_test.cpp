// SPDX-License-Identifier: Apache-2.0
#include "emit_c.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "generate.h"
#include "interpret.h"
#include "litmus.h"
#include "process.h"

namespace oracle {
namespace {

// Stands in for the engine: writes what it is told.
constexpr const char* kObserve = R"(#include <stdio.h>
#include "treadle/treadle.h"
void treadle_observe(const char* name, int64_t value) { printf("%s %d\n", name, (int)value); }
)";

void compile(const ScratchDirectory& scratch, const std::string& text) {
  write_file(scratch / "batch.c", text);
  write_file(scratch / "observe.c", kObserve);
  const Finished compiled = run_process({ORACLE_CC, "-std=c11", "-O1", "-Wall", "-Werror", "-Wno-unused-but-set-variable", "-pthread", "-I",
                                         ORACLE_INCLUDES, scratch / "batch.c", scratch / "observe.c", "-o", scratch / "batch"},
                                        120);
  ASSERT_EQ(compiled.status, 0) << compiled.err;
}

// Programs that a native run neither hangs nor aborts in.
std::vector<Program> harmless(Profile profile, int count) {
  std::vector<Program> programs;
  for (std::uint64_t seed = 1; int(programs.size()) < count; ++seed) {
    const Program program = generate(seed, profile);
    const Interpretation all = interpret(program, Model::Pso);
    if (!all.deadlocks && !all.fails) programs.push_back(program);
  }
  return programs;
}

void expect_known_outcomes(const std::vector<Program>& programs, Model model) {
  const ScratchDirectory scratch;
  compile(scratch, emit_batch(programs));
  for (std::size_t k = 0; k < programs.size(); ++k) {
    std::set<std::map<std::string, int>> possible;
    for (const Outcome& outcome : interpret(programs[k], model).outcomes) possible.insert(named(programs[k], outcome));
    for (int repeat = 0; repeat < 3; ++repeat) {
      const Finished finished = run_process({scratch / "batch", std::to_string(k)}, 60);
      ASSERT_EQ(finished.status, 0) << emit_c(programs[k]);
      std::map<std::string, int> observed;
      std::istringstream lines(finished.out);
      std::string name;
      for (int value = 0; lines >> name >> value;) observed[name] = value;
      EXPECT_TRUE(possible.count(observed)) << to_string(observed) << "\n" << emit_c(programs[k]);
    }
  }
}

TEST(EmittedC, RunsNativelyWithOutcomesOfScWhenThereAreNoRaces) {
  Profile profile = *find_profile("drf");
  profile.features &= ~(kAtomics | kRmw);
  expect_known_outcomes(harmless(profile, 12), Model::Sc);
}

TEST(EmittedC, RunsNativelyWithOutcomesOfPsoWhenThereAreAtomics) {
  std::vector<Program> programs;  // x86 is TSO; a compiler may delay a relaxed store a little more
  for (const char* name : {"drf", "condvars", "semaphores", "atomics", "spins", "sizes"})
    for (Program& program : harmless(*find_profile(name), 5)) programs.push_back(std::move(program));
  expect_known_outcomes(programs, Model::Pso);
}

TEST(EmittedC, CompilesForEveryProfileAndLitmusTest) {
  std::vector<Program> programs;
  for (const Profile& profile : profiles())
    for (std::uint64_t seed = 100; seed < 110; ++seed) programs.push_back(generate(seed, profile));
  for (const char* apart : {"onces", "sizes"})
    for (std::uint64_t seed = 100; seed < 110; ++seed) programs.push_back(generate(seed, *find_profile(apart)));
  for (const Litmus& test : litmus_tests()) programs.push_back(test.program);
  const ScratchDirectory scratch;
  compile(scratch, emit_batch(programs));
  EXPECT_EQ(run_process({scratch / "batch", "no number"}, 10).status, 0);  // atoi: program 0
  EXPECT_EQ(run_process({scratch / "batch", "99999"}, 10).status, 2);
}

TEST(EmittedC, HasAMainOfItsOwnForASingleProgram) {
  const ScratchDirectory scratch;
  compile(scratch, emit_c(find_litmus("SB+mfences")->program));
  EXPECT_NE(run_process({scratch / "batch"}, 10).out.find("t2_r0"), std::string::npos);
}

}  // namespace
}  // namespace oracle
