// SPDX-License-Identifier: Apache-2.0
#include "cli/predict_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cli/flag_values.h"

namespace treadle {
namespace {

Result<Done> set_only(Options& options, const std::string& value) {
  static const std::map<std::string, PredictionKind> names{{"assertion", PredictionKind::Assertion},
                                                           {"race", PredictionKind::DataRace},
                                                           {"data-race", PredictionKind::DataRace},
                                                           {"deadlock", PredictionKind::Deadlock},
                                                           {"atomicity", PredictionKind::Atomicity}};
  options.predict.kinds.clear();
  for (std::size_t at = 0; at <= value.size();) {
    const std::size_t end = std::min(value.find(',', at), value.size());
    PredictionKind kind{};
    if (auto chosen = choose(value.substr(at, end - at), names, kind); !chosen) return chosen;
    options.predict.kinds.push_back(kind);
    at = end + 1;
  }
  return Done{};
}

Result<Done> set_causal_model(Options& options, const std::string& value) {
  Causality kind{};
  auto chosen = choose(value, {{"symbolic", Causality::Symbolic}, {"maximal", Causality::Maximal}, {"over", Causality::Over}}, kind);
  if (chosen) options.causal = kind;
  return chosen;
}

Result<Done> set_context_bound(Options& options, const std::string& value) {
  std::uint64_t bound = 0;
  if (value != "auto")
    if (auto parsed = number(value, bound, 1, 1'000'000); !parsed) return parsed;
  options.context_bound = value;
  return Done{};
}

Result<Done> set_atomic(Options& options, const std::string& value) {
  static const std::string functions = "functions:";
  if (value == "critical-sections") return options.predict.critical_sections = true, Done{};
  if (value.starts_with(functions) && value.size() > functions.size()) {
    options.atomic_functions = value.substr(functions.size());
    return Done{};
  }
  return Problem{fmt::format("\"{}\" is not valid", value), "critical-sections or functions:PATTERN"};
}

}  // namespace

Flag atomic_flag() {
  return {
      "--atomic", "WHAT", "What to look for",
      "what is meant to be atomic besides what treadle_atomic_begin() and treadle_atomic_end() enclose. critical-sections: all of them; "
      "functions:PATTERN: functions of the sources whose names match (* stands for anything)",
      set_atomic};
}

std::vector<Flag> predict_flags() {
  return {
      atomic_flag(),
      {"--only", "KINDS", "What to look for", "assertion, race, deadlock, atomicity: one or several with commas in between (default: all)",
       set_only},
      {"--causal-model", "MODEL", "What to look for",
       "which executions the run is taken to imply. symbolic: reads may have other values as long as every branch goes the same way "
       "(default "
       "for sources); maximal: what reads have seen stays (default for programs without expressions); over: values do not matter, so that "
       "what it predicts need not be possible and is reported as unconfirmed",
       set_causal_model},
      {"--context-bound", "B", "What to look for",
       "assertions: only orders with at most B switches between threads; auto: 1, 2, 3, … until there is nothing left to bound",
       set_context_bound},
      {"--save-trace", "FILE", "Report", "write the run that was looked at; `treadle predict FILE` asks about it again",
       [](Options& o, const std::string& v) -> Result<Done> { return o.save_trace = v, Done{}; }},
  };
}

}  // namespace treadle
