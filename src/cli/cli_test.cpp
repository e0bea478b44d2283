// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "cli/flags.h"
#include "cli/nearest.h"
#include "cli/words.h"

namespace treadle {
namespace {

Subcommand check_command() { return {"treadle check [options] PROGRAM", "about", "examples\n", flags_of(Use::Check), "program"}; }

Options parsed(std::vector<std::string> words) {
  auto options = parse(check_command(), std::move(words));
  EXPECT_TRUE(options) << options.problem().sentence;
  return options && *options ? **options : Options{};
}

std::string refused(std::vector<std::string> words) {
  auto options = parse(check_command(), std::move(words));
  EXPECT_FALSE(options);
  return options ? "" : options.problem().sentence + " | " + options.problem().hint;
}

TEST(CommandLine, ReadsEveryKindOfValue) {
  const Options options = parsed({"--strategy", "pct", "--depth=2", "--max-time", "5m", "--max-executions", "10", "--races=explore",
                                  "--carrier", "fork", "--max-memory", "64M", "--timeout-per-run", "500ms", "--outcomes", "prog"});
  EXPECT_EQ(options.strategy, "pct");
  EXPECT_EQ(options.depth, 2u);
  EXPECT_EQ(options.budget.seconds, 300);
  EXPECT_EQ(options.budget.executions, 10u);
  EXPECT_EQ(options.schedule.races, Races::Explore);
  EXPECT_EQ(options.subject.carrier, Carrier::Fork);
  EXPECT_EQ(options.subject.max_heap_bytes, 64u << 20);
  EXPECT_EQ(options.subject.max_milliseconds, 500u);
  EXPECT_TRUE(options.outcomes);
  EXPECT_EQ(options.files, std::vector<std::string>{"prog"});
}

TEST(CommandLine, LeavesWhatFollowsTwoDashesToTheProgram) {
  const Options options = parsed({"prog", "--", "--seed", "x", "--", "-h"});
  EXPECT_EQ(options.arguments, (std::vector<std::string>{"--seed", "x", "--", "-h"}));
  EXPECT_EQ(options.schedule.seed, 1u);
}

TEST(CommandLine, LastOfKeepGoingAndStopAtFirstWins) {
  EXPECT_TRUE(parsed({"--stop-at-first", "prog"}).stop_at_first);
  EXPECT_FALSE(parsed({"prog"}).stop_at_first);
}

TEST(CommandLine, NamesTheNearestValidChoice) {
  EXPECT_EQ(refused({"--stratgey", "random", "prog"}), "there is no option --stratgey | did you mean --strategy?");
  EXPECT_EQ(refused({"--strategy", "randm", "prog"}), "--strategy: \"randm\" is not valid | did you mean random?");
  EXPECT_EQ(refused({"--races=stp", "prog"}), "--races: \"stp\" is not valid | did you mean stop?");
  EXPECT_EQ(refused({"--model", "arm", "prog"}), "--model: \"arm\" is not valid | valid: pso, sc, tso");
}

TEST(CommandLine, RefusesWhatMakesNoSenseWithOneSentence) {
  EXPECT_EQ(refused({"--max-executions", "many", "prog"}), "--max-executions: \"many\" is not a whole number | ");
  EXPECT_EQ(refused({"--max-executions", "0", "prog"}).substr(0, 38), "--max-executions: 0 is not between 1 a");
  EXPECT_EQ(refused({"--max-time", "soon", "prog"}), "--max-time: \"soon\" is not understood | a time is written 500ms, 90s, 5m or 2h");
  EXPECT_EQ(refused({"--max-time", "-3", "prog"}).substr(0, 11), "--max-time:");
  EXPECT_EQ(refused({}), "no program is given | Usage: treadle check [options] PROGRAM");
}

TEST(CommandLine, HelpNamesEveryFlagAndShowsExamples) {
  const std::string help = help_of(check_command());
  for (const Flag& flag : flags_of(Use::Check)) EXPECT_NE(help.find("  " + flag.name), std::string::npos) << flag.name;
  EXPECT_NE(help.find("examples\n"), std::string::npos);
}

TEST(Words, AreSplitAsAShellDoes) {
  const auto words = split_words(R"( -O2  -DNAME='a b' "-DX=\"y\"" \  '')");
  ASSERT_TRUE(words);
  EXPECT_EQ(*words, (std::vector<std::string>{"-O2", "-DNAME=a b", "-DX=\"y\"", " ", ""}));
  EXPECT_FALSE(split_words("'open"));
  EXPECT_FALSE(split_words("end\\"));
}

TEST(Nearest, SuggestsNothingFarFetched) {
  EXPECT_EQ(nearest("chek", {"check", "replay"}), "check");
  EXPECT_EQ(nearest("repl", {"check", "replay"}), "replay");
  EXPECT_FALSE(nearest("xyz", {"check", "replay"}));
}

}  // namespace
}  // namespace treadle
