// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

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

TEST(CommandLine, RefusesWhatContradictsItself) {
  EXPECT_TRUE(parsed({"--stop-at-first", "prog"}).stop_at_first);
  EXPECT_FALSE(parsed({"prog"}).stop_at_first);
  EXPECT_EQ(refused({"--stop-at-first", "--keep-going", "prog"}),
            "--keep-going and --stop-at-first contradict each other | leave one of them out");
  EXPECT_EQ(refused({"--checkpoint-every", "5s", "prog"}), "--checkpoint-every means nothing without --resume | add --resume DIR");
  EXPECT_EQ(refused({"--max-time", "5s", "--budget", "9s", "prog"}).substr(0, 52), "--budget and --max-time contradict each other | --bu");
}

TEST(CommandLine, NamesTheNearestValidChoice) {
  EXPECT_EQ(refused({"--stratgey", "random", "prog"}), "there is no option --stratgey | did you mean --strategy?");
  EXPECT_EQ(refused({"--gdb", "prog"}), "there is no option --gdb | `treadle replay` has it");
  EXPECT_EQ(refused({"--strategy", "randm", "prog"}), "--strategy: \"randm\" is not valid | did you mean random?");
  EXPECT_EQ(refused({"--races=stp", "prog"}), "--races: \"stp\" is not valid | did you mean stop?");
  EXPECT_EQ(refused({"--model", "arm", "prog"}), "--model: \"arm\" is not valid | valid: pso, sc, tso");
}

TEST(CommandLine, RefusesWhatMakesNoSenseWithOneSentence) {
  EXPECT_EQ(refused({"--max-executions", "many", "prog"}), "--max-executions: \"many\" is not a whole number | ");
  EXPECT_EQ(refused({"--max-executions", "0", "prog"}), "--max-executions: 0 is too little | at least 1");
  EXPECT_EQ(refused({"--jobs", "many", "prog"}), "--jobs: \"many\" is not a whole number | a number of workers, or auto");
  EXPECT_EQ(refused({"--max-time", "soon", "prog"}), "--max-time: \"soon\" is not understood | a time is written 500ms, 90s, 5m or 2h");
  EXPECT_EQ(refused({"--max-time", "-3", "prog"}).substr(0, 11), "--max-time:");
  EXPECT_EQ(refused({}), "no program is given | Usage: treadle check [options] PROGRAM");
}

constexpr Use uses[] = {Use::Check, Use::Replay, Use::Minimise, Use::Recheck, Use::Predict, Use::Report, Use::Record};

/// A letter left out, and two swapped.
std::vector<std::string> misspellings(const std::string& name) {
  std::vector<std::string> all;
  for (std::size_t i = 2; i < name.size(); ++i) {
    all.push_back(name.substr(0, i) + name.substr(i + 1));
    if (i + 1 < name.size() && name[i] != name[i + 1]) all.push_back(name), std::swap(all.back()[i], all.back()[i + 1]);
  }
  return all;
}

TEST(CommandLine, EveryFlagMisspeltInAnyWayIsSuggestedOrOneAsNear) {
  for (const Use use : uses) {
    const Subcommand subcommand{"treadle x [options] PROGRAM", "", "", flags_of(use), "program"};
    std::vector<std::string> valid{"--help"};
    for (const Flag& flag : subcommand.flags) valid.push_back(flag.name);
    for (const Flag& flag : subcommand.flags)
      for (const std::string& wrong : misspellings(flag.name)) {
        if (std::ranges::find(valid, wrong) != valid.end() || wrong == "--") continue;
        const auto options = parse(subcommand, {wrong, "prog"});
        ASSERT_FALSE(options) << wrong;
        EXPECT_EQ(options.problem().sentence, "there is no option " + wrong);
        const std::string hint = options.problem().hint;
        ASSERT_TRUE(hint.starts_with("did you mean --") && hint.ends_with("?")) << wrong << ": " << hint;
        EXPECT_NE(std::ranges::find(valid, hint.substr(13, hint.size() - 14)), valid.end()) << hint;
      }
  }
}

TEST(CommandLine, EveryFlagSaysItsNameWhenItsValueIsMissingOrMakesNoSense) {
  for (const Use use : uses) {
    const Subcommand subcommand{"treadle x [options] PROGRAM", "", "", flags_of(use), "program"};
    for (const Flag& flag : subcommand.flags) {
      if (flag.value.empty()) continue;
      const auto missing = parse(subcommand, {"prog", flag.name});
      ASSERT_FALSE(missing) << flag.name;
      EXPECT_NE(missing.problem().sentence.find(flag.name), std::string::npos) << missing.problem().sentence;
      const auto nonsense = parse(subcommand, {"prog", flag.name + "=?!"});
      if (nonsense) continue;  // a file may be called anything
      EXPECT_NE(nonsense.problem().sentence.find(flag.name), std::string::npos) << nonsense.problem().sentence;
    }
  }
}

/// "… --strategy icb": the one that a hint names.
std::string strategy_in(const std::string& hint) {
  const std::size_t at = hint.find("--strategy ");
  return at == std::string::npos ? "" : hint.substr(at + 11, hint.find_first_of(" ,", at + 11) - at - 11);
}

TEST(CommandLine, AStrategyThatCannotDoWhatIsAskedNamesOneThatCan) {
  for (const StrategyEntry& entry : strategies())
    for (const MemoryModel model : {MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso})
      for (const int more : {0, 1, 2}) {
        StrategyOptions wish;
        wish.schedule.model = model;
        if (more == 1) wish.preemptions = 2;
        if (more == 2) wish.depth = 3;
        const auto possible = strategy_for(entry.name, wish);
        if (possible) continue;
        const std::string other = strategy_in(possible.problem().hint);
        ASSERT_NE(other, "") << possible.problem().sentence << " | " << possible.problem().hint;
        if (more != 2 || other == "pct") EXPECT_TRUE(strategy_for(other, wish)) << entry.name << ": " << possible.problem().hint;
      }
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
