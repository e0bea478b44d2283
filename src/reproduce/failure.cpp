// SPDX-License-Identifier: Apache-2.0
#include "reproduce/failure.h"

#include <signal.h>

#include <algorithm>

namespace treadle {
namespace {

/// What kills a process natively may be noticed earlier here: freed memory that is used, a broken heap.
bool is_how_it_shows(Ending ending, std::uint64_t detail, int signal) {
  switch (ending) {
    case TREADLE_END_SIGNALLED:
      return detail == static_cast<std::uint64_t>(signal) || (detail == SIGSEGV && signal == SIGBUS);
    case TREADLE_END_HEAP_BROKEN:
      return signal == SIGSEGV || signal == SIGBUS || signal == SIGABRT;
    case TREADLE_END_STACK_OVERFLOW:
      return signal == SIGSEGV;
    case TREADLE_END_ABORTED:
    case TREADLE_END_UNCAUGHT_EXCEPTION:
      return signal == SIGABRT;
    default:
      return false;
  }
}

bool is_same_ending(const HowItEnded& end, const RecordedFailure& failure) {
  switch (failure.kind) {
    case RecordedFailure::Kind::Assertion:
      return end.ending == TREADLE_END_ASSERTION || end.ending == TREADLE_END_REACHED_ERROR;
    case RecordedFailure::Kind::Signal:
      return is_how_it_shows(end.ending, end.detail, failure.signal);
    case RecordedFailure::Kind::Hang:
      return end.ending == TREADLE_END_DEADLOCK || end.ending == TREADLE_END_LIVELOCK;
  }
  return false;
}

/// "queue.c:12: take: Assertion `count > 0' failed": the expression.
std::string expression_in(std::string_view text) {
  constexpr std::string_view before = "Assertion `", behind = "' failed";
  const std::size_t from = text.find(before), to = text.rfind(behind);
  if (from == text.npos || to == text.npos || to < from + before.size()) return "";
  return std::string(text.substr(from + before.size(), to - from - before.size()));
}

bool is_fault(int signal) { return signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL; }

/// Of a thread that is not led: what fails is all that can be compared, and who, if its name is one.
bool fails_alike(const Trace& trace, const RecordedFailure& failure) {
  const bool is_named = !failure.thread.empty() && !failure.thread.starts_with('?');
  if (is_named && name_of(trace.end.thread, trace.threads) != failure.thread) return false;
  return failure.assertion.empty() || trace.end.text.starts_with(failure.assertion + ", ");
}

}  // namespace

Result<RecordedFailure> failure_of(const RecordedRun& recording) {
  RecordedFailure failure;
  const auto thread = std::ranges::find(recording.threads, recording.status.thread, &ThreadStream::number);
  // Of a thread whose file is lost not even the name is known; that it failed is.
  failure.thread = thread != recording.threads.end() ? thread->name : "?" + std::to_string(recording.status.thread);
  if (recording.end && recording.end->how == RunEnd::Hang) {
    failure.kind = RecordedFailure::Kind::Hang;
    failure.thread.clear();
    return failure;
  }
  if (recording.status.end == TREADLE_RUN_ASSERTION) {
    failure.assertion = expression_in(recording.status.text);
    return failure;
  }
  if (recording.status.end == TREADLE_RUN_SIGNAL) {
    failure.kind = RecordedFailure::Kind::Signal;
    failure.signal = recording.status.code;
    return failure;
  }
  // A program that has blocked the signal of a fault is killed by it on the spot: which thread it was, nobody was told.
  if (recording.end && recording.end->how == RunEnd::Signal && is_fault(recording.end->code)) {
    failure.kind = RecordedFailure::Kind::Signal;
    failure.signal = recording.end->code;
    failure.thread.clear();
    return failure;
  }
  if (recording.status.end == TREADLE_RUN_EXITED)
    return Problem{"the recorded run did not fail: " + ending_of(recording), "record until it does: `treadle record --until-fails N`"};
  return Problem{"the recording does not say how the run failed: " + ending_of(recording),
                 "a run that hangs is recorded with `treadle record --hang-after TIME`"};
}

std::vector<Standing> standings_of(const Trace& trace) {
  std::vector<Standing> all;
  for (auto event = trace.events.rbegin(); event != trace.events.rend() && event->kind == TREADLE_EV_PATH && event->address == 0; ++event)
    all.push_back({ThreadId{event->thread}, event->value, static_cast<TreadlePathState>(event->extra)});
  std::ranges::reverse(all);
  return all;
}

std::vector<Departure> departures_of(const Trace& trace) {
  std::vector<Departure> all;
  for (const Event& event : trace.events)
    if (event.kind == TREADLE_EV_PATH && event.address != 0 && event.extra == TREADLE_PATH_LEFT)
      all.push_back({event.step, ThreadId{event.thread}});
  return all;
}

bool fails_as_recorded(const Trace& trace, const RecordedFailure& failure) {
  if (!is_same_ending(trace.end, failure)) return false;
  if (failure.kind == RecordedFailure::Kind::Hang) return true;
  if (!failure.is_led) return fails_alike(trace, failure);
  if (!failure.thread.empty() && name_of(trace.end.thread, trace.threads) != failure.thread) return false;
  const auto standings = standings_of(trace);
  const auto failing = std::ranges::find(standings, trace.end.thread, &Standing::thread);
  return failing != standings.end() && failing->state == TREADLE_PATH_OVER;
}

std::optional<EarlyBreak> breaks_early(const Trace& trace, const RecordedFailure& failure) {
  if (trace.end.ending != TREADLE_END_HEAP_BROKEN) return std::nullopt;
  for (const Standing& standing : standings_of(trace))
    if (standing.thread == trace.end.thread && standing.state != TREADLE_PATH_LEFT)
      return EarlyBreak{failure.thread.empty() || name_of(standing.thread, trace.threads) == failure.thread, standing.position};
  return std::nullopt;
}

bool may_come_of_freed_memory(const RecordedFailure& failure) {
  return failure.kind == RecordedFailure::Kind::Signal && is_how_it_shows(TREADLE_END_HEAP_BROKEN, 0, failure.signal);
}

}  // namespace treadle
