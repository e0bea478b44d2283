// SPDX-License-Identifier: Apache-2.0
#include "report/sv_witness.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/sha256.h"

namespace treadle {
namespace {

/// A string between double quotes means the same in YAML as in JSON.
std::string quoted(const std::string& text) { return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace); }

/// Without the column: the format then means the first place in the line that fits, and ours is where the call begins, not where it ends.
std::string location_of(const SourceFrame& frame) {
  std::string text = fmt::format("        location:\n          file_name: {}\n          line: {}\n", quoted(frame.file), frame.line);
  if (!frame.function.empty() && frame.function != "??") text += fmt::format("          function: {}\n", quoted(frame.function));
  return text;
}

std::string waypoint(const char* type, const SourceFrame& where, const std::string& constraint = "") {
  std::string text = fmt::format("  - segment:\n    - waypoint:\n        type: \"{}\"\n        action: \"follow\"\n", type);
  if (!constraint.empty())
    text += fmt::format("        constraint:\n          value: {}\n          format: \"acsl_expression\"\n", quoted(constraint));
  return text + location_of(where);
}

std::string entry_of(const SvWitness& witness) {
  std::string text = "- entry_type: \"violation_sequence\"\n  metadata:\n    format_version: \"2.0\"\n";
  text += fmt::format("    uuid: \"{}\"\n    creation_time: \"{}\"\n", witness.uuid, witness.creation_time);
  text += fmt::format("    producer:\n      name: \"Treadle\"\n      version: \"{}\"\n    task:\n      input_files:\n", TREADLE_VERSION);
  for (const auto& [path, hash] : witness.sources) text += fmt::format("      - {}\n", quoted(path));
  text += "      input_file_hashes:\n";
  for (const auto& [path, hash] : witness.sources) text += fmt::format("        {}: \"{}\"\n", quoted(path), hash);
  text += fmt::format("      specification: {}\n      data_model: \"LP64\"\n      language: \"C\"\n  content:\n", quoted(witness.property));
  for (const SvInput& input : witness.inputs) text += waypoint("function_return", input.where, "\\result == " + input.value);
  return text + waypoint("target", witness.violation);
}

}  // namespace

std::optional<const char*> sv_property(const Finding& finding, Ending ending) {
  switch (finding.kind) {
    case FindingKind::Assertion:
      if (ending == TREADLE_END_REACHED_ERROR) return "G ! call(reach_error())";
      if (ending == TREADLE_END_ASSERTION) return "G ! call(__assert_fail())";
      return std::nullopt;
    case FindingKind::DataRace:
      return "G ! data-race";
    case FindingKind::UseAfterFree:
      return finding.message.find("free") != std::string::npos && finding.message.find("twice") != std::string::npos ? "G valid-free"
                                                                                                                     : "G valid-deref";
    case FindingKind::NullDereference:
      return "G valid-deref";
    case FindingKind::Leak:
      return "G valid-memtrack";
    default:
      return std::nullopt;
  }
}

std::string uuid_of(std::string_view content) {
  std::string hex = sha256(content);
  hex[12] = '8';  // RFC 9562: of the maker's own design
  hex[16] = "89ab"[static_cast<unsigned>(hex[16]) % 4];
  return fmt::format("{}-{}-{}-{}-{}", hex.substr(0, 8), hex.substr(8, 4), hex.substr(12, 4), hex.substr(16, 4), hex.substr(20, 12));
}

std::string yaml_of(const std::vector<SvWitness>& witnesses) {
  std::string text = "# The inputs and the place of the violation. The format has no threads: `treadle replay` shows the interleaving.\n";
  if (witnesses.empty()) text += "[]\n";
  for (const SvWitness& witness : witnesses) text += entry_of(witness);
  return text;
}

}  // namespace treadle
