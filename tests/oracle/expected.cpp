// SPDX-License-Identifier: Apache-2.0
#include "expected.h"

#include "classes.h"
#include "emit_c.h"
#include "interpret.h"

namespace oracle {

nlohmann::json expected_json(const Case& one) {
  nlohmann::json result{{"name", one.name}, {"text", emit_c(one.program)}};
  const auto classes = [&one](Model model, bool plain_is_visible) {
    const Classes counted = count_classes(one.program, {model, plain_is_visible});
    return nlohmann::json{
        {"completed", counted.completed}, {"stuck", counted.stuck}, {"failed", counted.failed}, {"complete", counted.complete}};
  };
  result["classes"] = {{"explore", classes(Model::Sc, true)}, {"stop", classes(Model::Sc, false)}};
  for (const Model model : kModels) {
    const Interpretation all = interpret(one.program, model);
    nlohmann::json outcomes = nlohmann::json::array();
    for (const Outcome& outcome : all.outcomes) outcomes.push_back(named(one.program, outcome));
    result[text_of(model)] = {{"outcomes", outcomes},         {"deadlock", all.deadlocks},       {"assertion", all.fails},
                              {"executions", all.executions}, {"classes", classes(model, true)}, {"complete", all.complete}};
  }
  return result;
}

nlohmann::json expected_json(std::span<const Case> cases) {
  nlohmann::json result = nlohmann::json::array();
  for (const Case& one : cases) result.push_back(expected_json(one));
  return {{"version", 1}, {"programs", result}};
}

}  // namespace oracle
