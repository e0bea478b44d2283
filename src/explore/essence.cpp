// SPDX-License-Identifier: Apache-2.0
#include "explore/essence.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "trace/text.h"

namespace treadle {
namespace {

// More steps of one thread in a row than any of our blocks has.
constexpr std::size_t longest_block = 10'000;

std::string function_at(std::uint64_t pc, const Symbols& symbols) { return user_frame(symbols.resolve({&pc, 1})).function; }

/// Counts a thread's operations by function and kind.
class Counter {
 public:
  Counter(const Trace& trace, const Symbols& symbols, Races races) : trace_(trace), symbols_(symbols), races_(races) {}

  /// Nothing: no operation that could be named.
  std::optional<EssentialStep> count(const Event& event) {
    const auto kind = static_cast<EventKind>(event.kind);
    if (!is_visible(kind, races_) || kind == TREADLE_EV_FLUSH) return std::nullopt;
    EssentialStep step{name_of(ThreadId{event.thread}, trace_.threads), function_at(event.pc, symbols_), text_of(kind), 0};
    step.occurrence = ++seen_[{event.thread, step.function, step.operation}];
    return step;
  }

 private:
  const Trace& trace_;
  const Symbols& symbols_;
  Races races_;
  std::map<std::tuple<unsigned, std::string, std::string>, std::uint32_t> seen_;
};

std::vector<std::string> functions_of(const Finding& finding) {
  std::vector<std::string> all;
  for (const Part& part : finding.parts) all.push_back(user_frame(part.where).function);
  std::ranges::sort(all);
  return all;
}

std::optional<ThreadId> thread_called(const std::string& name, const std::vector<ThreadName>& threads) {
  for (std::size_t i = 0; i < threads.size(); ++i)
    if (name_of(static_cast<ThreadId>(i), threads) == name) return static_cast<ThreadId>(i);
  return std::nullopt;
}

/// How many decisions lead to where `step` has been made, or else as far as the thread goes beyond the first `from`.
std::size_t end_of(const EssentialStep& step, const Trace& trace, std::size_t from, ThreadId thread, const Symbols& symbols, Races races) {
  Counter counter(trace, symbols, races);
  std::size_t furthest = from;
  for (const Event& event : trace.events) {
    if (event.step >= from && event.thread != index_of(thread)) break;
    if (event.step >= from) furthest = std::size_t{event.step} + 1;
    if (const auto made = counter.count(event); made && event.step >= from && *made == step) return furthest;
  }
  return furthest;
}

}  // namespace

Essence essence_of(const Trace& trace, const Finding& finding, const Symbols& symbols, Races races) {
  Essence essence{text_of(finding.kind), finding.location.function, functions_of(finding), {}};
  Counter counter(trace, symbols, races);
  for (const Event& event : trace.events) {
    const auto step = counter.count(event);
    if (!step) continue;
    if (!essence.steps.empty() && essence.steps.back().thread == step->thread)
      essence.steps.back() = *step;
    else
      essence.steps.push_back(*step);
  }
  return essence;
}

bool is_same_failure(const Finding& finding, const Essence& essence) {
  return text_of(finding.kind) == essence.kind &&
         (functions_of(finding) == essence.functions || finding.location.function == essence.function);
}

Result<Schedule> follow(const Essence& essence, const Schedule& common, Runner& program, const Symbols& symbols) {
  Schedule schedule = common;
  schedule.prefix.clear();
  schedule.policy = Policy::Continue;
  Trace trace;
  for (const EssentialStep& step : essence.steps) {
    // Who is called what is known once they have been created.
    if (auto ran = program.run(schedule, {}, trace); !ran) return ran.problem();
    schedule.threads = trace.threads;
    const auto thread = thread_called(step.thread, trace.threads);
    if (!thread) continue;
    Schedule ahead = schedule;
    ahead.prefix.insert(ahead.prefix.end(), longest_block, {DecisionKind::Any, *thread, 0});
    if (auto ran = program.run(ahead, {}, trace); !ran) return ran.problem();
    const std::size_t from = schedule.prefix.size();
    const std::size_t end = end_of(step, trace, from, *thread, symbols, common.races);
    for (std::size_t i = from; i < end && i < trace.choices.size(); ++i) schedule.prefix.push_back(trace.choices[i].taken);
  }
  return schedule;
}

}  // namespace treadle
