// SPDX-License-Identifier: Apache-2.0
// Programs full of tests, as GoogleTest and Catch2 make them or as the user lists them: which tests there are, and how one of them is run
// alone.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace treadle {

/// Listed: by the user, as command lines.
enum class Framework { GoogleTest, Catch2, Listed };
const char* text_of(Framework framework);  // "GoogleTest"

/// `--tests`: ask the program, or not.
enum class Tests { Detect, Off, Wanted };

struct TestProgram {
  Framework framework{};
  std::vector<std::string> tests;  // names, in the program's order; those that the user's filter leaves
};

/// By what the file carries: symbols of the framework, or its help text. Nothing: neither.
std::optional<Framework> framework_in(std::string_view file);

/// The sections of a program that are worth looking through: most of the rest tells debuggers about it. Whatever else it is: all of it.
std::vector<std::string_view> without_debug_information(std::string_view file);

/// Asks the program for its tests, natively: with the user's arguments, hence with their filter. Nothing: it carries no framework, or does
/// not answer as a test program does, whether because it has a main function of its own or because the user asked for something else.
Result<std::optional<TestProgram>> tests_of(const std::string& program, const std::vector<std::string>& arguments);

/// A test for each line of the file, which is more of the program's command line; empty lines and those that begin with # are none.
Result<TestProgram> tests_listed_in(const std::string& file);

/// What to run it with for this test alone.
std::vector<std::string> arguments_for(Framework framework, const std::string& test, const std::vector<std::string>& arguments);

/// What the program prints when asked, as names.
std::vector<std::string> listed_by_google_test(const std::string& printed, bool with_disabled);
std::vector<std::string> listed_by_catch(const std::string& printed);

}  // namespace treadle
