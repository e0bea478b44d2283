// SPDX-License-Identifier: Apache-2.0
#include "cli/witnesses.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/hash.h"
#include "cli/input_flags.h"
#include "report/result.h"
#include "trace/files.h"

namespace treadle {

std::string replay_options(const Options& options) {
  std::string text;
  if (!options.subject.stdin_file.empty()) text += " --stdin " + shell_quoted(options.subject.stdin_file);
  text += symbolic_sources();
  if (options.leaks) text += " --leaks";
  if (options.predict.critical_sections) text += " --atomic critical-sections";
  return text;
}

Result<Done> write_witnesses(std::span<Finding* const> findings, const std::string& folder, const Origin& origin) {
  if (findings.empty()) return Done{};
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return Problem{fmt::format("cannot make the folder {}: {}", folder, error.message()), "use --out DIR"};
  for (Finding* finding : findings) {
    finding->witness.program = origin.program;
    finding->witness.binary_hash = origin.binary_hash;
    finding->witness.arguments = origin.arguments;
    finding->witness.environment = origin.environment;
    // Two programs may have the same bug in the source they share: each keeps its own witness.
    const std::uint64_t key = Hash{}.add(finding->fingerprint).add(origin.called).value();
    const std::string name = fmt::format("{}-{:08x}.witness", text_of(finding->kind), key >> 32);
    const std::string path = (std::filesystem::path(folder) / name).string();
    if (auto written = write_witness(path, finding->witness); !written) return written;
    finding->witness_file = path;
  }
  return Done{};
}

}  // namespace treadle
