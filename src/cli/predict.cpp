// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <filesystem>

#include "cli/check_one.h"
#include "cli/commands.h"
#include "cli/flags.h"
#include "cli/foresee.h"
#include "cli/html.h"
#include "cli/program.h"
#include "cli/reports.h"
#include "cli/witnesses.h"
#include "report/predict_json.h"
#include "trace/files.h"

namespace treadle {

Subcommand describe_predict() {
  return {"treadle predict [options] SOURCE...|PROGRAM|TRACE [-- ARGS]",
          "Runs the program once, or takes a run that was saved, and asks which other interleavings of the same steps fail:\n"
          "assertions, data races, deadlocks, atomicity violations. Each prediction is replayed; what was not seen to fail\n"
          "is listed apart. The verdict says what it covers.",
          "Examples:\n"
          "  treadle predict bank.c\n"
          "  treadle predict --only race,deadlock ./server_test -- --quick\n"
          "  treadle predict --atomic critical-sections --only atomicity cache.cpp\n"
          "  treadle predict --context-bound 2 bank.c\n"
          "  treadle predict --save-trace run.trace bank.c && treadle predict run.trace\n"
          "\nExit status: 0 nothing found, 1 found, 2 could not do what was asked, 3 a bug in Treadle itself.\n",
          flags_of(Use::Predict), "source, program or trace"};
}

namespace {

/// Which program to run, and how: by the command line, or by a trace that was saved.
struct Plan {
  std::string program;
  std::vector<std::string> arguments;
  Schedule schedule;
  std::optional<std::uint64_t> hash;  // the program's, when the trace was made
  bool given = false;                 // by a trace
};

bool is_trace(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) return false;
  char head[8] = {};
  const bool ours = std::fread(head, 1, sizeof head, file) == sizeof head && std::memcmp(head, "TREADLE\n", sizeof head) == 0;
  std::fclose(file);
  return ours;
}

Result<Plan> plan_by_trace(const Options& options) {
  if (!options.arguments.empty()) return Problem{"the program's arguments are part of the trace", ""};
  auto file = read_trace(options.files.front());
  if (!file) return file.problem();
  if (::access(file->from.program.c_str(), X_OK) != 0)
    return Problem{fmt::format("{} is gone, the program of this trace", file->from.program), "save a trace of the program as it is now"};
  Schedule schedule = file->from.schedule;
  schedule.prefix = decisions_of(file->trace);
  schedule.policy = Policy::Continue;
  schedule.threads = file->trace.threads;
  return Plan{file->from.program, file->from.arguments, schedule, file->from.binary_hash, true};
}

Result<Plan> plan_for(const Options& options) {
  if (options.files.size() == 1 && is_trace(options.files.front())) return plan_by_trace(options);
  Options how = options;
  how.symbolic = !check_built_with_treadle(options.files.front());  // sources: it costs little, and implies more
  if (!options.atomic_functions.empty()) {
    if (!how.symbolic)
      return Problem{"--atomic functions:PATTERN is for sources, and this is a program already",
                     "build it with `treadle cc --atomic=PATTERN`, or mark the functions TREADLE_ATOMIC"};
    how.compiler_flags += " " + shell_quoted("--atomic=" + options.atomic_functions);
  }
  auto program = program_from(how);
  if (!program) return program.problem();
  Schedule schedule = options.schedule;
  schedule.races = Races::Explore;
  schedule.max_steps = options.budget.steps;
  return Plan{*program, options.arguments, schedule, std::nullopt, false};
}

/// A trace whose plain accesses were no steps is run again so that they are.
Result<Done> make_steps_of_plain_accesses(Plan& plan, Runner& program) {
  if (plan.schedule.races == Races::Explore) return Done{};
  Trace trace;
  Recording recording;
  recording.plain = true;
  if (auto ran = program.run(plan.schedule, recording, trace); !ran) return ran;
  plan.schedule = with_plain_steps(plan.schedule, trace);
  return Done{};
}

int predict_all(const Options& options) {
  if (const auto possible = one_report_on_stdout(options); !possible) return could_not(possible.problem());
  auto plan = plan_for(options);
  if (!plan) return could_not(plan.problem());
  SubjectOptions how = options.subject;
  how.program = plan->program;
  how.arguments = plan->arguments;
  const auto subject = Subject::start(how);
  if (!subject) return could_not(subject.problem());
  if (plan->hash && *plan->hash != (*subject)->binary_hash())
    return could_not({fmt::format("{} was made with another build of {}", options.files.front(), plan->program),
                      "save a trace of the program as it is now"});
  ThreadNumbers numbers;
  SubjectRunner runner(**subject, numbers);
  if (const auto made = make_steps_of_plain_accesses(*plan, runner); !made) return could_not(made.problem());

  ForeseeRequest request{plan->schedule, options.predict, options.leaks, false};
  request.predict.model = plan->schedule.model;
  request.symbolic = is_symbolic_build(plan->program);
  request.predict.causal = options.causal.value_or(Causality::Symbolic);
  if (!request.symbolic && request.predict.causal == Causality::Symbolic) request.predict.causal = Causality::Maximal;
  request.predict.widen_bound = options.context_bound == "auto";
  if (!options.context_bound.empty() && !request.predict.widen_bound)
    request.predict.context_bound = static_cast<std::uint32_t>(std::stoul(options.context_bound));
  const auto symbols = symbols_of(**subject, plan->program);
  Trace looked_at;
  auto result = foresee(request, runner, *symbols, looked_at);
  if (!result) return could_not(result.problem());
  result->program = plan->program;
  result->subject = subject_of(options);
  result->folder = std::filesystem::current_path().string();
  if (!request.symbolic && request.predict.causal == Causality::Maximal)
    result->note += std::string(result->note.empty() ? "" : "; ") +
                    "the program was built without --symbolic: reads keep their values, and assertions are not asked about";
  result->carrier = text_of((*subject)->carrier());
  result->why_fork = (*subject)->why_fork();
  result->replay_options = replay_options(options);

  const Origin origin{plan->program, (*subject)->binary_hash(), plan->arguments, options.files.front()};
  std::vector<Finding*> findings;
  for (Foretold& foretold : result->findings) findings.push_back(&foretold.found.finding);
  const auto saved = write_witnesses(findings, options.out, origin);
  if (!options.save_trace.empty()) {
    const Witness from{plan->schedule, plan->program, (*subject)->binary_hash(), plan->arguments, {}, {}};
    if (const auto kept = write_trace(options.save_trace, looked_at, from); !kept) return could_not(kept.problem());
  }
  auto reported = write_reports(*result, options);
  if (reported && saved && !options.html.empty()) {
    std::vector<Found> shown;
    for (const Foretold& foretold : result->findings) shown.push_back(foretold.found);
    reported = write_html({options.html, plan->program, json_of(*result), result->replay_options}, shown, &runner, *symbols, options.leaks);
  }
  if (!saved) return could_not(saved.problem());
  if (!reported) return could_not(reported.problem());
  return result->findings.empty() ? 0 : 1;
}

}  // namespace

int run_predict(std::vector<std::string> words) {
  auto options = parse(describe_predict(), std::move(words));
  if (!options) return could_not(options.problem());
  return *options ? predict_all(**options) : 0;
}

}  // namespace treadle
