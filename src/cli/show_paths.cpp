// SPDX-License-Identifier: Apache-2.0
#include "cli/show_paths.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/atomic_file.h"
#include "cli/commands.h"
#include "cli/keep.h"
#include "report/json.h"
#include "report/path_list_json.h"
#include "report/paths_text.h"

namespace treadle {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// "assertion at bank.c:12"
std::string called(const Json& finding) {
  if (!finding.is_object() || !finding.contains("kind") || !finding["kind"].is_string()) return "?";
  std::string text = finding["kind"];
  if (!finding.contains("location") || !finding["location"].is_object()) return text;
  const Json& at = finding["location"];
  if (!at.contains("file") || !at["file"].is_string() || !at.contains("line") || !at["line"].is_number_unsigned()) return text;
  const SourceFrame frame{.file = at["file"], .line = at["line"].get<unsigned>()};
  return frame.file.empty() ? text : text + " at " + text_of(frame);
}

bool has_thread(const PathList& list, const std::string& name) {
  return std::ranges::any_of(list.paths, [&](const ListedPath& path) {
    return std::ranges::any_of(path.threads, [&](const ThreadWay& way) { return way.thread == name; });
  });
}

Result<std::string> shown(const std::string& path, const PathTreeShown& how) {
  std::error_code error;
  const bool is_folder = fs::is_directory(path, error);
  const std::string file = is_folder ? (fs::path(path) / kept_result).string() : path;
  if (is_folder && !fs::exists(file, error))
    return Problem{fmt::format("there is no {} in {}", kept_result, path), "`treadle check --strategy mpc --keep DIR` makes it"};
  const auto text = read_file(file);
  if (!text) return text.problem();
  const Json json = Json::parse(*text, nullptr, false);
  if (!json.is_object() || !json.contains("version") || !json.contains("findings") || !json["findings"].is_array())
    return Problem{fmt::format("{} is not a result of `treadle check --json`", file), "give that, or the folder of --keep"};
  if (json["version"] != json_version) return Problem{fmt::format("{} was written by another version of Treadle", file), ""};
  if (!json.contains("path_list") || json["path_list"].is_null())
    return Problem{fmt::format("{} has no paths in it", file), "they come from `treadle check --strategy mpc --json FILE`"};
  const auto list = path_list_in(json["path_list"]);
  if (!list) return Problem{fmt::format("the paths in {} do not make sense", file), "write it again with `treadle check --json`"};
  if (!how.thread.empty() && !has_thread(*list, how.thread))
    return Problem{fmt::format("there is no thread {}", how.thread), "the first one is called 0, those that it creates 0.1, 0.2, …"};
  std::vector<std::string> findings;
  for (const Json& finding : json["findings"]) findings.push_back(called(finding));
  return paths_text(*list, findings, how);
}

}  // namespace

int show_paths(const Options& options) {
  for (const std::string& path : options.files) {
    const auto text = shown(path, options.tree);
    if (!text) return could_not(text.problem());
    fmt::print("{}", *text);
  }
  return 0;
}

}  // namespace treadle
