// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>

#include "cli/commands.h"
#include "cli/flags.h"
#include "cli/show_dependence.h"
#include "finding/symbols.h"
#include "trace/files.h"
#include "trace/text.h"

namespace treadle {

Subcommand describe_show() {
  return {"treadle show FILE... | treadle show --dependence FILE:LINE PROGRAM|SOURCE...",
          "Prints schedules, traces and witnesses as text. Source positions of a trace are shown when its program is still there.\n"
          "With --dependence: on which reads the events of a line may depend, which is what --strategy mcr-s and mcr-s+ go by.",
          "Examples:\n"
          "  treadle show .treadle/deadlock-1f3a5c70.witness\n"
          "  treadle replay --save-trace run.trace .treadle/deadlock-1f3a5c70.witness && treadle show run.trace\n"
          "  treadle show --dependence bank.c:12 bank.c\n",
          {{"--dependence", "FILE:LINE", "Looking at a program", "the line to look at",
            [](Options& o, const std::string& v) -> Result<Done> { return o.dependence_at = v, Done{}; }},
           {"--cflags", "FLAGS", "Looking at a program", "extra compiler flags for sources",
            [](Options& o, const std::string& v) -> Result<Done> { return o.compiler_flags = v, Done{}; }},
           {"--out", "DIR", "Looking at a program", "where compiled sources go (default .treadle)",
            [](Options& o, const std::string& v) -> Result<Done> { return o.out = v, Done{}; }}},
          "file"};
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

}  // namespace

int run_show(std::vector<std::string> words) {
  auto options = parse(describe_show(), std::move(words));
  if (!options) return could_not(options.problem());
  if (!*options) return 0;
  if (!(*options)->dependence_at.empty()) return show_dependence(**options);
  for (const std::string& path : (*options)->files) {
    const auto file = read_any(path);
    if (!file) return could_not(file.problem());
    fmt::print("{}", shown(*file));
  }
  return 0;
}

}  // namespace treadle
