// SPDX-License-Identifier: Apache-2.0
#include "explore/guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <tuple>

#include "finding/verdict.h"
#include "trace/dead_memory.h"
#include "trace/text.h"

namespace treadle {
namespace {

constexpr std::uint64_t handful = 8;

bool names_a_text(const Event& event) { return event.kind == TREADLE_EV_OBSERVE || event.kind == TREADLE_EV_INPUT; }

bool same_event(const Event& a, const Trace& of_a, const Event& b, const Trace& of_b) {
  if (std::tie(a.kind, a.thread, a.size, a.order, a.step, a.pc, a.value) !=
      std::tie(b.kind, b.thread, b.size, b.order, b.step, b.pc, b.value))
    return false;
  if (a.extra != b.extra && !may_overwrite_garbage(a)) return false;
  return names_a_text(a) ? of_a.texts[a.address] == of_b.texts[b.address] : a.address == b.address;
}

bool same_end(const HowItEnded& a, const HowItEnded& b) {
  return std::tie(a.ending, a.thread, a.detail, a.address, a.extra, a.pc, a.text) ==
         std::tie(b.ending, b.thread, b.detail, b.address, b.extra, b.pc, b.text);
}

std::string in_words(const Trace& trace, std::size_t number, const Symbols& symbols) {
  if (number >= trace.events.size()) return fmt::format("the end of the execution ({})", text_of(trace.end.ending));
  const EventText text = describe(trace, number, Names(trace, &symbols), &symbols);
  std::string words = fmt::format("\"{}", text.operation);
  for (const std::string& part : {text.object, text.value})
    if (!part.empty()) words += " " + part;
  words += fmt::format("\" by thread {}", text.thread);
  return text.place.empty() ? words : words + " at " + text.place;
}

Part part_of(const Trace& trace, std::size_t number, const char* which, const Symbols& symbols) {
  Part part;
  part.does = fmt::format("{} run: {}", which, in_words(trace, number, symbols));
  part.event = number < trace.events.size() ? number : UINT64_MAX;
  const ThreadId thread = number < trace.events.size() ? ThreadId{trace.events[number].thread} : trace.end.thread;
  part.thread = name_of(thread, trace.threads);
  const std::uint64_t pc = number < trace.events.size() ? trace.events[number].pc : trace.end.pc;
  if (pc) part.where.frames = symbols.frames_at(pc);
  return part;
}

}  // namespace

std::optional<std::size_t> first_difference(const Trace& first, const Trace& second) {
  const std::size_t common = std::min(first.events.size(), second.events.size());
  for (std::size_t i = 0; i < common; ++i)
    if (!same_event(first.events[i], first, second.events[i], second)) return i;
  const bool same = first.events.size() == second.events.size() && same_end(first.end, second.end) &&
                    first.plain_hash == second.plain_hash && decisions_of(first) == decisions_of(second);
  return same ? std::nullopt : std::optional(common);
}

Finding finding_of(const Difference& difference, const Symbols& symbols) {
  const auto& [schedule, first, second, event] = difference;
  Finding finding;
  finding.kind = FindingKind::Nondeterminism;
  finding.parts = {part_of(first, event, "first", symbols), part_of(second, event, "second", symbols)};
  const bool ends_agree = event >= first.events.size() && event >= second.events.size() && same_end(first.end, second.end);
  finding.message = ends_agree ? "two runs of the same schedule make the same visible steps but access memory differently"
                               : fmt::format("two runs of the same schedule differ first in event {}: {} in one, {} in the other", event,
                                             in_words(first, event, symbols), in_words(second, event, symbols));
  for (const Part& part : finding.parts)
    if (finding.location.file.empty()) finding.location = user_frame(part.where);
  finding.fingerprint = fmt::format("nondeterminism {}", text_of(finding.location));
  finding.witness.schedule = schedule;
  finding.confirmed = true;  // both runs were real
  return finding;
}

Result<std::optional<Difference>> compare_two_runs(const Schedule& schedule, Recording recording, Runner& program) {
  recording.plain = true;
  std::vector<Trace> detailed;
  if (auto ran = program.run_batch({schedule, schedule}, recording, detailed); !ran) return ran.problem();
  const auto event = first_difference(detailed[0], detailed[1]);
  if (!event) return std::optional<Difference>{};
  return std::optional(Difference{schedule, std::move(detailed[0]), std::move(detailed[1]), *event});
}

bool Guard::is_due_at(std::uint64_t execution) const {
  return execution < every_ ? std::has_single_bit(execution) : execution % every_ == 0;
}

/// Which of a batch to repeat. What does not end regularly may end differently.
std::vector<std::size_t> Guard::due(const std::vector<Trace>& traces) {
  std::vector<std::size_t> due;
  if (every_ == 0 || found_) return due;
  const auto add = [&](std::size_t i) {
    if (is_regular_end(traces[i].end.ending)) due.push_back(i);
  };
  const bool one_by_one = executions_ / handful < every_ || traces.size() < handful;
  if (!one_by_one && (since_handful_ += traces.size()) / handful >= every_) {
    since_handful_ -= handful * every_;
    for (std::size_t n = 0; n < handful; ++n) add(n * traces.size() / handful);
  }
  for (std::size_t i = 0; i < traces.size(); ++i)
    if (++executions_; one_by_one && is_due_at(executions_)) add(i);
  return due;
}

Result<Done> Guard::run(const Schedule& schedule, const Recording& recording, Trace& out) {
  std::vector<Trace> one(1);
  std::swap(one.front(), out);  // lends its memory
  auto ran = run_batch({schedule}, recording, one);
  std::swap(one.front(), out);
  return ran;
}

Result<Done> Guard::run_batch(const std::vector<Schedule>& schedules, const Recording& recording, std::vector<Trace>& out) {
  if (auto ran = program_.run_batch(schedules, recording, out); !ran) return ran;
  const auto to_repeat = due(out);
  return to_repeat.empty() ? Done{} : repeat(schedules, to_repeat, recording, out);
}

Result<Done> Guard::repeat(const std::vector<Schedule>& schedules, const std::vector<std::size_t>& due, const Recording& recording,
                           const std::vector<Trace>& traces) {
  // By its exact decisions, all of them a prefix now.
  Recording exact = recording;
  exact.spins_block = exact.spins_stop = false;
  std::vector<Schedule> same;
  for (const std::size_t i : due) same.push_back(exactly(schedules[i], traces[i]));
  if (auto ran = program_.run_batch(same, exact, again_); !ran) return ran;
  for (std::size_t i = 0; i < due.size() && !found_; ++i)
    if (first_difference(traces[due[i]], again_[i]))
      if (auto looked = look_closer(same[i], exact, traces[due[i]], again_[i]); !looked) return looked;
  return Done{};
}

/// Once more, twice, with every access recorded: the first difference is then where it begins. If it does not show again, the two
/// runs that did differ must do.
Result<Done> Guard::look_closer(const Schedule& schedule, const Recording& recording, const Trace& first, const Trace& second) {
  auto difference = compare_two_runs(schedule, recording, program_);
  if (!difference) return difference.problem();
  found_ = *difference ? std::move(*difference) : Difference{schedule, first, second, *first_difference(first, second)};
  return Done{};
}

std::optional<Difference> Guard::take() {
  auto taken = std::move(found_);
  if (taken) every_ = 0;
  found_.reset();
  return taken;
}

}  // namespace treadle
