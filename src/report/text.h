// SPDX-License-Identifier: Apache-2.0
// The result of a search for people at a terminal.
#pragma once

#include <string>

#include "report/result.h"

namespace treadle {

struct TextStyle {
  bool colour = false;
  unsigned width = 100;
};

/// What suits the given descriptor: colour only on a terminal and when NO_COLOR is not set.
TextStyle style_for(int descriptor);

std::string text_report(const CheckResult& result, const TextStyle& style);

/// One finding: headline, sentence, the steps in a column for each thread, the threads' parts with their stacks, how to see it again.
std::string text_of(const Found& found, const TextStyle& style, const std::string& replay_options = "");

/// The steps alone.
std::string columns_of(const Story& story, const TextStyle& style);

}  // namespace treadle
