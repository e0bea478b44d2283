// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <charconv>
#include <filesystem>

#include "cli/commands.h"
#include "cli/flags.h"
#include "cli/input_flags.h"
#include "cli/show_dependence.h"
#include "cli/show_paths.h"
#include "cli/show_symbolic.h"
#include "finding/symbols.h"
#include "record/text.h"
#include "trace/files.h"
#include "trace/text.h"

namespace treadle {

Subcommand describe_show() {
  Subcommand show{
      "treadle show FILE... | treadle show --paths RESULT | treadle show --symbolic TRACE|PROGRAM|SOURCE... | treadle show --dependence "
      "FILE:LINE PROGRAM|SOURCE...",
      "Prints schedules, traces, witnesses and recordings as text. Source positions of a trace are shown when its program is still there.\n"
      "With --paths: the paths that `treadle check --strategy mpc` has executed, as a tree of turns; RESULT is what --json wrote, or the\n"
      "folder of --keep.\n"
      "With --symbolic: a trace as what predictions are made from, guarded assignments and their single assignment form; of a program or\n"
      "source, one execution.\n"
      "With --dependence: on which reads the events of a line may depend, which is what --strategy mcr-s and mcr-s+ go by.",
      "Examples:\n"
      "  treadle show .treadle/deadlock-1f3a5c70.witness\n"
      "  treadle replay --save-trace run.trace .treadle/deadlock-1f3a5c70.witness && treadle show run.trace\n"
      "  treadle check --strategy mpc --json result.json bank.c; treadle show --paths result.json\n"
      "  treadle show --paths --failing --fold 3 result.json\n"
      "  treadle show --symbolic bank.c\n"
      "  treadle show --dependence bank.c:12 bank.c\n",
      {{"--paths", "", "Looking at paths", "print the path tree of a result",
        [](Options& o, const std::string&) -> Result<Done> { return o.paths = true, Done{}; }},
       {"--fold", "N", "Looking at paths", "show N levels; what lies deeper is only counted",
        [](Options& o, const std::string& v) -> Result<Done> {
          const auto [end, error] = std::from_chars(v.data(), v.data() + v.size(), o.tree.levels);
          if (error != std::errc{} || end != v.data() + v.size() || o.tree.levels == 0)
            return Problem{"\"" + v + "\" is not valid", "a number from 1 on"};
          return o.paths = true, Done{};
        }},
       {"--thread", "NAME", "Looking at paths", "only the turns of this thread: 0, 0.1, ...",
        [](Options& o, const std::string& v) -> Result<Done> { return o.tree.thread = v, o.paths = true, Done{}; }},
       {"--failing", "", "Looking at paths", "only paths that show a finding",
        [](Options& o, const std::string&) -> Result<Done> { return o.tree.failing = o.paths = true, Done{}; }},
       {"--every-turn", "", "Looking at paths", "also turns at which no paths part",
        [](Options& o, const std::string&) -> Result<Done> { return o.tree.every_turn = o.paths = true, Done{}; }},
       {"--symbolic", "", "Looking at a program", "print assignments, conditions and assertions over what was read",
        [](Options& o, const std::string&) -> Result<Done> { return o.symbolic = true, Done{}; }},
       {"--save-trace", "FILE", "Looking at a program", "with --symbolic PROGRAM: write the trace of that execution",
        [](Options& o, const std::string& v) -> Result<Done> { return o.save_trace = v, Done{}; }},
       {"--dependence", "FILE:LINE", "Looking at a program", "the line to look at",
        [](Options& o, const std::string& v) -> Result<Done> { return o.dependence_at = v, Done{}; }},
       {"--lines", "N|all", "Looking at a recording", "so many lines of each thread's path, the last ones (default 40)",
        [](Options& o, const std::string& v) -> Result<Done> {
          const auto [end, error] = std::from_chars(v.data(), v.data() + v.size(), o.lines);
          if (v == "all") return o.lines = 0, Done{};
          if (error != std::errc{} || end != v.data() + v.size() || o.lines == 0)
            return Problem{"\"" + v + "\" is not valid", "a number, or all"};
          return Done{};
        }},
       {"--cflags", "FLAGS", "Looking at a program", "extra compiler flags for sources",
        [](Options& o, const std::string& v) -> Result<Done> { return o.compiler_flags = v, Done{}; }},
       {"--out", "DIR", "Looking at a program", "where compiled sources go (default .treadle)",
        [](Options& o, const std::string& v) -> Result<Done> { return o.out = v, Done{}; }}},
      "file"};
  for (Flag& flag : input_flags()) show.flags.push_back(std::move(flag));
  return show;
}

namespace {

template <class... Cases>
struct Visitor : Cases... {
  using Cases::operator()...;
};

std::string shown(const AnyFile& file) {
  return std::visit(Visitor{
                        [](const Schedule& schedule) { return text_of(schedule); },
                        [](const Witness& witness) { return text_of(witness); },
                        [](const TraceFile& file) {
                          const auto symbols = std::filesystem::exists(file.from.program) ? Symbols::of_program(file.from.program)
                                                                                          : std::unique_ptr<Symbols>{};
                          return text_of(file.trace, symbols.get());
                        },
                    },
                    file);
}

Result<Done> show_recording(const std::string& folder, std::size_t lines) {
  const auto recording = read_recording(folder);
  if (!recording) return recording.problem();
  const auto text = text_of(*recording, lines);
  if (!text) return text.problem();
  fmt::print("{}", *text);
  return Done{};
}

}  // namespace

int run_show(std::vector<std::string> words) {
  auto options = parse(describe_show(), std::move(words));
  if (!options) return could_not(options.problem());
  if (!*options) return 0;
  if ((*options)->paths) return show_paths(**options);
  if ((*options)->symbolic) return show_symbolic(**options);
  if (!(*options)->dependence_at.empty()) return show_dependence(**options);
  for (const std::string& path : (*options)->files) {
    if (std::error_code error; std::filesystem::is_directory(path, error)) {
      if (const auto printed = show_recording(path, (*options)->lines); !printed) return could_not(printed.problem());
      continue;
    }
    const auto file = read_any(path);
    if (!file) return could_not(file.problem());
    fmt::print("{}", shown(*file));
  }
  return 0;
}

}  // namespace treadle
