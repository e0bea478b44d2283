// SPDX-License-Identifier: Apache-2.0
#include "report/predict_json.h"

#include "finding/verdict.h"
#include "report/json.h"
#include "report/json_parts.h"
#include "report/result.h"

namespace treadle {
namespace {

using Json = nlohmann::ordered_json;

Json order_of(const Story& story) {
  Json lines = Json::array();
  for (const StoryLine& line : story.lines)
    lines.push_back({{"thread", line.thread}, {"does", line.text}, {"from", line.from}, {"place", line.place}, {"key", line.key}});
  return lines;
}

Json json_of(const Foretold& foretold) {
  Json json = json_part(foretold.found.finding);
  json["predicted"] = foretold.orders.has_value();
  if (foretold.orders) json["orders"] = {{"passing", order_of(foretold.orders->passing)}, {"failing", order_of(foretold.orders->failing)}};
  return json;
}

Json json_of(const Unconfirmed& one) {
  return {
      {"kind", text_of(one.kind)}, {"message", one.message}, {"why", one.why}, {"location", json_part(one.location)}, {"confirmed", false}};
}

Json json_of(const Coverage& coverage) {
  return {{"complete", coverage.complete},
          {"context_bound", coverage.context_bound == 0 ? Json(nullptr) : Json(coverage.context_bound)},
          {"questions", coverage.questions},
          {"unanswered", coverage.unanswered},
          {"limits", coverage.limits}};
}

Json json_of(const TripleCounts& counts) {
  return {{"candidates", counts.all},
          {"after_happens_before", counts.happens_before},
          {"after_locks", counts.locks},
          {"real", counts.real},
          {"left_out", counts.left_out}};
}

Json predictions_of(const PredictResult& result) {
  Json coverage = Json::object();
  for (const auto& [kind, one] : result.coverage) coverage[text_of(kind)] = json_of(one);
  const PredictStatistics& numbers = result.statistics;
  return {{"causal_model", text_of(result.causal)},
          {"note", result.note},
          {"events", numbers.events},
          {"units", numbers.units},
          {"coverage", coverage},
          {"made", result.predictions},
          {"race_candidates", numbers.race_groups},
          {"lock_rings", numbers.ring_groups},
          {"regions", numbers.regions},
          {"atomicity", json_of(numbers.triples)},
          {"seconds", result.seconds_predicting}};
}

template <class List>
Json list_of(const List& list) {
  Json all = Json::array();
  for (const auto& one : list) all.push_back(json_of(one));
  return all;
}

}  // namespace

std::string json_of(const PredictResult& result) {
  return dumped({{"version", json_version},
                 {"program", result.program},
                 {"verdict", text_of(result.verdict.kind)},
                 {"covers", result.verdict.covers},
                 {"model", text_of(result.model)},
                 {"carrier", result.carrier},
                 {"executions", result.executions},
                 {"seconds", result.seconds},
                 {"solver", {{"queries", result.statistics.queries}, {"constraints", result.statistics.constraints}}},
                 {"predictions", predictions_of(result)},
                 {"findings", list_of(result.findings)},
                 {"unconfirmed", list_of(result.unconfirmed)}});
}

}  // namespace treadle
