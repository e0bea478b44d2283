// SPDX-License-Identifier: Apache-2.0
// A program full of tests, checked test by test: each is a subject of its own, and each has a result.
#pragma once

#include <string>
#include <vector>

#include "report/result.h"
#include "report/text.h"

namespace treadle {

struct TestResult {
  std::string name;
  CheckResult result;
};

struct TestsResult {
  std::string program, subject, folder;  // as in CheckResult
  std::string framework;                 // "GoogleTest", "listed"
  std::vector<TestResult> tests;
  std::string replay_options;
};

/// All of them as one search, for what knows of one only: findings say in their messages which test they are of.
CheckResult put_together(const TestsResult& all);

std::string text_report(const TestsResult& all, const TextStyle& style);
std::string json_of(const TestsResult& all);
std::string junit_of(const TestsResult& all);
std::string sarif_of(const TestsResult& all);

}  // namespace treadle
