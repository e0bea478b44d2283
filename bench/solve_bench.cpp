// SPDX-License-Identifier: Apache-2.0
// What a question costs: `bench_solve` prints one row of a table per size and solver. Each row is measured in a process of its own, so
// that its peak memory is its own.
//   bench_solve [--only a|d] [--questions N] [--seed N] [--size N] [--solver acyclic|z3|both]
#include <fmt/core.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <string>
#include <string_view>

#include "order_instances.h"

namespace treadle::bench {
namespace {

struct Settings {
  std::string only;
  std::string solver;
  std::uint32_t questions = 400;
  std::uint32_t seed = 1;
  std::uint32_t size = 0;

  std::vector<std::string> solvers() const {
    return solver.empty() ? std::vector<std::string>{"acyclic", "z3"} : std::vector<std::string>{solver};
  }
};

/// Processor time: other people's work on the machine does not count.
class Stopwatch {
 public:
  double milliseconds() const { return now() - start_; }

 private:
  static double now() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
  }
  double start_ = now();
};

/// What the process holds at its peak, in MB.
double peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

std::unique_ptr<OrderSolver> make_solver(std::string_view name) {
  if (name == "z3") return make_z3_solver();
  if (name == "both") return make_cross_checked_solver(make_acyclic_solver(), make_z3_solver());
  return make_acyclic_solver();
}

/// At most so many questions, taken evenly from all.
template <typename Encode>
void measure(std::string_view label, std::string_view solver_name, std::uint32_t most_questions, Encode encode) {
  std::unique_ptr<OrderSolver> solver;
  Questions questions;
  const Stopwatch encoding;
  int encodings = 0;
  while (encodings == 0 || (encodings < 100 && encoding.milliseconds() < 50)) {
    solver = make_solver(solver_name);
    questions = encode(*solver);
    ++encodings;
  }
  const double encoded = encoding.milliseconds() / encodings;
  const std::size_t all = questions.assumptions.size();
  const std::size_t asked = std::min<std::size_t>(all, most_questions);
  std::size_t answers[3] = {};
  std::vector<double> times;
  for (std::size_t i = 0; i < asked; ++i) {
    const Stopwatch question;
    const Answer answer = solver->solve(questions.assumptions[i * all / asked], SolveLimit{60});
    times.push_back(question.milliseconds());
    ++answers[static_cast<std::size_t>(answer)];
  }
  double sum = 0;
  for (const double time : times) sum += time;
  std::sort(times.begin(), times.end());
  fmt::print("| {} | {} | {} | {} | {:.2f} | {} / {} / {} | {:.3f} | {:.3f} | {:.3f} | {:.0f} |\n", label, solver_name, questions.clauses,
             questions.candidates, encoded, answers[0], answers[1], answers[2], sum / static_cast<double>(asked), times[asked / 2],
             times.back(), peak_memory());
}

template <typename Work>
void in_own_process(Work work) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    work();
    std::fflush(stdout);
    std::_Exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (status != 0) fmt::print("| (ended with status {}) |\n", status);
}

void other_values(const Settings& settings) {
  for (const std::uint32_t events : {50u, 200u, 1000u, 5000u}) {
    if (settings.size != 0 && settings.size != events) continue;
    for (const std::string& name : settings.solvers()) {
      if (events > 1000 && name != "acyclic") continue;
      in_own_process([&] {
        measure(fmt::format("A, {} events", events), name, settings.questions,
                [&](OrderSolver& solver) { return ask_for_other_values(make_trace(events, settings.seed), solver); });
      });
    }
  }
}

void explanations(const Settings& settings) {
  struct Size {
    std::uint32_t iterations;
    std::uint32_t values;
  };
  for (const auto [iterations, values] : {Size{25, 16}, Size{100, 16}, Size{100, 1000}, Size{500, 1000}, Size{1000, 4000}}) {
    if (settings.size != 0 && settings.size != iterations) continue;
    for (const std::string& name : settings.solvers()) {
      if (iterations > 25 && name != "acyclic") continue;
      in_own_process([&] {
        measure(fmt::format("D, {} iterations, {} values", iterations, values), name, settings.questions,
                [&](OrderSolver& solver) { return ask_for_an_explanation(make_racey(iterations, values, settings.seed), solver); });
      });
    }
  }
}

Settings parse(int argc, char** argv) {
  Settings settings;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view flag = argv[i];
    if (flag == "--only") settings.only = argv[i + 1];
    if (flag == "--solver") settings.solver = argv[i + 1];
    if (flag == "--questions") settings.questions = static_cast<std::uint32_t>(std::strtoul(argv[i + 1], nullptr, 10));
    if (flag == "--seed") settings.seed = static_cast<std::uint32_t>(std::strtoul(argv[i + 1], nullptr, 10));
    if (flag == "--size") settings.size = static_cast<std::uint32_t>(std::strtoul(argv[i + 1], nullptr, 10));
  }
  return settings;
}

}  // namespace
}  // namespace treadle::bench

int main(int argc, char** argv) {
  const auto settings = treadle::bench::parse(argc, argv);
  fmt::print(
      "| instance | solver | clauses | candidates | encoding, ms | yes / no / unknown | average, ms | median, ms | longest, ms | memory, "
      "MB |\n");
  fmt::print("|---|---|---|---|---|---|---|---|---|---|\n");
  if (settings.only != "d") treadle::bench::other_values(settings);
  if (settings.only != "a") treadle::bench::explanations(settings);
}
