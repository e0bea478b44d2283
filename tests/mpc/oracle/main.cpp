// SPDX-License-Identifier: Apache-2.0
// Paths against brute force: each generated program is searched over all its inputs and schedules, and the paths that the executions tell
// of are compared with those that the interpreter finds. Exit status: 0 agreement, 1 a difference, 2 could not do what was asked.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>

#include "cases.h"
#include "emit_c.h"
#include "judge.h"
#include "process.h"
#include "shrink.h"

namespace oracle {
namespace {

constexpr std::size_t kMostCombinations = 64;

struct Options {
  Selection selection;
  std::string treadle = "treadle", strategy = "mpc";
  Model model = Model::Sc;
  bool each_input = false;  // the strategy does not choose inputs: it is run once for each combination
  Promises promises;
  std::vector<std::string> repeats;
  std::string no_more_than;  // another strategy, which may not need fewer executions
  int most_waived = 0;       // of a hundred programs: these may do what has no model
  std::uint64_t most_paths = 60;
  int batch = 100;
  std::string keep;  // where programs stay
  std::string optimize = "-O1";
  bool shrinks = false;
  std::vector<std::string> more;
  bool by_schedules = false;
};

struct Totals {
  int compared = 0, left_out = 0, differ = 0;
  std::map<std::string, int> waived;  // programs that may miss paths, by what they do that has no model
  std::uint64_t paths = 0, executions = 0, inputs = 0;
};

/// All values of the inputs that the program asks for.
std::vector<std::string> combinations(const Program& program) {
  std::vector<std::string> all{""};
  for (std::size_t i = 0; i < program.inputs.size(); ++i) {
    std::vector<std::string> longer;
    for (const std::string& one : all)
      for (int value = program.inputs[i].lowest; value <= program.inputs[i].highest; ++value)
        longer.push_back(one + (one.empty() ? "i" : ",i") + std::to_string(i) + "=" + std::to_string(value));
    all = std::move(longer);
  }
  return all;
}

class Comparison {
 public:
  explicit Comparison(const Options& options) : options_(options) {}

  Totals run(const std::vector<Case>& cases) {
    for (std::size_t first = 0; first < cases.size(); first += std::size_t(options_.batch)) {
      std::vector<Program> programs;
      std::vector<Promises> promises;
      for (std::size_t k = first; k < std::min(cases.size(), first + std::size_t(options_.batch)); ++k) {
        programs.push_back(cases[k].program);
        promises.push_back(promises_of(cases[k]));
      }
      const std::vector<std::string> differences = compare(programs, promises, true);
      for (std::size_t k = 0; k < differences.size(); ++k)
        if (!differences[k].empty()) tell(cases[first + k], differences[k]);
    }
    return totals_;
  }

 private:
  /// Of some profiles a path may be executed more than once, see the tests.
  Promises promises_of(const Case& one) const {
    Promises promises = options_.promises;
    for (const std::string& profile : options_.repeats) promises.each_once &= one.name.substr(0, one.name.find('/')) != profile;
    return promises;
  }

  void tell(const Case& one, const std::string& difference) {
    ++totals_.differ;
    std::printf("%s\n%s%s\n", one.name.c_str(), difference.c_str(), emit_c(one.program).c_str());
    if (options_.shrinks) {
      const auto still_differ = [&](std::span<const Program> candidates) {
        std::vector<bool> result;
        for (const std::string& text : compare(candidates, std::vector(candidates.size(), promises_of(one)), false))
          result.push_back(!text.empty());
        return result;
      };
      const Program small = shrink(one.program, still_differ);
      std::printf("smaller:\n%s%s\n", compare(std::span(&small, 1), {promises_of(one)}, false).front().c_str(), emit_c(small).c_str());
    }
    std::fflush(stdout);
  }

  /// One text for each program, empty when there is no difference.
  std::vector<std::string> compare(std::span<const Program> programs, const std::vector<Promises>& promises, bool counted) {
    const ScratchDirectory scratch;
    const std::string folder = options_.keep.empty() ? scratch / "" : options_.keep + "/";
    const std::string source = folder + "batch.c", binary = folder + "batch";
    write_file(source, emit_batch(programs, Emit::Marking));
    const Finished compiled =
        run_process({options_.treadle, "cc", "--symbolic", "-g", options_.optimize, source, "-o", binary, "-pthread"}, 600);
    if (compiled.status != 0) throw std::runtime_error("the batch does not compile: " + compiled.err);
    std::vector<std::string> result;
    for (std::size_t k = 0; k < programs.size(); ++k) result.push_back(compare_one(binary, k, programs[k], promises[k], counted));
    return result;
  }

  std::string compare_one(const std::string& binary, std::size_t number, const Program& program, const Promises& promises, bool counted) {
    const Paths paths = paths_of(program, options_.model);
    const std::uint64_t all = paths.completed.size() + paths.stuck.size() + paths.failed.size();
    const std::vector<std::string> inputs = options_.each_input ? combinations(program) : std::vector<std::string>{""};
    if (!paths.complete || all > options_.most_paths || inputs.size() > kMostCombinations) {
      totals_.left_out += counted ? 1 : 0;
      return "";
    }
    Reported reported;
    for (const std::string& one : inputs)
      if (const std::string trouble = search(binary, number, options_.strategy, one, reported); !trouble.empty()) return trouble;
    if (counted) {
      if (!reported.no_model.empty()) ++totals_.waived[reported.no_model];
      ++totals_.compared;
      totals_.paths += all, totals_.executions += reported.executions, totals_.inputs += paths.inputs;
    }
    return differences(reported, paths, promises) + more_than_others(binary, number, reported.runs);
  }

