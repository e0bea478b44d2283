// SPDX-License-Identifier: Apache-2.0
// `--html FILE`: runs each finding's witness once more, with everything recorded, and writes the page.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "explore/ledger.h"

namespace treadle {

class HtmlModel;

struct HtmlPage {
  std::string file;
  std::string program;
  std::string result;          // JSON of the search, or empty
  std::string replay_options;  // what a replay must be told besides the witness: " --leaks"
};

/// A page about one program, which may have been run in several ways.
class HtmlReport {
 public:
  explicit HtmlReport(HtmlPage page);
  ~HtmlReport();

  /// `symbols` must live until the page is written.
  Result<Done> add(std::span<const Found> findings, Runner& runner, const Symbols& symbols, bool leaks);
  Result<Done> write();

 private:
  HtmlModel& model(const Symbols& symbols);

  HtmlPage page_;
  std::unique_ptr<Symbols> nothing_;
  std::unique_ptr<HtmlModel> model_;
};

/// `runner` may be null when there are no findings.
Result<Done> write_html(const HtmlPage& page, std::span<const Found> findings, Runner* runner, const Symbols& symbols, bool leaks);

}  // namespace treadle
