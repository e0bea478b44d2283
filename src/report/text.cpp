// SPDX-License-Identifier: Apache-2.0
#include "report/text.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "explore/progress.h"
#include "finding/verdict.h"
#include "report/alike.h"
#include "report/coverage_text.h"
#include "report/readable.h"

namespace treadle {
namespace {

class Paint {
 public:
  explicit Paint(const TextStyle& style) : colour_(style.colour) {}
  std::string bold(const std::string& text) const { return wrap("1", text); }
  std::string dim(const std::string& text) const { return wrap("2", text); }
  std::string red(const std::string& text) const { return wrap("1;31", text); }
  std::string green(const std::string& text) const { return wrap("1;32", text); }
  std::string yellow(const std::string& text) const { return wrap("1;33", text); }

 private:
  std::string wrap(const char* code, const std::string& text) const {
    return colour_ && !text.empty() ? fmt::format("\033[{}m{}\033[0m", code, text) : text;
  }
  bool colour_;
};

std::string counted(std::uint64_t count, const char* what) { return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s"); }

std::string verdict_line(const SearchResult& search, const Paint& paint) {
  const std::string kind = text_of(search.verdict.kind);
  switch (search.verdict.kind) {
    case VerdictKind::Bugs:
      return paint.red(fmt::format("{}: {}", kind, counted(search.findings.size(), "finding")));
    case VerdictKind::Clean:
      return paint.green(kind + ": nothing found");
    case VerdictKind::Incomplete:
      return paint.yellow(kind + ": nothing found so far");
  }
  return kind;
}

/// Of a search that did not come to its end.
std::string what_is_left(const CheckResult& result) {
  const SearchResult& search = result.search;
  std::string text;
  if (const auto& estimate = search.estimate) {
    const double left = std::max(estimate->executions - static_cast<double>(search.executions()), 0.0);
    const std::string how = estimate->probes == 0 ? "by the shape of what was explored"
                            : estimate->at_least
                                ? fmt::format("too few of {} probes count to say more", estimate->probes)
                                : fmt::format("by {} probes, standard error {}", estimate->probes, about(estimate->standard_error));
    text += fmt::format("  remains     {} {} executions more ({}), {} at this rate\n", estimate->at_least ? "at least" : "about",
                        about(left), how, duration(estimate->seconds_left));
  }
  if (!search.can_go_on || !result.can_be_resumed) return text;
  if (!result.resume.empty()) return text + fmt::format("  go on       the same command again goes on from {}\n", result.resume);
  return text + "  go on       a search with --resume DIR keeps its state there, and the same command again goes on\n";
}

std::string summary(const CheckResult& result, const Paint& paint) {
  const SearchResult& search = result.search;
  const double rate = search.seconds > 0 ? static_cast<double>(search.executions()) / search.seconds : 0;
  std::string text = verdict_line(search, paint) + "\n";
  text += fmt::format("  covers      {}\n", search.verdict.covers);
  text += fmt::format("  executions  {} in {:.2f} s ({:.0f}/s), strategy {}, model {}, carrier {}{}\n", search.executions(), search.seconds,
                      rate, result.strategy, text_of(result.model), result.carrier,
                      result.jobs > 1 ? fmt::format(", {} workers", result.jobs) : "");
  if (result.phases.size() > 1)
    for (const PhaseReport& phase : result.phases)
      text += fmt::format("  {:<10}  {} executions in {:.1f} s: {}\n", phase.strategy, phase.executions, phase.seconds, phase.covers);
  if (search.counts.blocked) text += fmt::format("  blocked     {} more, which led nowhere new and were given up\n", search.counts.blocked);
  if (search.counts.redundant) text += fmt::format("  redundant   {} of them repeated others\n", search.counts.redundant);
  if (search.tally.assumption_failed)
    text += fmt::format("  left out    {} in which an assumption of the program did not hold\n",
                        counted(search.tally.assumption_failed, "execution"));
  const bool tried = std::ranges::any_of(result.phases, [](const PhaseReport& phase) { return phase.strategy == "mpc"; });
  if (result.inputs_left_open)
    text += tried ? "  inputs      not all that the program may be given were tried: mpc did not come to its end\n"
                  : "  inputs      each had one value only; --strategy mpc tries all that the program may be given\n";
  text += what_is_left(result);
  if (!result.why_fork.empty()) text += fmt::format("  slower      a fork for each execution, because {}\n", result.why_fork);
  return text;
}

std::string outcomes_of(const CheckResult& result, const Paint& paint) {
  const auto& outcomes = result.search.outcomes;
  std::string text = "\n" + paint.bold(counted(outcomes.size(), "distinct outcome")) + "\n";
  for (const Outcome& outcome : outcomes) {
    text += " ";
    for (const auto& [name, value] : outcome) text += fmt::format(" {}={}", name, value);
    text += outcome.empty() ? " (nothing observed)\n" : "\n";
  }
  return text;
}

std::string stack_of(const SourceStack& stack, const Paint& paint) {
  std::string text;
  for (std::size_t i = 0; i < stack.frames.size(); ++i) {
    const SourceFrame& frame = stack.frames[i];
    const std::string place = frame.file.empty() ? "" : fmt::format("{}:{}", frame.file, frame.line);
    text += fmt::format("        #{} {}{}\n", i, readable(frame.function), place.empty() ? "" : "  " + paint.dim(place));
  }
  return text;
}

std::string part_of(const Part& part, const Paint& paint) {
  std::string text = fmt::format("    {} {}\n", paint.bold("thread " + part.thread), part.does);
  if (!part.also.empty()) text += fmt::format("      {}\n", part.also);
  return text + stack_of(part.where, paint);
}

constexpr std::size_t most_inputs = 24;

std::string inputs_of(const Finding& finding) {
  std::string text = "\n    inputs:";
  for (std::size_t i = 0; i < std::min(finding.inputs.size(), most_inputs); ++i) {
    const InputValue& input = finding.inputs[i];
    text += fmt::format("{} {} = {} (thread {})", i == 0 ? "" : ",", input.name, input.value, input.thread);
  }
  if (finding.inputs.size() > most_inputs) text += fmt::format(", and {} more", finding.inputs.size() - most_inputs);
  return text + "\n";
}

}  // namespace

TextStyle style_for(int descriptor) {
  TextStyle style;
  if (!isatty(descriptor)) return style;
  const char* no_color = std::getenv("NO_COLOR");
  style.colour = !no_color || !*no_color;
  winsize window{};
  if (ioctl(descriptor, TIOCGWINSZ, &window) == 0 && window.ws_col >= 40) style.width = window.ws_col;
  return style;
}

/// A line belongs to one thread, so a column is where its text begins; it may run on to the right.
std::string columns_of(const Story& story, const TextStyle& style) {
  if (story.lines.empty()) return "";
  const Paint paint(style);
  const std::size_t columns = std::max<std::size_t>(story.threads.size(), 1);
  const std::size_t step =
      std::clamp<std::size_t>((style.width - std::min(style.width, 56u)) / std::max<std::size_t>(columns - 1, 1), 3, 22);
  const auto indent = [&](const std::string& thread) {
    const auto column = std::ranges::find(story.threads, thread) - story.threads.begin();
    return std::string(thread.empty() ? 0 : static_cast<std::size_t>(column) * step, ' ');
  };

  std::string heads = "thread";
  for (const std::string& thread : story.threads) {
    const std::size_t at = 8 + indent(thread).size();
    heads += std::string(at > heads.size() ? at - heads.size() : 1, ' ') + thread;
  }
  std::string text = "    " + paint.dim(heads) + "\n";
  for (const StoryLine& line : story.lines) {
    const std::string margin = fmt::format("          {} ", line.key ? ">" : " ") + indent(line.thread);
    if (line.elided) {
      text += margin + paint.dim(fmt::format("… {}", counted(line.elided, "more step"))) + "\n";
      continue;
    }
    text += margin + (line.key ? paint.bold(line.text) : line.text);
    if (!line.from.empty()) text += fmt::format(" ({})", line.from);
    if (!line.place.empty()) text += "  " + paint.dim(line.place);
    text += "\n";
  }
  return text;
}

std::string text_of(const Found& found, const TextStyle& style, const std::string& replay_options) {
  const Paint paint(style);
  const Finding& finding = found.finding;
  const std::string place = text_of(finding.location);
  std::string text = paint.red(text_of(finding.kind)) + (place == "??" ? "" : " at " + paint.bold(place)) + "\n";
  text += fmt::format("  {}\n", finding.message);
  if (!found.story.lines.empty()) text += "\n" + columns_of(found.story, style);
  if (!finding.inputs.empty()) text += inputs_of(finding);
  if (!finding.parts.empty()) text += "\n";
  for (const Part& part : finding.parts) text += part_of(part, paint);
  if (const std::string command = replay_command(finding, replay_options); !command.empty())
    text += fmt::format("\n  see it again: {}\n", paint.bold(command));
  return text;
}

std::string text_report(const CheckResult& result, const TextStyle& style) {
  const Paint paint(style);
  std::string text;
  std::size_t number = 0;
  Alike alike;
  for (const Found& found : result.search.findings) {
    ++number;
    switch (alike.next(found.finding)) {
      case Told::Whole:
        text += fmt::format("{}. {}\n", number, text_of(found, style, result.replay_options));
        break;
      case Told::InALine:
        text += fmt::format("{}. {}: {}\n  {}\n\n", number, paint.red(text_of(found.finding.kind)), found.finding.message,
                            replay_command(found.finding, result.replay_options));
        break;
      case Told::Counted:
        break;
    }
  }
  for (const Alike::Rest& rest : alike.rest())
    text += fmt::format("and {} more: {}. --json lists them all, each with its witness\n\n", rest.count, rest.about);
  if (!result.search.unconfirmed.empty()) {
    text += paint.yellow("unconfirmed") + ": seen once, but a replay of the same schedule did not show it again\n";
    for (const Found& found : result.search.unconfirmed)
      text += fmt::format("  {}: {}\n", text_of(found.finding.kind), found.finding.message);
    text += "\n";
  }
  text += summary(result, paint);
  if (result.with_outcomes) text += outcomes_of(result, paint);
  if (result.coverage) text += coverage_text(*result.coverage);
  return text;
}

}  // namespace treadle
