// SPDX-License-Identifier: Apache-2.0
#include "cli/hints.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "base/hash.h"
#include "explore/gaps.h"
#include "explore/interrupt.h"
#include "explore/pending_steps.h"
#include "explore/spinning_ends.h"
#include "predict/left_early.h"
#include "solve/units.h"
#include "trace/lost_signal.h"
#include "trace/marked_decisions.h"
#include "trace/plain_steps.h"

namespace treadle {
namespace {

/// The same at the same places, whenever it is predicted.
std::uint64_t key_of(const Prediction& prediction, const Trace& trace) {
  std::vector<std::uint64_t> places{prediction.pc};
  for (const std::uint32_t event : prediction.events) places.push_back(trace.events[event].pc);
  Hash hash;
  hash.add(static_cast<std::uint64_t>(prediction.kind));
  for (const auto& [thread, pc] : prediction.spinning) places.push_back(pc);
  std::ranges::sort(places);
  for (const std::uint64_t place : places) hash.add(place);
  return hash.value();
}

PredictOptions asked(const Schedule& base, std::vector<PredictionKind> kinds, Causality causality) {
  PredictOptions options;
  options.kinds = std::move(kinds);
  options.model = base.model;
  options.races = base.races;
  options.causal = causality;
  options.limit.seconds = 1;
  options.keep_asking = [] { return !Interrupt::raised(); };
  return options;
}

/// In the order that is thought to fail. Whom a signal wakes is not what it was.
std::vector<Event> synchronisation_of(const Prediction& prediction, const Schedule& base, const Trace& trace) {
  const Units units = units_of(trace, base.model, base.races);
  std::map<std::uint64_t, std::uint64_t> waiting;  // by condition variable: how many
  std::vector<Event> events;
  for (const UnitId unit : prediction.units)
    for (const std::uint32_t event : units.all[unit].syncs) {
      events.push_back(trace.events[event]);
      Event& e = events.back();
      std::uint64_t& many = waiting[e.address];
      if (e.kind == TREADLE_EV_COND_WAIT) ++many;
      if (e.kind == TREADLE_EV_COND_WOKEN && e.extra != 0 && many > 0) --many;  // without a signal
      if (!is_signal(e)) continue;
      e.value = e.kind == TREADLE_EV_COND_SIGNAL ? std::min<std::uint64_t>(many, 1) : many;
      many -= e.value;
    }
  return events;
}

/// The order of what a Schedule decides: plain accesses come with the steps before them by themselves.
void leave_out_plain_steps(Prediction& prediction, const Units& units, const Trace& trace) {
  std::vector<Decision> kept;
  auto decision = prediction.decisions.begin();
  for (const UnitId u : prediction.units)
    for (std::uint32_t i = 0; i < units.all[u].decisions.size(); ++i, ++decision)
      if (units.all[u].choice == nothing || mark_of(trace.choices[units.all[u].choice + i]) != Mark::Plain) kept.push_back(*decision);
  prediction.decisions = std::move(kept);
}

std::vector<Hint> hints_from(std::vector<Prediction> found, const Schedule& base, const Trace& trace) {
  std::vector<Hint> hints;
  for (Prediction& prediction : found) {
    Hint hint{base, key_of(prediction, trace)};
    hint.is_race = prediction.kind == PredictionKind::DataRace;
    hint.schedule.prefix = std::move(prediction.decisions);
    hint.schedule.inputs = prediction.inputs.empty() ? given_in(trace) : std::move(prediction.inputs);
    hint.schedule.threads = trace.threads;
    hint.schedule.policy = Policy::Continue;
    if (prediction.kind == PredictionKind::Deadlock) {
      const std::vector<Event> events = synchronisation_of(prediction, base, trace);
      for (const std::uint32_t event : prediction.events) {
        const Event& e = trace.events[event];
        hint.waits.insert(standing_still(events, ThreadId{e.thread}, e.pc, static_cast<EventKind>(e.kind), e.address));
      }
      for (const auto& [thread, pc] : prediction.spinning) hint.waits.insert({ThreadId{static_cast<std::uint8_t>(thread)}, pc, 0});
    }
    hints.push_back(std::move(hint));
  }
  return hints;
}

/// Was somebody besides main left behind, and nothing said about it? Then it does not matter (a program that uses the names of SV-COMP).
bool leaves_behind_unsaid(const Trace& trace) {
  const bool exits = std::ranges::any_of(trace.events, [](const Event& e) { return e.kind == TREADLE_EV_EXIT; });
  const auto runs_on = [&](const PendingOperation& p) {
    return p.state != TREADLE_THREAD_FINISHED && p.thread != trace.end.thread && p.thread != ThreadId{};
  };
  return trace.end.ending == TREADLE_END_COMPLETED && exits && std::ranges::any_of(trace.pending, runs_on) &&
         std::ranges::none_of(trace.events,
                              [](const Event& e) { return e.kind == TREADLE_EV_MISUSE && e.value == TREADLE_MISUSE_MAIN_LEFT_EARLY; });
}

/// By where the program ended and which thread it left behind.
using LeftBehind = std::set<std::pair<std::uint64_t, std::uint32_t>>;

void note_who_was_left(const Trace& trace, LeftBehind& seen) {
  for (const Event& e : trace.events)
    if (e.kind == TREADLE_EV_MISUSE && e.value == TREADLE_MISUSE_MAIN_LEFT_EARLY) seen.emplace(e.pc, static_cast<std::uint32_t>(e.extra));
}

Hint hint_from(LeftEarly prediction, const Schedule& base, const Trace& trace) {
  Hint hint{base, Hash{}.add("left early").add(prediction.pc).add(prediction.thread).value()};
  hint.schedule.prefix = std::move(prediction.decisions);
  hint.schedule.inputs = prediction.inputs.empty() ? given_in(trace) : std::move(prediction.inputs);
  hint.schedule.threads = trace.threads;
  hint.schedule.policy = Policy::Continue;
  return hint;
}

}  // namespace

Foresight::Ask ask_what_each_implies(const Schedule& base, Causality causality) {
  const auto options = asked(base, {PredictionKind::Assertion, PredictionKind::DataRace, PredictionKind::Deadlock}, causality);
  return [base, options](const Trace& trace) { return hints_from(predict(trace, options).found, base, trace); };
}

AskedOfPaths ask_what_each_path_implies(const Schedule& base) {
  const auto gaps = std::make_shared<Gaps>();
  const auto ask_for = [gaps](PredictionKind what, const Schedule& how, const Trace& trace, const std::vector<Spinning>& spinning = {}) {
    PredictOptions options = asked(how, {what}, Causality::Symbolic);
    options.inputs = Inputs::Free;
    options.spinning = spinning;
    Foreseen foreseen = predict(trace, options);
    for (const auto& [kind, coverage] : foreseen.coverage) {
      if (!coverage.limits.empty()) gaps->tell(fmt::format("{} behind {}", text_of(kind), coverage.limits));
      if (coverage.unanswered > 0) gaps->tell(fmt::format("{}: questions that took the solver too long were given up", text_of(kind)));
    }
    return std::move(foreseen.found);
  };
  const auto leaving_matters = std::make_shared<bool>(true);
  const auto left_behind = std::make_shared<LeftBehind>();
  const auto ask_who_is_left = [base, gaps, leaving_matters, left_behind](const Trace& trace, std::vector<Hint>& hints) {
    note_who_was_left(trace, *left_behind);
    *leaving_matters = *leaving_matters && !leaves_behind_unsaid(trace);
    if (!*leaving_matters) return;
    PredictOptions options = asked(base, {}, Causality::Symbolic);
    options.inputs = Inputs::Free;
    LeftEarlyPredictions left = predict_left_early(trace, options);
    for (LeftEarly& one : left.found) {
      const std::pair who{one.pc, one.thread};
      if (left_behind->contains(who)) continue;
      hints.push_back(hint_from(std::move(one), base, trace));
      hints.back().can_wait = true;
      hints.back().is_wanted = [left_behind, who] { return !left_behind->contains(who); };
    }
    if (left.unanswered > 0) gaps->tell("who runs on when the program ends: questions that took the solver too long were given up");
  };
  const auto ask = [base, ask_for, ask_who_is_left](const Trace& trace) {
    // Who was about to take a lock when somebody ended the execution may wait for it as well.
    const Trace waiting = with_pending_steps(trace);
    std::vector<Hint> hints = hints_from(ask_for(PredictionKind::Deadlock, base, waiting), base, waiting);
    for (const SpinningEnd& end : spinning_ends(trace, base.model, base.races))
      for (Hint& hint : hints_from(ask_for(PredictionKind::Deadlock, base, end.trace, end.spinning), base, end.trace))
        hints.push_back(std::move(hint));
    ask_who_is_left(trace, hints);
    if (base.races != Races::Stop) return hints;
    // Two accesses that race are next to each other when they are steps. The order is run without these steps: what it has of
    // synchronisation orders the accesses as little, wherever they then come.
    Schedule by_access = base;
    by_access.races = Races::Explore;
    const Trace steps = with_plain_steps(trace);
    std::vector<Prediction> races = ask_for(PredictionKind::DataRace, by_access, steps);
    if (races.empty()) return hints;
    const Units units = units_of(steps, by_access.model, by_access.races);
    for (Prediction& race : races) leave_out_plain_steps(race, units, steps);
    for (Hint& hint : hints_from(std::move(races), base, steps)) hints.push_back(std::move(hint));
    return hints;
  };
  return {ask, [gaps] { return gaps->text("not looked for: "); }};
}

}  // namespace treadle
