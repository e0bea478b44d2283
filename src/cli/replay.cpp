// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <set>

#include "base/atomic_file.h"
#include "cli/commands.h"
#include "cli/flags.h"
#include "cli/html.h"
#include "cli/replay_folder.h"
#include "cli/replayed.h"
#include "cli/show_symbolic.h"
#include "cli/walk.h"
#include "cli/witness_program.h"
#include "cli/witnesses.h"
#include "report/dot.h"
#include "report/text.h"
#include "subject/debug.h"
#include "trace/files.h"

namespace treadle {

Subcommand describe_replay() {
  return {"treadle replay [options] WITNESS|DIRECTORY [-- GDB-ARGS]",
          "Runs the schedule of a witness again, by the same binary and with the same inputs, and reports how it fails. Of a folder, all\n"
          "witnesses in it, a line each: what `treadle check --keep` leaves are tests of the program.",
          "Examples:\n"
          "  treadle replay .treadle/deadlock-1f3a5c70.witness\n"
          "  treadle replay --step .treadle/data-race-08e1b2c4.witness | less\n"
          "  treadle replay --gdb .treadle/assertion-77aa01fe.witness\n"
          "  treadle replay --gdb .treadle/assertion-77aa01fe.witness -- -batch -ex 'info threads' -ex bt\n"
          "  treadle replay --junit results.xml kept/\n"
          "\nExit status: 1 it fails again, 0 nothing fails, 2 could not be replayed, 3 a bug in Treadle itself.\n",
          flags_of(Use::Replay), "witness"};
}

namespace {

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

int show(const Replayed& replayed, const Options& options, const Symbols& symbols) {
  const TextStyle style = style_for(STDOUT_FILENO);
  if (options.step) walk_through(replayed.trace, symbols), fmt::print("\n");
  for (const Found& found : replayed.findings) fmt::print("{}\n", text_of(found, style));
  if (!replayed.findings.empty()) return 1;
  fmt::print("the schedule was followed to its end ({}) and nothing failed\n", text_of(replayed.trace.end.ending));
  return 0;
}

Result<Done> write_html(const Replayed& replayed, WitnessProgram& program, const Options& options) {
  std::vector<Found> shown = replayed.findings;
  for (Found& found : shown) found.finding.witness_file = options.files.front();
  const HtmlPage page{options.html, program.witness().program, "", replay_options(options)};
  return write_html(page, shown, &program.runner(), program.symbols(), options.leaks);
}

int replay_witness(const Options& options) {
  if (std::filesystem::is_directory(options.files.front())) return replay_folder(options);
  if (!options.junit.empty()) return could_not({"--junit is for the witnesses of a folder", "name the folder"});
  if (!options.arguments.empty() && !options.gdb)
    return could_not({"what follows -- is for gdb, which was not asked for", "the program's arguments are part of the witness"});
  auto opened = WitnessProgram::open(options);
  if (!opened) return could_not(opened.problem());
  WitnessProgram& program = **opened;
  const Witness& witness = program.witness();
  const auto replayed = replay(witness.schedule, program.runner(), program.symbols(), options);
  if (!replayed) return could_not(replayed.problem());
  if (options.symbolic)
    if (const auto sound = expressions_are_there(replayed->trace); !sound) return could_not(sound.problem());
  if (!options.save_trace.empty())
    if (const auto saved = write_trace(options.save_trace, replayed->trace, witness); !saved) return could_not(saved.problem());
  if (!options.dot.empty())
    if (const auto drawn = write_file_atomically(options.dot, dot_of(replayed->trace, &program.symbols())); !drawn)
      return could_not(drawn.problem());
  if (!options.html.empty())
    if (const auto written = write_html(*replayed, program, options); !written) return could_not(written.problem());
  const int status = show(*replayed, options, program.symbols());
  if (!options.gdb) return status;

  std::fflush(stdout);  // gdb writes there too
  DebugRequest request = debug_request(*replayed, program.symbols());
  request.subject = program.how();
  request.subject.carrier = Carrier::Kernel;
  request.schedule = exactly(witness.schedule, replayed->trace);
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
