// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <set>

#include "base/atomic_file.h"
#include "cli/commands.h"
#include "cli/flags.h"
#include "cli/program.h"
#include "cli/walk.h"
#include "explore/confirm.h"
#include "explore/guard.h"
#include "finding/diagnose.h"
#include "report/dot.h"
#include "report/text.h"
#include "subject/debug.h"
#include "trace/files.h"

namespace treadle {

Subcommand describe_replay() {
  return {"treadle replay [options] WITNESS [-- GDB-ARGS]",
          "Runs the schedule of a witness again, by the same binary, and reports how it fails.",
          "Examples:\n"
          "  treadle replay .treadle/deadlock-1f3a5c70.witness\n"
          "  treadle replay --step .treadle/data-race-08e1b2c4.witness | less\n"
          "  treadle replay --gdb .treadle/assertion-77aa01fe.witness\n"
          "  treadle replay --gdb .treadle/assertion-77aa01fe.witness -- -batch -ex 'info threads' -ex bt\n"
          "\nExit status: 1 it fails again, 0 nothing fails, 2 could not be replayed, 3 a bug in Treadle itself.\n",
          flags_of(Use::Replay), "witness"};
}

namespace {

/// Everything that a replay shows: the execution in full detail and what is wrong with it.
struct Replayed {
  Trace trace;
  std::vector<Found> findings;
};

Result<Replayed> replay(const Schedule& schedule, Runner& program, const Symbols& symbols, bool leaks) {
  Replayed result;
  Recording recording;
  recording.plain = true;
  recording.leaks = leaks;
  Guard guard(program, 1);
  if (auto ran = guard.run(schedule, recording, result.trace); !ran) return ran.problem();
  if (result.trace.end.ending == TREADLE_END_DIVERGED)
    return Problem{fmt::format("the schedule cannot be followed beyond its decision number {}", result.trace.end.detail),
                   "the program depends on something besides its schedule: its input, its environment, time?"};
  if (auto difference = guard.take()) {
    const Finding finding = finding_of(*difference, symbols);
    result.findings.push_back({finding, tell(difference->first, finding, symbols)});
  }
  const Schedule exact = exactly(schedule, result.trace);
  for (const Finding& finding : diagnose(result.trace, symbols)) {
    Trace detailed;
    auto confirmed = confirm(finding, exact, program, symbols, leaks, detailed);
    if (!confirmed) return confirmed.problem();
    result.findings.push_back({*confirmed, tell(detailed, *confirmed, symbols)});
  }
  return result;
}

/// The events that the first finding names, in their order.
std::vector<std::uint64_t> named_events(const Replayed& replayed) {
  std::set<std::uint64_t> named;
  if (!replayed.findings.empty())
    for (const Part& part : replayed.findings.front().finding.parts)
      if (part.event < replayed.trace.events.size()) named.insert(part.event);
  return {named.begin(), named.end()};
}

DebugRequest debug_request(const Replayed& replayed, const Symbols& symbols) {
  DebugRequest request;
  request.events = told_by(replayed.trace, symbols);
  request.named = named_events(replayed);
  if (!replayed.findings.empty()) request.why = text_of(replayed.findings.front(), {});
  return request;
}

Result<Done> belongs_together(const Witness& witness, const std::string& path, std::uint64_t hash) {
  if (witness.binary_hash == hash) return Done{};
  return Problem{fmt::format("{} was made with another build of {}", path, witness.program),
                 "a schedule fits one binary only: run `treadle check` again, or build it as it was"};
}

int show(const Replayed& replayed, const Options& options, const Symbols& symbols) {
  const TextStyle style = style_for(STDOUT_FILENO);
  if (options.step) walk_through(replayed.trace, symbols), fmt::print("\n");
  for (const Found& found : replayed.findings) fmt::print("{}\n", text_of(found, style));
  if (!replayed.findings.empty()) return 1;
  fmt::print("the schedule was followed to its end ({}) and nothing failed\n", text_of(replayed.trace.end.ending));
  return 0;
}

int replay_witness(const Options& options) {
  if (options.files.size() > 1) return could_not({"one witness at a time, please", ""});
  if (!options.arguments.empty() && !options.gdb)
    return could_not({"what follows -- is for gdb, which was not asked for", "the program's arguments are part of the witness"});
  const auto witness = read_witness(options.files.front());
  if (!witness) return could_not(witness.problem());
  if (!std::filesystem::exists(witness->program))
    return could_not({fmt::format("{} is gone, the program of this witness", witness->program), "run `treadle check` again"});
  if (const auto built = check_built_with_treadle(witness->program); !built) return could_not(built.problem());

  SubjectOptions how = options.subject;
  how.program = witness->program;
  how.arguments = witness->arguments;
  auto subject = Subject::start(how);
  if (!subject) return could_not(subject.problem());
  if (const auto same = belongs_together(*witness, options.files.front(), (*subject)->binary_hash()); !same)
    return could_not(same.problem());

  ThreadNumbers numbers;
  SubjectRunner runner(**subject, numbers);
  const auto symbols = symbols_of(**subject, witness->program);
  const auto replayed = replay(witness->schedule, runner, *symbols, options.leaks);
  if (!replayed) return could_not(replayed.problem());
  if (!options.save_trace.empty())
    if (const auto saved = write_trace(options.save_trace, replayed->trace, *witness); !saved) return could_not(saved.problem());
  if (!options.dot.empty())
    if (const auto drawn = write_file_atomically(options.dot, dot_of(replayed->trace, symbols.get())); !drawn)
      return could_not(drawn.problem());
  const int status = show(*replayed, options, *symbols);
  if (!options.gdb) return status;

  std::fflush(stdout);  // gdb writes there too
  how.carrier = Carrier::Kernel;
  DebugRequest request = debug_request(*replayed, *symbols);
  request.subject = how;
  request.schedule = exactly(witness->schedule, replayed->trace);
  request.gdb_arguments = options.arguments;
  const auto debugged = debug(request);
  return debugged ? status : could_not(debugged.problem());
}

}  // namespace

int run_replay(std::vector<std::string> words) {
  auto options = parse(describe_replay(), std::move(words));
  if (!options) return could_not(options.problem());
  return *options ? replay_witness(**options) : 0;
}

}  // namespace treadle
