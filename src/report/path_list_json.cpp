// SPDX-License-Identifier: Apache-2.0
#include "report/path_list_json.h"

#include "report/json_parts.h"

namespace treadle {
namespace {

using Json = nlohmann::ordered_json;

constexpr TurnKind kinds[] = {TurnKind::Branch, TurnKind::Pin, TurnKind::Check, TurnKind::Assume, TurnKind::Result};

Json json_part(const PathTurn& turn) {
  return {{"kind", text_of(turn.kind)},
          {"place", treadle::json_part(turn.where)},
          {"way", turn.way},
          {"condition", turn.condition},
          {"guards", turn.guards}};
}

Json json_part(const ListedPath& path) {
  Json threads = Json::array();
  for (const ThreadWay& way : path.threads) threads.push_back({{"thread", way.thread}, {"turns", way.turns}});
  return {{"threads", threads},        {"inputs", treadle::json_part(path.inputs)},
          {"ended", path.ended},       {"counts", path.counts},
          {"findings", path.findings}, {"witness", path.witness.empty() ? Json(nullptr) : Json(path.witness)}};
}

std::string text_in(const Json& json, const char* key) {
  return json.contains(key) && json[key].is_string() ? json[key].get<std::string>() : std::string();
}

bool flag_in(const Json& json, const char* key) { return json.contains(key) && json[key].is_boolean() && json[key].get<bool>(); }

unsigned number_in(const Json& json, const char* key) {
  return json.contains(key) && json[key].is_number_unsigned() ? json[key].get<unsigned>() : 0;
}

std::optional<std::vector<std::uint32_t>> numbers_in(const Json& json, const char* key) {
  if (!json.contains(key) || !json[key].is_array()) return std::nullopt;
  std::vector<std::uint32_t> numbers;
  for (const Json& one : json[key]) {
    if (!one.is_number_unsigned()) return std::nullopt;
    numbers.push_back(one.get<std::uint32_t>());
  }
  return numbers;
}

std::optional<PathTurn> turn_in(const Json& json) {
  if (!json.is_object() || !json.contains("place") || !json["place"].is_object()) return std::nullopt;
  PathTurn turn;
  const std::string kind = text_in(json, "kind");
  for (const TurnKind known : kinds)
    if (kind == text_of(known)) turn.kind = known;
  const Json& place = json["place"];
  turn.where = {text_in(place, "function"), text_in(place, "file"), number_in(place, "line"), number_in(place, "column")};
  turn.way = text_in(json, "way");
  turn.condition = text_in(json, "condition");
  turn.guards = flag_in(json, "guards");
  return turn;
}

std::optional<ListedPath> path_in(const Json& json, std::size_t turns) {
  if (!json.is_object() || !json.contains("threads") || !json["threads"].is_array()) return std::nullopt;
  ListedPath path;
  for (const Json& one : json["threads"]) {
    auto numbers = one.is_object() ? numbers_in(one, "turns") : std::nullopt;
    if (!numbers || std::ranges::any_of(*numbers, [&](std::uint32_t turn) { return turn >= turns; })) return std::nullopt;
    path.threads.push_back({text_in(one, "thread"), std::move(*numbers)});
  }
  if (json.contains("inputs") && json["inputs"].is_array())
    for (const Json& one : json["inputs"])
      if (one.is_object() && one.contains("value") && one["value"].is_number_integer())
        path.inputs.push_back({text_in(one, "thread"), text_in(one, "name"), one["value"].get<std::int64_t>()});
  path.ended = text_in(json, "ended");
  path.counts = flag_in(json, "counts");
  path.findings = numbers_in(json, "findings").value_or(std::vector<std::uint32_t>{});
  path.witness = text_in(json, "witness");
  return path;
}

}  // namespace

Json json_part(const PathList& list) {
  Json turns = Json::array(), paths = Json::array();
  for (const PathTurn& turn : list.turns) turns.push_back(json_part(turn));
  for (const ListedPath& path : list.paths) paths.push_back(json_part(path));
  return {{"turns", turns}, {"paths", paths}, {"left_out", list.left_out}};
}

std::optional<PathList> path_list_in(const Json& json) {
  if (!json.is_object() || !json.contains("turns") || !json["turns"].is_array() || !json.contains("paths") || !json["paths"].is_array())
    return std::nullopt;
  PathList list;
  for (const Json& one : json["turns"]) {
    auto turn = turn_in(one);
    if (!turn) return std::nullopt;
    list.turns.push_back(std::move(*turn));
  }
  for (const Json& one : json["paths"]) {
    auto path = path_in(one, list.turns.size());
    if (!path) return std::nullopt;
    list.paths.push_back(std::move(*path));
  }
  list.left_out = number_in(json, "left_out");
  return list;
}

}  // namespace treadle
