// SPDX-License-Identifier: Apache-2.0
#include "report/json.h"

#include <cmath>

#include "finding/verdict.h"
#include "report/coverage_text.h"
#include "report/json_parts.h"
#include "report/path_list_json.h"

namespace treadle {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const std::vector<Found>& found) {
  Json all = Json::array();
  for (const Found& one : found) all.push_back(json_part(one.finding));
  return all;
}

Json json_of(const std::vector<PhaseReport>& phases) {
  Json all = Json::array();
  for (const PhaseReport& phase : phases)
    all.push_back({{"strategy", phase.strategy},
                   {"seconds", phase.seconds},
                   {"executions", phase.executions},
                   {"verdict", text_of(phase.verdict)},
                   {"covers", phase.covers}});
  return all;
}

const char* text_of(Estimate::By by) {
  switch (by) {
    case Estimate::By::Probes:
      return "probes";
    case Estimate::By::CorrectedProbes:
      return "corrected-probes";
    case Estimate::By::ExploredTree:
      return "explored-tree";
  }
  return "";
}

Json json_of(const std::optional<Estimate>& estimate) {
  if (!estimate) return nullptr;
  return {{"executions", estimate->executions},
          {"at_least", estimate->at_least},
          {"standard_error", std::isfinite(estimate->standard_error) ? Json(estimate->standard_error) : Json(nullptr)},
          {"probes", estimate->probes},
          {"method", text_of(estimate->by)},
          {"seconds_left", estimate->seconds_left}};
}

Json json_of(const std::vector<Sample>& samples) {
  Json all = Json::array();
  for (const Sample& sample : samples)
    all.push_back({{"seconds", sample.seconds},
                   {"executions", sample.executions},
                   {"redundant", sample.redundant},
                   {"findings", sample.findings},
                   {"estimate", sample.estimate ? Json(*sample.estimate) : Json(nullptr)}});
  return all;
}

}  // namespace

std::string json_of(const CheckResult& result) {
  const SearchResult& search = result.search;
  const double rate = search.seconds > 0 ? static_cast<double>(search.executions()) / search.seconds : 0;

  Json json = {
      {"version", json_version},
      {"program", result.program},
      {"verdict", text_of(search.verdict.kind)},
      {"covers", search.verdict.covers},
      {"strategy", result.strategy},
      {"phases", json_of(result.phases)},
      {"model", text_of(result.model)},
      {"carrier", result.carrier},
      {"executions", search.executions()},
      {"blocked", search.counts.blocked},
      {"redundant", search.counts.redundant},
      {"assumption_failed", search.tally.assumption_failed},
      {"inputs_left_open", result.inputs_left_open},
      {"paths", search.counts.paths},
      {"path_list", search.paths ? json_part(*search.paths) : Json(nullptr)},
      {"coverage", result.coverage ? json_part(*result.coverage) : Json(nullptr)},
      {"seconds", search.seconds},
      {"executions_per_second", rate},
      {"estimate", json_of(search.estimate)},
      {"progress", json_of(search.samples)},
      {"jobs", result.jobs},
      {"resumed", search.resumed},
      {"solver",
       {{"queries", search.solver.queries},
        {"seconds", search.solver.seconds},
        {"reads", search.solver.reads},
        {"constraints", search.solver.constraints}}},
      {"outcomes", json_part(search.outcomes)},
      {"findings", json_of(search.findings)},
      {"unconfirmed", json_of(search.unconfirmed)},
      {"problem", search.problem ? Json(search.problem->sentence) : Json(nullptr)},
  };
  return dumped(json);
}

}  // namespace treadle
