// SPDX-License-Identifier: Apache-2.0
#include "cli/show_symbolic.h"

#include <fmt/format.h>

#include <filesystem>

#include "cli/commands.h"
#include "cli/program.h"
#include "trace/files.h"
#include "trace/symbolic_check.h"
#include "trace/symbolic_text.h"

namespace treadle {
namespace {

void print(const Trace& trace, const Symbols* symbols) {
  fmt::print("guarded assignments\n{}\n", symbolic_text(trace, SymbolicForm::GuardedAssignments, symbols));
  fmt::print("concurrent static single assignment form\n{}", symbolic_text(trace, SymbolicForm::StaticSingleAssignment, symbols));
}

int show_file(const std::string& path) {
  const auto file = read_trace(path);
  if (!file) return could_not(file.problem());
  if (const auto sound = expressions_are_there(file->trace); !sound) return could_not(sound.problem());
  const auto symbols = std::filesystem::exists(file->from.program) ? Symbols::of_program(file->from.program) : std::unique_ptr<Symbols>{};
  print(file->trace, symbols.get());
  return 0;
}

/// Plain accesses are steps of their own, as in the papers.
Result<TraceFile> one_execution(Subject& subject, const Options& options, const std::string& program) {
  TraceFile made;
  Schedule& schedule = made.from.schedule;
  schedule.races = Races::Explore;
  schedule.inputs = options.schedule.inputs;
  Recording recording;
  recording.plain = recording.choices = recording.symbolic = true;
  if (auto ran = subject.run(schedule, recording, made.trace); !ran) return ran.problem();
  schedule.prefix = decisions_of(made.trace);
  schedule.threads = made.trace.threads;
  made.from.program = program;
  made.from.arguments = options.arguments;
  made.from.binary_hash = subject.binary_hash();
  return made;
}

int show_program(const Options& options) {
  const auto program = program_from(options);
  if (!program) return could_not(program.problem());
  SubjectOptions how = options.subject;
  how.program = *program;
  how.arguments = options.arguments;
  const auto subject = Subject::start(how);
  if (!subject) return could_not(subject.problem());
  const auto made = one_execution(**subject, options, *program);
  if (!made) return could_not(made.problem());
  if (const auto sound = expressions_are_there(made->trace); !sound) return could_not(sound.problem());
  if (!options.save_trace.empty())
    if (const auto saved = write_trace(options.save_trace, made->trace, made->from); !saved) return could_not(saved.problem());
  print(made->trace, symbols_of(**subject, *program).get());
  return 0;
}

}  // namespace

Result<Done> expressions_are_there(const Trace& trace) {
  if (trace.expressions.size() < 2)
    return Problem{
        "the trace has no expressions",
        "they come from a symbolic build (`treadle cc --symbolic`) that is run or replayed with --symbolic, and reads shared memory"};
  if (const auto wrong = check_symbolic(trace)) return Problem{"the expressions of the trace are not those of its run: " + *wrong, ""};
  return Done{};
}

int show_symbolic(const Options& options) {
  if (options.files.size() == 1 && read_any(options.files.front())) return show_file(options.files.front());
  return show_program(options);
}

}  // namespace treadle
