// SPDX-License-Identifier: Apache-2.0
// What it costs to ask everything that a saved run implies, without running anything: `treadle predict --save-trace` writes the run.
//   bench_predict TRACE [--only assertion|race|deadlock|atomicity] [--solver acyclic|z3] [--limit SECONDS]
// z3 is the reference: the same questions with orders as integers, in the manner of the papers. Prints one line of JSON.
#include <fmt/core.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>

#include "predict/predict.h"
#include "trace/files.h"

namespace treadle::bench {
namespace {

double processor_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) { return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6; };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

int run(int argc, char** argv) {
  if (argc < 2) return std::fputs("bench_predict TRACE [--only KIND] [--solver acyclic|z3] [--limit SECONDS]\n", stderr), 2;
  auto file = read_trace(argv[1]);
  if (!file) return fmt::print(stderr, "{}\n", file.problem().sentence), 2;
  PredictOptions options;
  options.model = file->from.schedule.model;
  options.causal = file->trace.expressions.empty() ? Causality::Maximal : Causality::Symbolic;
  for (int i = 2; i + 1 < argc; i += 2) {
    const std::string flag = argv[i], value = argv[i + 1];
    if (flag == "--limit") options.limit.seconds = std::atof(argv[i + 1]);
    if (flag == "--solver" && value == "z3") options.make_solver = make_z3_solver;
    if (flag == "--only") std::erase_if(options.kinds, [&](PredictionKind kind) { return text_of(kind) != value; });
  }
  const double cpu = processor_seconds();
  const auto begin = std::chrono::steady_clock::now();
  const Foreseen foreseen = predict(file->trace, options);
  const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::uint64_t questions = 0, unanswered = 0;
  for (const auto& [kind, coverage] : foreseen.coverage) questions += coverage.questions, unanswered += coverage.unanswered;
  fmt::print(
      "{{\"events\": {}, \"questions\": {}, \"unanswered\": {}, \"predictions\": {}, \"queries\": {}, \"constraints\": {}, "
      "\"triples\": {}, \"real\": {}, \"cpu\": {:.3f}, \"wall\": {:.3f}, \"megabytes\": {:.0f}}}\n",
      file->trace.events.size(), questions, unanswered, foreseen.found.size(), foreseen.statistics.queries, foreseen.statistics.constraints,
      foreseen.statistics.triples.locks, foreseen.statistics.triples.real, processor_seconds() - cpu, wall, peak_megabytes());
  return 0;
}

}  // namespace
}  // namespace treadle::bench

int main(int argc, char** argv) { return treadle::bench::run(argc, argv); }
