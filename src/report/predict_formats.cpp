// SPDX-License-Identifier: Apache-2.0
#include "report/predict_formats.h"

#include "report/junit.h"
#include "report/sarif.h"

namespace treadle {
namespace {

CheckResult as_search(const PredictResult& result) {
  CheckResult out;
  out.program = result.program;
  out.subject = result.subject;
  out.folder = result.folder;
  out.strategy = "predict";
  out.model = result.model;
  out.carrier = result.carrier;
  out.why_fork = result.why_fork;
  out.replay_options = result.replay_options;
  out.search.verdict = result.verdict;
  out.search.tally.executions = result.executions;
  out.search.seconds = result.seconds;
  out.search.problem = result.problem;
  for (const Foretold& foretold : result.findings) out.search.findings.push_back(foretold.found);
  return out;
}

}  // namespace

std::string sarif_of(const PredictResult& result) { return sarif_of(as_search(result)); }
std::string junit_of(const PredictResult& result) { return junit_of(as_search(result), "predict"); }

}  // namespace treadle
