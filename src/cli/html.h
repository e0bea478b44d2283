// SPDX-License-Identifier: Apache-2.0
// `--html FILE`: runs each finding's witness once more, with everything recorded, and writes the page.
#pragma once

#include <span>
#include <string>

#include "explore/ledger.h"

namespace treadle {

struct HtmlPage {
  std::string file;
  std::string program;
  std::string result;          // JSON of the search, or empty
  std::string replay_options;  // what a replay must be told besides the witness: " --leaks"
};

/// `runner` may be null when there are no findings.
Result<Done> write_html(const HtmlPage& page, std::span<const Found> findings, Runner* runner, const Symbols& symbols, bool leaks);

}  // namespace treadle
