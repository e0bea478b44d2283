// SPDX-License-Identifier: Apache-2.0
#include "cli/recorded_sources.h"

#include <filesystem>

#include "base/atomic_file.h"
#include "base/bytes.h"

namespace treadle {
namespace {

namespace fs = std::filesystem;

constexpr const char* magic = "treadle sources 1";

std::string file_of(const std::string& recording) { return recording + "/sources"; }

}  // namespace

Result<Done> keep_sources(const std::string& recording, const Options& options) {
  ByteWriter out;
  out.text(magic);
  std::error_code error;
  out.text(fs::current_path(error).string());
  out.varint(options.files.size());
  for (const std::string& file : options.files) out.text(file);
  out.text(options.compiler_flags);
  return write_file_atomically(file_of(recording), out.bytes());
}

Result<std::optional<RecordedSources>> recorded_sources(const std::string& recording) {
  std::error_code error;
  if (!fs::exists(file_of(recording), error)) return std::optional<RecordedSources>{};
  const auto bytes = read_file(file_of(recording));
  if (!bytes) return bytes.problem();
  ByteReader in(*bytes);
  RecordedSources sources;
  const bool ours = in.text() == magic;
  sources.directory = in.text();
  for (std::uint64_t left = in.varint(); left > 0 && in.ok(); --left) sources.files.push_back(std::string(in.text()));
  sources.flags = in.text();
  if (!ours || !in.ok() || !in.at_end() || sources.files.empty())
    return Problem{file_of(recording) + " is damaged, or was written by another version of Treadle",
                   "name the sources on the command line"};
  return std::optional(std::move(sources));
}

}  // namespace treadle
