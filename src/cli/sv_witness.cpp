// SPDX-License-Identifier: Apache-2.0
#include "cli/sv_witness.h"

#include <fmt/format.h>

#include <ctime>

#include "base/atomic_file.h"
#include "base/sha256.h"
#include "report/sv_witness.h"

namespace treadle {
namespace {

std::string now() {
  const std::time_t seconds = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

bool is_c(const std::string& path) { return path.ends_with(".c") || path.ends_with(".i"); }

/// The user's sources; of a program that was compiled already, the file that the finding is in.
Result<std::vector<std::pair<std::string, std::string>>> sources_of(const Options& options, const Finding& finding) {
  std::vector<std::string> paths;
  for (const std::string& path : options.files)
    if (is_c(path)) paths.push_back(path);
  if (paths.empty()) paths.push_back(finding.location.file);
  std::vector<std::pair<std::string, std::string>> sources;
  for (const std::string& path : paths) {
    const auto text = read_file(path);
    if (!text) return text.problem();
    sources.emplace_back(path, sha256(*text));
  }
  return sources;
}

/// The value as the type of its size has it; which of the two types that is, the format leaves to the expression.
std::string value_of(const Event& event) {
  switch (event.size) {
    case 1:
      return fmt::format("{}", static_cast<std::int8_t>(event.value));
    case 2:
      return fmt::format("{}", static_cast<std::int16_t>(event.value));
    case 4:
      return fmt::format("{}", static_cast<std::int32_t>(event.value));
    default:
      return fmt::format("{}", static_cast<std::int64_t>(event.value));
  }
}

std::vector<SvInput> inputs_of(const Trace& trace, const Symbols& symbols) {
  std::vector<SvInput> inputs;
  for (const Event& event : trace.events) {
    if (event.kind != TREADLE_EV_INPUT) continue;
    const SourceFrame where = user_frame(symbols.resolve({&event.pc, 1}));
    if (where.line == 0) break;  // one at the wrong call would be wrong; without those that follow it says less
    inputs.push_back({where, value_of(event)});
  }
  return inputs;
}

/// Why the format cannot tell of this finding; empty: it can.
std::string obstacle(const Finding& finding, Ending ending) {
  if (!sv_property(finding, ending)) return "SV-COMP has no property that it violates";
  if (finding.location.line == 0) return "its place in the source is not known";
  return is_c(finding.location.file) ? "" : "the format is for C only";
}

}  // namespace

Result<Done> write_sv_witnesses(const Options& options, std::span<const Found> findings, Runner& runner, const Symbols& symbols) {
  std::vector<SvWitness> witnesses;
  for (const Found& found : findings) {
    const Finding& finding = found.finding;
    Trace trace;
    if (auto ran = runner.run(finding.witness.schedule, {}, trace); !ran) return ran.problem();
    if (const std::string why = obstacle(finding, trace.end.ending); !why.empty()) {
      fmt::print(stderr, "treadle: {} leaves out the {} at {}: {}\n", options.witness_yaml, text_of(finding.kind),
                 text_of(finding.location), why);
      continue;
    }
    auto sources = sources_of(options, finding);
    if (!sources) return sources.problem();
    const std::string uuid = uuid_of(finding.fingerprint + sources->front().second);
    witnesses.push_back(
        {std::move(*sources), now(), uuid, *sv_property(finding, trace.end.ending), inputs_of(trace, symbols), finding.location});
    if (trace.threads.size() > 1)
      fmt::print(stderr,
                 "treadle: {} cannot tell the interleaving of the {}, for which the format has no words; `treadle replay` shows it\n",
                 options.witness_yaml, text_of(finding.kind));
  }
  return write_file_atomically(options.witness_yaml, yaml_of(witnesses));
}

}  // namespace treadle
