// SPDX-License-Identifier: Apache-2.0
// Predictions against brute force: each generated program is run once at random, and what `treadle predict` makes of that run is compared
// with what the interpreter finds along the same ways. Exit status: 0 agreement, 1 a difference, 2 could not do what was asked.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "cases.h"
#include "emit_c.h"
#include "foretold.h"
#include "given_run.h"
#include "process.h"

namespace oracle {
namespace {

struct Options {
  Selection selection;
  std::string treadle = "treadle";
  Model model = Model::Sc;
  Reads reads = Reads::Free;
  int batch = 100;
  int runs = 1;                // of each program
  std::uint64_t run_seed = 0;  // of the first one, beside its place in the batch
  std::string keep;            // where programs and traces stay
  std::vector<std::string> more;
};

struct Totals {
  int compared = 0, left_out = 0, limited = 0, differ = 0, implied = 0;
};

class Comparison {
 public:
  explicit Comparison(const Options& options) : options_(options) {}

  Totals run(const std::vector<Case>& cases) {
    for (std::size_t first = 0; first < cases.size(); first += std::size_t(options_.batch))
      compare_batch(std::span(cases).subspan(first, std::min(cases.size() - first, std::size_t(options_.batch))));
    return totals_;
  }

 private:
  void compare_batch(std::span<const Case> cases) {
    const ScratchDirectory scratch;
    const std::string folder = options_.keep.empty() ? scratch / "" : options_.keep + "/";
    const std::string source = folder + "batch.c", binary = folder + "batch";
    std::vector<Program> programs;
    for (const Case& one : cases) programs.push_back(one.program);
    write_file(source, emit_batch(programs, Emit::Labelling));
    const Finished compiled = run_process({options_.treadle, "cc", "--symbolic", "-g", "-O1", source, "-o", binary, "-pthread"}, 600);
    if (compiled.status != 0) throw std::runtime_error("the batch does not compile: " + compiled.err);
    for (std::size_t k = 0; k < cases.size(); ++k) {
      const Implied all = possible(cases[k].program, {.model = options_.model});
      for (int r = 0; r < options_.runs; ++r) {
        const std::uint64_t seed = options_.run_seed + std::uint64_t(r) * cases.size() + k + 1;
        const std::string trouble = compare_one(binary, k, cases[k], seed, all);
        if (trouble.empty()) continue;
        ++totals_.differ;
        // What it takes to see it again.
        std::printf("--programs %s --run-seed %llu\n%s%s\n", cases[k].name.c_str(), static_cast<unsigned long long>(seed - 1),
                    trouble.c_str(), emit_c(cases[k].program).c_str());
        std::fflush(stdout);
      }
    }
  }

  std::string compare_one(const std::string& binary, std::size_t number, const Case& one, std::uint64_t seed, const Implied& all) {
    const std::string trace = binary + "." + std::to_string(number) + ".trace";
    const auto run = GivenRuns(binary, number, one.program, options_.model).passing(seed, trace);
    const MachineOptions machine{.model = options_.model};
    if (!run || !all.complete) return ++totals_.left_out, "";
    Implied implied = implied_by(one.program, machine, *run, options_.reads);
    // The maximal model frees the reads that nothing but assertions look at, and which these are the interpreter does not know.
    if (options_.reads == Reads::AsSeen) implied.failing.clear();
    totals_.implied += int(implied.failing.size());
    ++totals_.compared;
    std::vector<std::string> command{options_.treadle, "predict", "--json", "-", "--out", binary + ".out"};
    command.insert(command.end(), options_.more.begin(), options_.more.end());
    command.push_back(trace);
    const Finished finished = run_process(command, 120);
    const nlohmann::json report = nlohmann::json::parse(finished.out, nullptr, false);
    if ((finished.status != 0 && finished.status != 1) || report.is_discarded())
      return "  status " + std::to_string(finished.status) + ": " + finished.err;
    const Difference difference = compare(report, "p" + std::to_string(number) + "_", implied, all);
    totals_.limited += difference.limited ? 1 : 0;
    return difference.text();
  }

  const Options& options_;
  Totals totals_;
};

int run(int argc, char** argv) {
  Options options;
  options.selection.profile = "implied";
  bool maximal = false;
  CLI::App app("Predictions against brute force");
  app.add_option("--treadle", options.treadle);
  app.add_option("--model", options.model)
      ->transform(CLI::CheckedTransformer(std::map<std::string, Model>{{"sc", Model::Sc}, {"tso", Model::Tso}, {"pso", Model::Pso}}));
  app.add_option("--seed", options.selection.seed, "first seed");
  app.add_option("--count", options.selection.count, "how many programs, one per seed");
  app.add_option("--profile", options.selection.profile);
  app.add_option("--programs", options.selection.programs, "these, each as PROFILE/SEED");
  app.add_option("--most-executions", options.selection.most_executions, "of a search without reduction; larger programs are not made");
  app.add_option("--batch", options.batch, "programs compiled at once");
  app.add_option("--runs", options.runs, "runs of each program, each asked what it implies");
  app.add_option("--run-seed", options.run_seed, "as a difference says it, with the one program: the same run again");
  app.add_option("--keep", options.keep, "a folder where programs and traces are left");
  int most_limited = 100;
  app.add_option("--most-limited", most_limited,
                 "percent of programs at most about which the report may say that it does not cover everything");
  app.add_flag("--maximal", maximal, "the maximal causal model: reads get the values they got");
  app.add_option("--predict-option", options.more, "further options for `treadle predict`");
  CLI11_PARSE(app, argc, argv);
  if (maximal) {
    options.reads = Reads::AsSeen;
    options.more.insert(options.more.end(), {"--causal-model", "maximal"});
  }
  options.selection.limit_model = options.model;
  const Totals totals = Comparison(options).run(select_cases(options.selection));
  std::printf("%d runs compared (%d left out, %d not covered completely), %d failing assertions implied by their runs, %d differ\n",
              totals.compared, totals.left_out, totals.limited, totals.implied, totals.differ);
  const bool too_limited = totals.limited * 100 > most_limited * totals.compared;
  return totals.differ != 0 || totals.compared == 0 || too_limited ? 1 : 0;
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
