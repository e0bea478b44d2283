// SPDX-License-Identifier: Apache-2.0
#include "report/result.h"

#include <cstring>

namespace treadle {
std::string shell_quoted(const std::string& word) {
  const bool plain = !word.empty() &&
                     std::string_view(word).find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-") ==
                         std::string_view::npos;
  if (plain) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

const char* text_of(MemoryModel model) {
  switch (model) {
    case MemoryModel::Sc:
      return "sc";
    case MemoryModel::Tso:
      return "tso";
    case MemoryModel::Pso:
      return "pso";
  }
  return "?";
}

std::string replay_command(const Finding& finding, const std::string& options) {
  return finding.witness_file.empty() ? "" : "treadle replay" + options + " " + shell_quoted(finding.witness_file);
}

}  // namespace treadle
