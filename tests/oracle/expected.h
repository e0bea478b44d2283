// SPDX-License-Identifier: Apache-2.0
// What a program should do, as JSON: the file that goes beside an emitted batch.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "program.h"

namespace oracle {

/// A program with the name it is reported under.
struct Case {
  std::string name;  // "drf/17" (profile and seed), or the litmus test's
  Program program;
};

/// {"name", "text", "classes": {"explore": n, "stop": n}, "sc" | "tso" | "pso": {"outcomes": […], "deadlock", "assertion", "executions"}}
nlohmann::json expected_json(const Case& one);
nlohmann::json expected_json(std::span<const Case> cases);

}  // namespace oracle
