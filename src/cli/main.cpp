// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <functional>
#include <string_view>

#include "cli/commands.h"
#include "cli/manual.h"
#include "cli/nearest.h"

namespace treadle {
namespace {

int run_man(const std::vector<std::string>& words);
int run_completions(const std::vector<std::string>& words);

const std::vector<Command> commands{
    {"check", "search the schedules of a program for bugs", run_check, describe_check},
    {"predict", "look at one run: which of its other interleavings fail?", run_predict, describe_predict},
    {"replay", "run a failing schedule again, also in gdb or step by step", run_replay, describe_replay},
    {"minimise", "make a failing schedule as short and as simple as it gets", run_minimise, describe_minimise},
    {"recheck", "is the bug of an old witness still there?", run_recheck, describe_recheck},
    {"record", "run a program natively and record the way that each thread takes", run_record, describe_record},
    {"reproduce", "find a schedule that fails as a recorded run did", run_reproduce, describe_reproduce},
    {"report", "look at what a search found, as a page for the browser", run_report, describe_report},
    {"show", "print a schedule, trace, witness or recording", run_show, describe_show},
    {"cc", "compile C so that it can be checked; takes what clang takes", [](auto words) { return run_cc(false, std::move(words)); }},
    {"c++", "the same for C++", [](auto words) { return run_cc(true, std::move(words)); }},
    {"man", "print the manual page: treadle man | man -l -", run_man},
    {"completions", "print what makes a shell complete our options: treadle completions bash|zsh|fish", run_completions},
};

int run_man(const std::vector<std::string>& words) {
  if (!words.empty()) return could_not({"treadle man takes nothing: the page is about all commands", ""});
  fmt::print("{}", man_page(commands));
  return 0;
}

int run_completions(const std::vector<std::string>& words) {
  const std::string text = words.size() == 1 ? completions(words.front(), commands) : "";
  if (text.empty()) return could_not({"which shell?", "treadle completions bash, zsh or fish"});
  fmt::print("{}", text);
  return 0;
}

std::string help() {
  std::string text =
      "Treadle runs a multithreaded C or C++ program under full control of its threads:\n"
      "can it fail? show me. is it fixed? prove it.\n\n";
  for (const Command& command : commands) text += fmt::format("  treadle {:<11} {}\n", command.name, command.help);
  return text +
         "\nStart with:\n"
         "  treadle check counter.c                 compile it, try all schedules, report every bug\n"
         "  treadle check --strategy random prog    a program built with `treadle cc`; some schedules only\n"
         "  treadle predict counter.c               one run, and everything it implies\n"
         "  treadle replay .treadle/*.witness       see a bug again\n\n"
         "`treadle COMMAND --help` explains each. Exit status: 0 nothing found, 1 found, 2 could not do what was asked,\n"
         "3 a bug in Treadle itself.\n";
}

int dispatch(const std::string& name, std::vector<std::string> words) {
  std::vector<std::string> valid;
  for (const Command& command : commands) {
    if (command.name == name) return command.run(std::move(words));
    valid.push_back(command.name);
  }
  return could_not({fmt::format("there is no command \"{}\"", name), hint_for(name, valid)});
}

}  // namespace

int could_not(const Problem& problem) {
  fmt::print(stderr, "treadle: {}\n", problem.sentence);
  if (!problem.hint.empty()) fmt::print(stderr, "  {}\n", problem.hint);
  return 2;
}

}  // namespace treadle

int main(int argc, char** argv) {
  using namespace treadle;
  const std::string_view path = argc > 0 ? argv[0] : "treadle";
  const std::string_view called = path.substr(path.rfind('/') + 1);
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);

  // As a compiler, every option is the compiler's.
  if (called == "treadle-cc") return run_cc(false, std::move(words));
  if (called == "treadle-c++") return run_cc(true, std::move(words));

  if (words.empty() || words[0] == "--help" || words[0] == "-h" || words[0] == "help") {
    fmt::print("{}", help());
    return words.empty() ? 2 : 0;
  }
  if (words[0] == "--version") {
    fmt::print("treadle {}\n", TREADLE_VERSION);
    return 0;
  }
  const std::string name = words.front();
  words.erase(words.begin());
  return dispatch(name, std::move(words));
}
