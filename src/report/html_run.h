// SPDX-License-Identifier: Apache-2.0
// One execution as the HTML report reads it.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "finding/finding.h"
#include "finding/symbols.h"

namespace treadle {

/// A run longer than this is shown in part: what leads to the end, or to the last event that the finding names.
inline constexpr std::uint64_t html_most_events = 250'000;

struct HtmlRun {
  nlohmann::ordered_json json;
  std::vector<std::int64_t> part_events;  // for each part of the finding: its event in the run, or -1
};

/// `file_number` gives the number of a frame's source file in the document, or -1.
HtmlRun html_run(const Finding& finding, const Trace& trace, const Symbols& symbols,
                 const std::function<int(const SourceFrame&)>& file_number);

}  // namespace treadle
