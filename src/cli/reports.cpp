// SPDX-License-Identifier: Apache-2.0
#include "cli/reports.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/atomic_file.h"
#include "report/json.h"
#include "report/junit.h"
#include "report/predict_formats.h"
#include "report/predict_json.h"
#include "report/predict_text.h"
#include "report/sarif.h"
#include "report/text.h"

namespace treadle {
namespace {

Result<Done> print(const std::string& text) {
  if (std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0) return Done{};
  return Problem{fmt::format("cannot write to standard output: {}", std::strerror(errno)), ""};
}

template <class What>
Result<Done> write_all(const What& result, const Options& options) {
  struct Format {
    const std::string& file;  // "-": standard output, instead of the text
    std::string (*render)(const What&);
  };
  const Format formats[] = {{options.json, json_of}, {options.sarif, sarif_of}, {options.junit, junit_of}};
  bool to_stdout = false;
  for (const Format& format : formats) {
    if (format.file.empty()) continue;
    to_stdout |= format.file == "-";
    if (auto written = format.file == "-" ? print(format.render(result)) : write_file_atomically(format.file, format.render(result));
        !written)
      return written;
  }
  return to_stdout ? Result<Done>(Done{}) : print(text_report(result, style_for(STDOUT_FILENO)));
}

}  // namespace

Result<Done> one_report_on_stdout(const Options& options) {
  if ((options.json == "-") + (options.sarif == "-") + (options.junit == "-") <= 1) return Done{};
  return Problem{"only one report can go to standard output", "give the others a file name"};
}

Result<Done> write_reports(const CheckResult& result, const Options& options) { return write_all(result, options); }
Result<Done> write_reports(const TestsResult& result, const Options& options) { return write_all(result, options); }
Result<Done> write_reports(const PredictResult& result, const Options& options) { return write_all(result, options); }

}  // namespace treadle
