// SPDX-License-Identifier: Apache-2.0
// Runs a program under random schedules for a number of executions and tells how long that took, as one line of JSON.
//
//   bench_executions PROGRAM reset|fork|kernel EXECUTIONS RACES(stop|ignore|expressions) [ARGS…]
// expressions: as stop, with plain accesses and expressions recorded, of builds that have them.
#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <vector>

#include "subject/subject.h"

using namespace treadle;

namespace {

double seconds_of(int who) {
  rusage usage;
  getrusage(who, &usage);
  auto seconds = [](const timeval& t) { return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec); };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

long peak_kilobytes() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

[[noreturn]] void give_up(const Problem& problem) {
  fmt::print(stderr, "{} {}\n", problem.sentence, problem.hint);
  std::exit(2);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) return fmt::print(stderr, "usage: bench_executions PROGRAM CARRIER EXECUTIONS RACES [ARGS]\n"), 2;
  SubjectOptions options;
  options.program = argv[1];
  const std::string carrier = argv[2];
  options.carrier = carrier == "fork" ? Carrier::Fork : carrier == "kernel" ? Carrier::Kernel : Carrier::Reset;
  options.may_fall_back = false;
  options.max_milliseconds = 600'000;
  options.arguments.assign(argv + 5, argv + argc);
  const auto executions = std::strtoull(argv[3], nullptr, 10);

  auto subject = Subject::start(options);
  if (!subject) give_up(subject.problem());
  const std::uint64_t batch = std::min<std::uint64_t>(executions, 64);
  std::vector<Schedule> schedules(batch);
  for (Schedule& schedule : schedules) {
    schedule.policy = Policy::Random;
    schedule.max_steps = 100'000'000;
    schedule.races = std::string(argv[4]) == "ignore" ? Races::Ignore : Races::Stop;
  }
  Recording recording;
  recording.plain = recording.symbolic = std::string(argv[4]) == "expressions";
  std::vector<Trace> traces;
  std::uint64_t done = 0, steps = 0, completed = 0;
  long peak_early = 0;
  const double host_before = seconds_of(RUSAGE_SELF);
  const auto began = std::chrono::steady_clock::now();
  while (done < executions) {
    for (std::uint64_t i = 0; i < batch; ++i) schedules[i].seed = done + i + 1;
    if (auto ran = (*subject)->run_batch(schedules, recording, traces); !ran) give_up(ran.problem());
    for (const Trace& trace : traces) {
      steps += trace.choices.size();
      completed += trace.end.ending == TREADLE_END_COMPLETED;
    }
    done += batch;
    if (peak_early == 0 && done * 100 >= executions) peak_early = peak_kilobytes();
  }
  const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  const double host = seconds_of(RUSAGE_SELF) - host_before;
  subject->reset();  // waits for the program, so that its time is known
  const double program = seconds_of(RUSAGE_CHILDREN);
  fmt::print(
      "{{\"executions\": {}, \"completed\": {}, \"steps\": {:.1f}, \"wall\": {:.4f}, \"host_cpu\": {:.4f}, \"program_cpu\": {:.4f}, "
      "\"peak_kb_after_1_percent\": {}, \"peak_kb\": {}}}\n",
      done, completed, static_cast<double>(steps) / static_cast<double>(done), wall, host, program, peak_early, peak_kilobytes());
  return 0;
}
