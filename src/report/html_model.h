// SPDX-License-Identifier: Apache-2.0
// What the HTML report shows, as JSON: one document for the page (version, result, findings, sources) and one for each execution, which
// the page reads only when it is looked at. Pure: the same findings, traces and sources give the same text.
//
// The execution is written in columns, so that 100,000 events take a few megabytes. Event numbers count from the first event shown. The
// reader, with a type for each field, is web/document.ts; docs/html-report.md says what the fields mean.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "explore/ledger.h"
#include "finding/symbols.h"

namespace treadle {

inline constexpr int html_model_version = 1;

struct HtmlDocument {
  std::string title;
  std::string model;              // everything but the executions
  std::vector<std::string> runs;  // one execution for each finding
};

class HtmlModel {
 public:
  struct SourceText {
    std::optional<std::string> text;  // nothing: it cannot be read
    bool newer = false;               // than the program: its lines may not be those that were compiled
  };
  using ReadSource = std::function<SourceText(const std::string& path)>;

  HtmlModel(std::string program, const Symbols& symbols, ReadSource read_source)
      : program_(std::move(program)), symbols_(symbols), read_source_(std::move(read_source)) {}

  /// A finding and the execution that shows it; `trace` must be the one that the events of the finding's parts count in.
  void add(const Finding& finding, const Trace& trace, const std::string& replay_command);

  /// `result` is the JSON document of a search, or empty when there was none.
  HtmlDocument finish(const std::string& result);

 private:
  int file_number(const SourceFrame& frame);

  std::string program_;
  const Symbols& symbols_;
  ReadSource read_source_;
  std::map<std::string, int> file_numbers_;
  std::vector<std::string> files_, findings_, runs_;  // JSON
};

}  // namespace treadle
