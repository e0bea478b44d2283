// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>
#include <set>

#include "cli/flags.h"
#include "cli/nearest.h"

namespace treadle {
namespace {

/// The subcommand that knows an option which this one does not.
std::optional<std::string> who_has(const std::string& option) {
  static constexpr std::pair<Use, const char*> kUses[] = {
      {Use::Check, "check"},   {Use::Replay, "replay"},   {Use::Predict, "predict"},   {Use::Record, "record"},
      {Use::Report, "report"}, {Use::Recheck, "recheck"}, {Use::Minimise, "minimise"}, {Use::Reproduce, "reproduce"}};
  for (const auto& [use, name] : kUses)
    if (std::ranges::any_of(flags_of(use), [&](const Flag& flag) { return flag.name == option; })) return name;
  return std::nullopt;
}

/// What CLI11 throws, as one sentence and a hint.
Problem problem_of(const CLI::ParseError& error, const Subcommand& subcommand, const std::vector<std::string>& unknown) {
  const std::string see = fmt::format("see `{} --help`", subcommand.usage.substr(0, subcommand.usage.find(" [")));
  const auto option = std::ranges::find_if(unknown, [](const std::string& word) { return word.starts_with("-"); });
  if (option == unknown.end()) return {error.what(), see};
  std::vector<std::string> valid{"--help"};
  for (const Flag& flag : subcommand.flags) valid.push_back(flag.name);
  const std::string name = option->substr(0, option->find('='));
  if (const auto other = who_has(name)) return {fmt::format("there is no option {}", name), fmt::format("`treadle {}` has it", *other)};
  const auto meant = nearest(name, valid);
  return {fmt::format("there is no option {}", name), meant ? fmt::format("did you mean {}?", *meant) : see};
}

using Given = std::set<std::string, std::less<>>;  // names of flags

struct Pair {
  const char* one;
  const char* other;
  const char* hint;
};

constexpr Pair contradictory[] = {
    {"--keep-going", "--stop-at-first", "leave one of them out"},
    {"--budget", "--max-time", "--budget leaves the choice of the search to Treadle, --max-time ends the one that --strategy names"},
    {"--step", "--gdb", "--step walks through the run on the terminal, --gdb debugs it"},
};

constexpr Pair dependent[] = {
    {"--checkpoint-every", "--resume", "add --resume DIR"},
};

std::optional<Problem> contradiction(const Given& given) {
  for (const Pair& pair : contradictory)
    if (given.contains(pair.one) && given.contains(pair.other))
      return Problem{fmt::format("{} and {} contradict each other", pair.one, pair.other), pair.hint};
  for (const Pair& pair : dependent)
    if (given.contains(pair.one) && !given.contains(pair.other))
      return Problem{fmt::format("{} means nothing without {}", pair.one, pair.other), pair.hint};
  return std::nullopt;
}

void add(CLI::App& app, const Flag& flag, Options& options, Given& given, std::optional<Problem>& problem) {
  const auto set = [&flag, &options, &given, &problem](const std::string& value) {
    given.insert(flag.name);
    if (auto done = flag.set(options, value); !done && !problem)
      problem = Problem{fmt::format("{}: {}", flag.name, done.problem().sentence), done.problem().hint};
  };
  if (flag.value.empty())
    app.add_flag_function(flag.name, [set](std::int64_t) { set(""); });
  else
    app.add_option_function<std::string>(flag.name, set)->type_name(flag.value);
}

}  // namespace

Result<std::optional<Options>> parse(const Subcommand& subcommand, std::vector<std::string> words) {
  Options options;
  std::optional<Problem> problem;
  // What follows "--" belongs to the program, whatever it looks like.
  if (const auto dashes = std::ranges::find(words, "--"); dashes != words.end()) {
    options.arguments.assign(dashes + 1, words.end());
    words.erase(dashes, words.end());
  }

  CLI::App app;
  app.set_help_flag("--help,-h");
  Given given;
  for (const Flag& flag : subcommand.flags) add(app, flag, options, given, problem);
  app.add_option("files", options.files);
  app.allow_extras(false);

  std::ranges::reverse(words);  // the order that CLI11 wants
  try {
    app.parse(words);
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", help_of(subcommand));
    return std::optional<Options>{};
  } catch (const CLI::ParseError& error) {
    return problem_of(error, subcommand, app.remaining());
  }
  if (problem) return *problem;
  if (auto wrong = contradiction(given)) return *wrong;
  if (options.files.empty()) return Problem{fmt::format("no {} is given", subcommand.files), "Usage: " + subcommand.usage};
  return std::optional<Options>{std::move(options)};
}

}  // namespace treadle