  std::string more_than_others(const std::string& binary, std::size_t number, std::uint64_t executions) {
    if (options_.no_more_than.empty()) return "";
    Reported other;
    if (std::string trouble = search(binary, number, options_.no_more_than, "", other); !trouble.empty()) return trouble;
    if (executions <= other.runs) return "";
    return "  " + std::to_string(executions) + " executions, and " + std::to_string(other.runs) + " by " + options_.no_more_than + "\n";
  }

  std::string search(const std::string& binary, std::size_t number, const std::string& strategy, const std::string& inputs,
                     Reported& reported) {
    std::vector<std::string> command{options_.treadle, "check",         "--strategy",   strategy,     "--model", text_of(options_.model),
                                     "--races",        "explore",       "--keep-going", "--outcomes", "--json",  "-",
                                     "--out",          binary + ".out", "--max-time",   "120s"};
    if (!inputs.empty()) command.insert(command.end(), {"--inputs", inputs});
    command.insert(command.end(), options_.more.begin(), options_.more.end());
    command.insert(command.end(), {binary, "--", std::to_string(number)});
    const Finished finished = run_process(command, 150);
    const nlohmann::json report = nlohmann::json::parse(finished.out, nullptr, false);
    if ((finished.status != 0 && finished.status != 1) || report.is_discarded())
      return "  status " + std::to_string(finished.status) + ": " + finished.err + "\n";
    add_report(report, "p" + std::to_string(number) + "_", reported);
    return "";
  }

  const Options& options_;
  Totals totals_;
};

int run(int argc, char** argv) {
  Options options;
  options.selection.profile = "paths";
  bool incomplete = false;
  CLI::App app("Paths over all inputs and schedules against brute force");
  app.add_option("--treadle", options.treadle);
  app.add_option("--strategy", options.strategy);
  app.add_option("--model", options.model)
      ->transform(CLI::CheckedTransformer(std::map<std::string, Model>{{"sc", Model::Sc}, {"tso", Model::Tso}, {"pso", Model::Pso}}));
  app.add_option("--seed", options.selection.seed, "first seed");
  app.add_option("--count", options.selection.count, "how many programs, one per seed");
  app.add_option("--profile", options.selection.profile);
  app.add_option("--programs", options.selection.programs, "these, each as PROFILE/SEED");
  app.add_option("--most-executions", options.selection.most_executions, "of a search without reduction; larger programs are not made");
  app.add_option("--most-paths", options.most_paths, "programs with more are left out");
  app.add_option("--batch", options.batch, "programs compiled at once");
  app.add_option("--cflag", options.optimize, "how programs are compiled: -O1 unless told");
  app.add_option("--keep", options.keep, "a folder where programs are left");
  app.add_flag("--shrink", options.shrinks, "look for a smaller program that differs, too");
  app.add_flag("--each-input", options.each_input, "the strategy does not choose inputs: run it with each combination of them");
  app.add_flag("--incomplete", incomplete, "paths may be missing");
  app.add_option("--repeats", options.repeats, "profiles of whose programs a path may be executed more than once")->delimiter(',');
  app.add_option("--no-more-than", options.no_more_than, "a strategy that may not need fewer executions; for programs without inputs");
  app.add_option("--most-waived", options.most_waived, "of a hundred programs so many may do what has no model, and then miss paths");
  app.add_option("--check-option", options.more, "further options for `treadle check`");
  app.add_flag("--by-schedules", options.by_schedules,
               "mpc as if something had no model of order: every schedule for each class of inputs");
  CLI11_PARSE(app, argc, argv);
  if (options.by_schedules) setenv("TREADLE_MPC_BY_SCHEDULES", "1", 1);
  options.promises = {.each_once = !options.each_input && !options.by_schedules, .complete = !incomplete};
  options.selection.limit_model = options.model;
  const Totals totals = Comparison(options).run(select_cases(options.selection));
  std::printf("%d programs compared (%d left out) with %llu combinations of inputs, %llu paths and %llu executions, %d differ\n",
              totals.compared, totals.left_out, static_cast<unsigned long long>(totals.inputs),
              static_cast<unsigned long long>(totals.paths), static_cast<unsigned long long>(totals.executions), totals.differ);
  int waived = 0;
  for (const auto& [what, programs] : totals.waived) {
    std::printf("%d of them may miss paths: %s\n", programs, what.c_str());
    waived += programs;
  }
  const bool too_many = waived * 100 > options.most_waived * totals.compared;
  if (too_many) std::printf("these are more than %d of a hundred\n", options.most_waived);
  return totals.differ != 0 || totals.compared == 0 || too_many ? 1 : 0;
}

}  // namespace
}  // namespace oracle

int main(int argc, char** argv) {
  try {
    return oracle::run(argc, argv);
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "%s\n", problem.what());
    return 2;
  }
}
