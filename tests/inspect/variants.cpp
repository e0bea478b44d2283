// SPDX-License-Identifier: Apache-2.0
// Runs the seed's algorithm with and without its two ways to avoid redundant backtracking, which no user needs to switch off:
//   variants PROGRAM [no-locksets] [no-sleep-sets] [tso | pso] [show]
// Prints the number of executions, how many were blocked by sleep sets, and how many were redundant for another reason.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "explore/dpor.h"
#include "subject/subject.h"

int main(int argc, char** argv) {
  using namespace treadle;
  const std::vector<std::string> words(argv + 1, argv + argc);
  const auto said = [&](const char* word) { return std::ranges::find(words, word) != words.end(); };
  if (words.empty()) return 2;

  SubjectOptions options;
  options.program = words[0];
  auto subject = Subject::start(options);
  if (!subject) {
    fmt::print(stderr, "{}\n", subject.problem().sentence);
    return 2;
  }
  Schedule schedule;
  if (said("tso")) schedule.model = MemoryModel::Tso;
  if (said("pso")) schedule.model = MemoryModel::Pso;
  Dpor strategy(schedule, {.locksets = !said("no-locksets"), .sleep_sets = !said("no-sleep-sets")});
  std::uint64_t executions = 0;
  Trace trace;
  while (auto item = strategy.next()) {
    if (auto ran = (*subject)->run(item->schedule, strategy.needs(), trace); !ran) {
      fmt::print(stderr, "{}\n", ran.problem().sentence);
      return 2;
    }
    ++executions;
    strategy.learn_from(item->ticket, trace);
    if (!said("show")) continue;
    std::string threads;
    for (std::size_t i = 0; i < trace.choices.size(); ++i)
      threads += fmt::format("{}{}{}", i == item->schedule.prefix.size() ? "|" : " ", index_of(trace.choices[i].taken.thread),
                             trace.choices[i].taken.kind == DecisionKind::Flush ? "f" : "");
    for (const PendingOperation& p : trace.pending)
      threads += fmt::format("  {} {} {}", index_of(p.thread), text_of(p.kind),
                             p.enabled                           ? "could"
                             : p.state == TREADLE_THREAD_BLOCKED ? "waits"
                                                                 : "-");
    const Counts counts = strategy.counts();
    fmt::print(stderr, "{}  {} blocked {} redundant {}\n", threads, text_of(trace.end.ending), counts.blocked, counts.redundant);
  }
  fmt::print("{} {} {}\n", executions, strategy.counts().blocked, strategy.counts().redundant);
  return 0;
}
