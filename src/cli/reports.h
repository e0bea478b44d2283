// SPDX-License-Identifier: Apache-2.0
// --json, --sarif, --junit: each to its file or to standard output, and the text for those who watch.
#pragma once

#include "cli/options.h"
#include "report/predict_result.h"
#include "report/result.h"
#include "report/tests.h"

namespace treadle {

/// At most one of them may want standard output.
Result<Done> one_report_on_stdout(const Options& options);

Result<Done> write_reports(const CheckResult& result, const Options& options);
Result<Done> write_reports(const TestsResult& result, const Options& options);
Result<Done> write_reports(const PredictResult& result, const Options& options);

}  // namespace treadle
