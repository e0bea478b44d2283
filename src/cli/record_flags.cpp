// SPDX-License-Identifier: Apache-2.0
#include "cli/record_flags.h"

#include "cli/flag_values.h"
#include "cli/input_flags.h"

namespace treadle {
namespace {

Result<Done> set_hang_after(Options& options, const std::string& value) {
  auto parsed = seconds(value);
  if (!parsed) return parsed.problem();
  options.hang_after = *parsed;
  return Done{};
}

Result<Done> set_last(Options& options, const std::string& value) {
  auto parsed = seconds(value);
  if (!parsed) return parsed.problem();
  options.last = *parsed;
  return Done{};
}

}  // namespace

std::vector<Flag> record_flags() {
  return {
      {"--recording", "DIR", "Recording", "the folder to make (default: one in --out, named after the program)",
       [](Options& o, const std::string& v) -> Result<Done> { return o.recording = v, Done{}; }},
      {"--pt", "", "Recording", "also trace with the processor's Intel PT, where there is one. The program is built with --record=both",
       [](Options& o, const std::string&) -> Result<Done> { return o.intel_pt = true, Done{}; }},
      {"--emulate-pt", "", "Recording",
       "run instruction by instruction and also write what Intel PT would: slow, for tests. The program is built with --record=both",
       [](Options& o, const std::string&) -> Result<Done> { return o.emulate_pt = true, Done{}; }},
      {"--until-fails", "N", "Recording", "run it again until it fails, at most so many times; only the last recording is kept (default 1)",
       [](Options& o, const std::string& v) { return number(v, o.until_fails, 1); }},
      {"--last", "TIME", "Recording",
       "keep only about the last so much time of each thread, for programs that run for days (default: everything). Such a recording is "
       "shown\n"
       "as far as it goes; to reproduce it, threads that are not there from their beginning are left to themselves",
       set_last},
      {"--hang-after", "TIME", "Recording",
       "a run that takes longer hangs: note where its threads are, and stop it (default: never). With --emulate-pt: one that stands "
       "still\n"
       "for so long",
       set_hang_after},
      {"--stdin", "FILE", "Running the program", "what the program reads from its standard input (default: ours, of which a copy is kept)",
       set_stdin},
      {"--cflags", "FLAGS", "Running the program", "extra compiler flags for sources",
       [](Options& o, const std::string& v) -> Result<Done> { return o.compiler_flags = v, Done{}; }},
      {"--out", "DIR", "Recording", "where recordings and compiled sources go (default .treadle)",
       [](Options& o, const std::string& v) -> Result<Done> { return o.out = v, Done{}; }},
  };
}

}  // namespace treadle
