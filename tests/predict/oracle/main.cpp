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
  std::vector<std::string> cflags{"-O1"};
};

struct Totals {
  int programs = 0, compared = 0, left_out = 0, limited = 0, differ = 0, implied = 0;
};

class Comparison {
 public:
  explicit Comparison(const Options& options) : options_(options) {}

  Totals run() {
    Selection part = options_.selection;
    const int total = part.is_generated() ? part.count : 1;
    for (int done = 0; done < total; done += options_.batch) {
      part.seed = options_.selection.seed + std::uint64_t(done);
      part.count = std::min(options_.batch, total - done);
      compare_batch(select_cases(part));
      // Of a long campaign: how far it has come, and where it was if it dies.
      if (total > options_.batch) std::fprintf(stderr, "%d programs\n", totals_.programs);
    }
    return totals_;
  }

 private:
  void compare_batch(const std::vector<Case>& cases) {
    const ScratchDirectory scratch;
    const std::string folder = options_.keep.empty() ? scratch / "" : options_.keep + "/";
    const std::string source = folder + "batch.c", binary = folder + "batch";
    std::vector<Program> programs;
    for (const Case& one : cases) programs.push_back(one.program);
    write_file(source, emit_batch(programs, Emit::Labelling));
    std::vector<std::string> compile{options_.treadle, "cc", "--symbolic", "-g", source, "-o", binary, "-pthread"};
    compile.insert(compile.end(), options_.cflags.begin(), options_.cflags.end());
    if (const Finished compiled = run_process(compile, 600); compiled.status != 0)
      throw std::runtime_error("the batch does not compile: " + compiled.err);
    Batch batch(binary);
    totals_.programs += int(cases.size());
    for (std::size_t k = 0; k < cases.size(); ++k) {
      const Implied all = possible(cases[k].program, {.model = options_.model});
      for (int r = 0; r < options_.runs; ++r) {
        const std::uint64_t seed = options_.run_seed + std::uint64_t(r) * cases.size() + k + 1;
        const std::string trouble = compare_one(batch, k, cases[k], seed, all);
        if (trouble.empty()) continue;
        ++totals_.differ;
        // What it takes to see it again.
        std::printf("--programs %s --run-seed %llu\n%s%s\n", cases[k].name.c_str(), static_cast<unsigned long long>(seed - 1),
                    trouble.c_str(), emit_c(cases[k].program).c_str());
        std::fflush(stdout);
      }
    }
  }

  std::string compare_one(Batch& batch, std::size_t number, const Case& one, std::uint64_t seed, const Implied& all) {
    const std::string trace = options_.keep.empty() ? "" : batch.binary + "." + std::to_string(number) + ".trace";
    GivenRuns runs(batch, number, one.program, options_.model);
    const auto run = runs.passing(seed, trace);
    const MachineOptions machine{.model = options_.model};
    if (!run || !all.complete) return ++totals_.left_out, "";
    const bool maximal = options_.reads == Reads::AsSeen;
    Implied implied = implied_by(one.program, machine, *run, options_.reads);
    // The maximal model frees the reads that nothing but assertions look at, and which these are the interpreter does not know.
    if (maximal) implied.failing.clear();
    totals_.implied += int(implied.failing.size());
    ++totals_.compared;
    const Difference difference = compare(runs.predicted(maximal), "p" + std::to_string(number) + "_", implied, all);
    totals_.limited += difference.limited ? 1 : 0;
    return difference.text();
  }

  const Options& options_;
  Totals totals_;
};

int run(int argc, char** argv) {
  Options options;
  options.selection.profile = "implied";
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
  app.add_flag_callback(
      "--maximal", [&options] { options.reads = Reads::AsSeen; }, "the maximal causal model: reads get the values they got");
  app.add_option("--cflag", options.cflags, "options for the compiler, instead of -O1; repeatable")->allow_extra_args(false);
  CLI11_PARSE(app, argc, argv);
  options.selection.limit_model = options.model;
  const Totals totals = Comparison(options).run();
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
