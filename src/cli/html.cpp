// SPDX-License-Identifier: Apache-2.0
#include "cli/html.h"

#include <filesystem>

#include "base/atomic_file.h"
#include "explore/confirm.h"
#include "report/html.h"
#include "report/html_model.h"
#include "report/result.h"

namespace treadle {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t largest_source = 1 << 20;

/// The finding, with its events counted in `trace`.
Result<Finding> seen_again(const Finding& finding, Runner& runner, const Symbols& symbols, bool leaks, Trace& trace) {
  // Runs that differ cannot confirm each other; what violates a region's atomicity is no failure of the run.
  if (finding.kind == FindingKind::Nondeterminism || finding.kind == FindingKind::Atomicity) {
    Recording recording;
    recording.plain = true;
    if (auto ran = runner.run(finding.witness.schedule, recording, trace); !ran) return ran.problem();
    return finding;
  }
  auto confirmed = confirm(finding, finding.witness.schedule, runner, symbols, leaks, trace);
  if (!confirmed) return confirmed.problem();
  confirmed->witness_file = finding.witness_file;
  return confirmed;
}

}  // namespace

HtmlReport::HtmlReport(HtmlPage page) : page_(std::move(page)) {}
HtmlReport::~HtmlReport() = default;

HtmlModel& HtmlReport::model(const Symbols& symbols) {
  if (model_) return *model_;
  std::error_code error;
  const auto built = fs::last_write_time(page_.program, error);
  model_ = std::make_unique<HtmlModel>(page_.program, symbols, [built](const std::string& path) -> HtmlModel::SourceText {
    auto text = read_file(path, largest_source);
    if (!text) return {};
    std::error_code unknown;
    return {*text, fs::last_write_time(path, unknown) > built};
  });
  return *model_;
}

Result<Done> HtmlReport::add(std::span<const Found> findings, Runner& runner, const Symbols& symbols, bool leaks) {
  for (const Found& found : findings) {
    Trace trace;
    const auto shown = seen_again(found.finding, runner, symbols, leaks, trace);
    if (!shown) return shown.problem();
    model(symbols).add(*shown, trace, replay_command(*shown, page_.replay_options));
  }
  return Done{};
}

Result<Done> HtmlReport::write() {
  if (!model_) nothing_ = Symbols::of_objects({});
  HtmlModel& shown = model_ ? *model_ : model(*nothing_);
  return write_file_atomically(page_.file, html_page(shown.finish(page_.result)));
}

Result<Done> write_html(const HtmlPage& page, std::span<const Found> findings, Runner* runner, const Symbols& symbols, bool leaks) {
  HtmlReport report(page);
  if (runner)
    if (auto added = report.add(findings, *runner, symbols, leaks); !added) return added;
  return report.write();
}

}  // namespace treadle
