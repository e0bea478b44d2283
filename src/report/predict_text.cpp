// SPDX-License-Identifier: Apache-2.0
#include "report/predict_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "finding/verdict.h"

namespace treadle {
namespace {

/// Columns of a terminal: a character takes one, however many bytes it has.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string cut_to(const std::string& text, std::size_t width) {
  if (width_of(text) <= width) return text;
  std::size_t bytes = 0, columns = 0;
  while (bytes < text.size()) {
    if ((text[bytes] & 0xc0) != 0x80 && ++columns == width) break;
    ++bytes;
  }
  return text.substr(0, bytes) + "…";
}

std::string padded(const std::string& text, std::size_t width) { return text + std::string(width - std::min(width, width_of(text)), ' '); }

/// "> 0.1    read x = 1  bank.c:12", a thread's lines further to the right than those of threads that came before it.
std::string line_of(const StoryLine& line, const std::vector<std::string>& threads, std::size_t width) {
  const auto column = static_cast<std::size_t>(std::ranges::find(threads, line.thread) - threads.begin());
  const std::size_t indent = std::min<std::size_t>(2 * column, width / 4);
  const std::string head = fmt::format("{} {}{} ", line.key ? ">" : " ", std::string(indent, ' '), line.thread);
  const std::size_t room = width - std::min(width, width_of(head) + width_of(line.place) + 1);
  return cut_to(
      padded(head + cut_to(line.text, std::max<std::size_t>(room, 8)), width - std::min(width, width_of(line.place))) + line.place, width);
}

std::string counted(std::uint64_t count, const char* what) { return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s"); }

std::string paint(const char* code, const std::string& text, const TextStyle& style) {
  return style.colour ? fmt::format("\033[{}m{}\033[0m", code, text) : text;
}

std::string verdict_line(const PredictResult& result, const TextStyle& style) {
  switch (result.verdict.kind) {
    case VerdictKind::Bugs:
      return paint("1;31", "bugs: " + counted(result.findings.size(), "finding"), style);
    case VerdictKind::Clean:
      return paint("1;32", "clean: no failure is implied", style);
    case VerdictKind::Incomplete:
      return paint("1;33", "incomplete: nothing was seen to fail", style);
  }
  return "";
}

std::string atomicity_of(const PredictResult& result) {
  const TripleCounts& counts = result.statistics.triples;
  if (!result.coverage.contains(PredictionKind::Atomicity) || result.statistics.regions == 0) return "";
  return fmt::format("  atomicity   {}, {}; {} left by creation and joining, {} by locks, {} real\n",
                     counted(result.statistics.regions, "region"), counted(counts.all, "unserialisable triple"), counts.happens_before,
                     counts.locks, counts.real);
}

std::string summary(const PredictResult& result, const TextStyle& style) {
  std::string text = verdict_line(result, style) + "\n";
  text += fmt::format("  covers      {}\n", result.verdict.covers);
  std::uint64_t questions = 0;
  for (const auto& [kind, coverage] : result.coverage) questions += coverage.questions;
  text += fmt::format("  asked       {} in {:.2f} s, {}, {} in {:.2f} s in all, carrier {}\n", counted(questions, "question"),
                      result.seconds_predicting, counted(result.predictions, "prediction"), counted(result.executions, "execution"),
                      result.seconds, result.carrier);
  text += atomicity_of(result);
  if (!result.note.empty()) text += fmt::format("  note        {}\n", result.note);
  if (!result.why_fork.empty()) text += fmt::format("  slower      a fork for each execution, because {}\n", result.why_fork);
  return text;
}

/// The orders take the place of the steps, which would tell the same again.
std::string finding_of(const Foretold& foretold, const TextStyle& style, const std::string& replay_options) {
  if (!foretold.orders) return text_of(foretold.found, style, replay_options) + "\n";
  Found without_steps = foretold.found;
  without_steps.story = {};
  const std::string text = text_of(without_steps, style, replay_options);
  const std::size_t parts = text.find("\n\n");
  return text.substr(0, parts) + "\n\n" + side_by_side(*foretold.orders, style) + text.substr(std::min(parts + 1, text.size())) + "\n";
}

}  // namespace

std::string side_by_side(const TwoOrders& orders, const TextStyle& style) {
  const std::size_t width = (std::max(style.width, 60u) - 8) / 2;
  std::vector<std::string> threads = orders.passing.threads;
  for (const std::string& thread : orders.failing.threads)
    if (std::ranges::find(threads, thread) == threads.end()) threads.push_back(thread);
  std::ranges::sort(threads);
  std::string text = fmt::format("    {}    {}\n", paint("2", padded("  as it was run", width), style), paint("2", "  as it fails", style));
  const auto line = [&](const Story& story, std::size_t i) {
    return padded(i < story.lines.size() ? line_of(story.lines[i], threads, width) : "", width);
  };
  for (std::size_t i = 0; i < std::max(orders.passing.lines.size(), orders.failing.lines.size()); ++i) {
    std::string both = fmt::format("    {}    {}", line(orders.passing, i), line(orders.failing, i));
    both.erase(both.find_last_not_of(' ') + 1);
    text += both + "\n";
  }
  return text;
}

std::string text_report(const PredictResult& result, const TextStyle& style) {
  std::string text;
  std::size_t number = 0;
  for (const Foretold& foretold : result.findings)
    text += fmt::format("{}. {}", ++number, finding_of(foretold, style, result.replay_options));
  if (!result.unconfirmed.empty()) {
    text += paint("1;33", "unconfirmed", style) + ": thought to be possible, but not seen\n";
    for (const Unconfirmed& one : result.unconfirmed) text += fmt::format("  {}: {} ({})\n", text_of(one.kind), one.message, one.why);
    text += "\n";
  }
  return text + summary(result, style);
}

}  // namespace treadle
