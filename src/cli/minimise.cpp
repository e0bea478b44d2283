// SPDX-License-Identifier: Apache-2.0
#include "explore/minimise.h"

#include <fmt/format.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/flags.h"
#include "cli/witness_program.h"
#include "explore/confirm.h"
#include "explore/essence.h"
#include "explore/story.h"
#include "finding/diagnose.h"
#include "report/text.h"
#include "trace/files.h"

namespace treadle {

Subcommand describe_minimise() {
  auto flags = flags_of(Use::Minimise);
  return {
      "treadle minimise [options] WITNESS",
      "Looks for a schedule that fails in the same way with fewer preemptions, switches between threads and steps, and writes it as\n"
      "a witness. `treadle check` does the same for what it reports, for a short time.",
      "Examples:\n"
      "  treadle minimise .treadle/assertion-77aa01fe.witness\n"
      "  treadle minimise --max-time 5m --to small.witness .treadle/deadlock-1f3a5c70.witness\n"
      "\nExit status: 1 it fails (by the schedule written), 0 nothing fails, 2 could not do what was asked, 3 a bug in Treadle itself.\n",
      std::move(flags), "witness"};
}

namespace {

constexpr double default_seconds = 60;

std::string counts(const Effort& effort) {
  return fmt::format("{} preemption{}, {} switch{}, {} steps", effort.preemptions, effort.preemptions == 1 ? "" : "s", effort.switches,
                     effort.switches == 1 ? "" : "es", effort.steps);
}

int minimise_witness(const Options& options) {
  auto opened = WitnessProgram::open(options);
  if (!opened) return could_not(opened.problem());
  WitnessProgram& program = **opened;

  Trace trace;
  Recording recording;
  recording.leaks = options.leaks;
  if (auto ran = program.runner().run(program.witness().schedule, recording, trace); !ran) return could_not(ran.problem());
  const auto findings = diagnose(trace, program.symbols());
  if (findings.empty()) {
    fmt::print("the schedule was followed to its end ({}) and nothing failed\n", text_of(trace.end.ending));
    return 0;
  }
  MinimiseLimits limits;
  limits.seconds = options.budget.seconds.value_or(default_seconds);
  limits.runs = options.budget.executions.value_or(UINT64_MAX);
  auto smaller =
      minimise(findings.front(), exactly(program.witness().schedule, trace), program.runner(), program.symbols(), options.leaks, limits);
  if (!smaller) return could_not(smaller.problem());

  Trace detailed;
  auto finding = confirm(findings.front(), smaller->schedule, program.runner(), program.symbols(), options.leaks, detailed);
  if (!finding) return could_not(finding.problem());
  Witness witness = program.witness();
  witness.schedule = smaller->schedule;
  witness.essence = essence_of(detailed, *finding, program.symbols(), smaller->schedule.races);
  const std::string path = options.to.empty() ? options.files.front() : options.to;
  if (auto written = write_witness(path, witness); !written) return could_not(written.problem());
  finding->witness_file = path;
  fmt::print("{}\n", text_of(Found{*finding, tell(detailed, *finding, program.symbols())}, style_for(STDOUT_FILENO)));
  fmt::print("minimised: {} (was: {}), {} runs\n", counts(smaller->after), counts(smaller->before), smaller->runs);
  return 1;
}

}  // namespace

int run_minimise(std::vector<std::string> words) {
  auto options = parse(describe_minimise(), std::move(words));
  if (!options) return could_not(options.problem());
  return *options ? minimise_witness(**options) : 0;
}

}  // namespace treadle
