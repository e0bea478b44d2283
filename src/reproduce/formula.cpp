// SPDX-License-Identifier: Apache-2.0
#include "reproduce/formula.h"

#include <signal.h>

#include "solve/trace_model.h"

namespace treadle {
namespace {

constexpr std::size_t most_questions = 4;  // about different checks that the thread passed by

bool is_about(const Note& note, const RecordedFailure& failure) {
  switch (static_cast<TreadleGuarded>(note.reason)) {
    case TREADLE_GUARDS_ASSERTION:
    case TREADLE_GUARDS_ERROR:
      return failure.kind == RecordedFailure::Kind::Assertion;
    case TREADLE_GUARDS_ABORT:
      return failure.signal == SIGABRT;
    case TREADLE_GUARDS_NULL_POINTER:
    case TREADLE_GUARDS_BOUNDS:
      return failure.signal == SIGSEGV || failure.signal == SIGBUS;
    case TREADLE_GUARDS_DIVISION:
      return failure.signal == SIGFPE;
    default:
      return false;
  }
}

/// Of a thread that left its way: the branch at which it did. Its last one.
std::vector<std::uint32_t> where_it_left(const Trace& led, ThreadId thread) {
  for (std::uint32_t i = static_cast<std::uint32_t>(led.notes.size()); i-- > 0;)
    if (led.notes[i].thread == index_of(thread) && led.notes[i].kind == TREADLE_NOTE_BRANCH) return {i};
  return {};
}

/// What it passed by, the last ones first.
std::vector<std::uint32_t> where_it_might_fail(const Trace& led, const RecordedFailure& failure) {
  std::vector<std::uint32_t> all;
  for (std::uint32_t i = static_cast<std::uint32_t>(led.notes.size()); i-- > 0 && all.size() < most_questions;) {
    const Note& note = led.notes[i];
    const bool is_his = failure.thread.empty() || name_of(ThreadId{note.thread}, led.threads) == failure.thread;
    if (is_his && guards_failure(note) && is_about(note, failure)) all.push_back(i);
  }
  return all;
}

}  // namespace

std::vector<Schedule> solve_for(const Trace& led, const Schedule& exact, const RecordedFailure& failure, double seconds) {
  const auto left = departures_of(led);
  const auto notes = left.empty() ? where_it_might_fail(led, failure) : where_it_left(led, left.front().thread);
  std::vector<Schedule> all;
  if (notes.empty()) return all;
  TraceModelOptions options;
  options.model = exact.model;
  options.races = exact.races;
  options.limit.seconds = seconds / static_cast<double>(notes.size());
  TraceModel model(led, options, make_acyclic_solver());
  for (const std::uint32_t note : notes) {
    if (led.notes[note].expression == 0) continue;
    std::vector<Truth> wanted{~model.holds(note)};
    if (wanted.front().is_false()) continue;
    const auto target = model.way_to(note, wanted);
    if (!target) continue;
    const Reply reply = model.ask(wanted, std::span(&*target, 1));
    if (reply.answer != Answer::Yes) continue;
    Schedule schedule = exact;
    schedule.prefix = reply.decisions;
    all.push_back(std::move(schedule));
  }
  return all;
}

}  // namespace treadle
