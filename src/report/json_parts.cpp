// SPDX-License-Identifier: Apache-2.0
#include "report/json_parts.h"

namespace treadle {

using Json = nlohmann::ordered_json;

Json json_part(const SourceFrame& frame) {
  return {{"function", frame.function}, {"file", frame.file}, {"line", frame.line}, {"column", frame.column}};
}

static Json json_part(const Part& part) {
  Json stack = Json::array();
  for (const SourceFrame& frame : part.where.frames) stack.push_back(json_part(frame));
  return {{"thread", part.thread}, {"does", part.does}, {"also", part.also}, {"stack", stack}};
}

Json json_part(const std::vector<InputValue>& inputs) {
  Json all = Json::array();
  for (const InputValue& input : inputs) all.push_back({{"thread", input.thread}, {"name", input.name}, {"value", input.value}});
  return all;
}

Json json_part(const Finding& finding) {
  Json threads = Json::array();
  for (const Part& part : finding.parts) threads.push_back(json_part(part));
  return {{"kind", text_of(finding.kind)},
          {"message", finding.message},
          {"location", json_part(finding.location)},
          {"threads", threads},
          {"witness", finding.witness_file.empty() ? Json(nullptr) : Json(finding.witness_file)},
          {"confirmed", finding.confirmed},
          {"fingerprint", finding.fingerprint},
          {"execution", finding.execution},
          {"inputs", json_part(finding.inputs)}};
}

nlohmann::ordered_json json_part(const std::set<Outcome>& outcomes) {
  Json all = Json::array();
  for (const Outcome& outcome : outcomes) {
    Json one = Json::object();
    for (const auto& [name, value] : outcome) one[name] = value;
    all.push_back(one);
  }
  return all;
}

std::string dumped(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

}  // namespace treadle
