// SPDX-License-Identifier: Apache-2.0
// The result of a search as JUnit XML, for what collects test results: one test case for the verdict, one more for each finding.
#pragma once

#include <string>

#include "report/result.h"

namespace treadle {

std::string junit_of(const CheckResult& result);
std::string junit_of(const CheckResult& result, const std::string& command);  // "check", "predict"

/// For XML text and attribute values: bytes that XML cannot hold are replaced.
std::string xml_escaped(const std::string& text);

}  // namespace treadle
