// SPDX-License-Identifier: Apache-2.0
// Is the program really determined by its Schedule? A decorator that runs some schedules a second time, by their exact decisions, and
// compares event by event. Everything else (replay, witnesses, exhaustive search) rests on the answer.
#pragma once

#include <optional>
#include <string>

#include "explore/runner.h"
#include "finding/finding.h"
#include "finding/symbols.h"

namespace treadle {

/// Two runs of one Schedule that were not the same.
struct Difference {
  Schedule schedule;
  Trace first, second;
  std::size_t event = 0;  // the first that differs; may be the end of either
};

/// The number of the first event in which they differ. When all events agree but not the end or the plain accesses: the number of events.
std::optional<std::size_t> first_difference(const Trace& first, const Trace& second);

Finding finding_of(const Difference& difference, const Symbols& symbols);

/// Runs it twice, with every access recorded.
Result<std::optional<Difference>> compare_two_runs(const Schedule& schedule, Recording recording, Runner& program);

class Guard final : public Runner {
 public:
  /// Repeats executions 1, 2, 4, 8, … up to `every`, then each `every`-th; 0 repeats none. In large batches later on a handful at once, as
  /// many in all: a batch of one costs the program and the search a change of turns, which was a tenth of the time of small executions.
  Guard(Runner& program, std::uint64_t every) : program_(program), every_(every) {}

  Result<Done> run(const Schedule& schedule, const Recording& recording, Trace& out) override;
  Result<Done> run_batch(const std::vector<Schedule>& schedules, const Recording& recording, std::vector<Trace>& out) override;

  /// What was found since the last call. After the first the guard rests: one is enough to distrust the program.
  std::optional<Difference> take();

 private:
  std::vector<std::size_t> due(const std::vector<Trace>& traces);
  bool is_due_at(std::uint64_t execution) const;
  Result<Done> repeat(const std::vector<Schedule>& schedules, const std::vector<std::size_t>& due, const Recording& recording,
                      const std::vector<Trace>& traces);
  Result<Done> look_closer(const Schedule& schedule, const Recording& recording, const Trace& first, const Trace& second);

  Runner& program_;
  std::uint64_t every_;
  std::uint64_t executions_ = 0;
  std::uint64_t since_handful_ = 0;  // executions for which none was repeated
  std::vector<Trace> again_;
  std::optional<Difference> found_;
};

}  // namespace treadle
