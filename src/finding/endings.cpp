// SPDX-License-Identifier: Apache-2.0
// Executions that ended because a thread could not go on: what it did wrong.
#include <sys/wait.h>

#include <csignal>

#include "finding/evidence.h"
#include "finding/expectation.h"
#include "trace/text.h"

namespace treadle {
namespace {

Part part_at_end(const Evidence& evidence, const Position& where, std::string does) {
  Part part;
  part.thread = evidence.thread(evidence.trace().end.thread);
  part.does = std::move(does);
  part.where = where.stack;
  part.event = kTheEnd;
  return part;
}

/// The usual case: one thread, one place.
Finding at_the_end(const Evidence& evidence, FindingKind kind, const std::string& message, std::string does) {
  const Position where = evidence.at_end();
  std::string key = key_of(where);
  // Nothing known about the place: the text is the best there is.
  if (!is_user_code(user_frame(where.stack))) key += " " + evidence.trace().end.text;
  return make_finding(kind, message, where, {part_at_end(evidence, where, std::move(does))}, {key});
}

std::string hex(std::uint64_t address) {
  char text[20];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
  return text;
}

Finding signalled(const Evidence& evidence) {
  const HowItEnded& end = evidence.trace().end;
  const std::string who = "thread " + evidence.thread(end.thread);
  const Stack* stack = stack_of_end(evidence.trace());
  const bool sent_to_itself = stack != nullptr && stack->frames.front() != end.pc;
  if (end.detail == 0)
    return at_the_end(evidence, FindingKind::Crash, "the process leaves in mid-run, without passing through exit()", "leaves the process");
  if (sent_to_itself || (end.pc == 0 && stack == nullptr))
    return at_the_end(evidence, FindingKind::Crash, who + " is killed by " + signal_name(end.detail),
                      "is killed by " + signal_name(end.detail));
  // An address that no pointer can have faults too, and the kernel then says 0 (si_code, in extra, says which it was).
  const bool no_address = end.extra == SI_KERNEL;
  if (end.detail == SIGSEGV && end.address < 4096 && !no_address) {
    const std::string what = end.address == 0 ? "a null pointer" : "a null pointer (at offset " + std::to_string(end.address) + ")";
    return at_the_end(evidence, FindingKind::NullDereference, who + " dereferences " + what, "dereferences " + what);
  }
  std::string what = "crashes with " + signal_name(end.detail);
  if ((end.detail == SIGSEGV || end.detail == SIGBUS) && !no_address) what += " at address " + hex(end.address);
  return at_the_end(evidence, FindingKind::Crash, who + " " + what, what);
}

/// Deep recursion ends wherever the stack happens to be full: the function tells it apart, the line does not.
Finding stack_overflow(const Evidence& evidence) {
  const Position where = evidence.at_end();
  const std::string who = "thread " + evidence.thread(evidence.trace().end.thread);
  return make_finding(FindingKind::Crash, who + " overflows its stack", where, {part_at_end(evidence, where, "overflows its stack")},
                      {"stack overflow " + user_frame(where.stack).function});
}

Finding host_saw_death(const Evidence& evidence) {
  const int status = static_cast<int>(evidence.trace().end.detail);
  std::string message =
      "the process leaves in mid-run with status " + std::to_string(WEXITSTATUS(status)) + ", without passing through exit()";
  if (WIFSIGNALED(status)) message = "the process is killed by " + signal_name(static_cast<unsigned>(WTERMSIG(status)));
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) message += " from outside, perhaps for lack of memory";
  Finding finding = at_the_end(evidence, FindingKind::Crash, message, "runs when the process dies");
  finding.fingerprint += " | " + message;
  return finding;
}

/// It was interrupted anywhere in its loop; the last visible operation before it is always the same.
Finding runs_for_ever(const Evidence& evidence) {
  const Trace& trace = evidence.trace();
  const Position where = evidence.at_end();
  const std::uint64_t last = last_visible_event(trace, trace.end.thread);
  const std::string key = last == kTheEnd ? "its start" : key_of(evidence.at_event(last));
  return make_finding(FindingKind::Livelock,
                      "thread " + evidence.thread(trace.end.thread) +
                          " runs until the time limit without reaching another visible operation: it loops for ever, or needs more time",
                      where, {part_at_end(evidence, where, "runs for ever without a visible operation")},
                      {"no visible operation after " + key});
}

std::string with_text(std::string sentence, const std::string& text) { return text.empty() ? sentence : sentence + ": " + text; }

/// A test that failed: where, it has printed itself.
Finding failing_status(const Evidence& evidence) {
  const HowItEnded& end = evidence.trace().end;
  const FailedExpectation failed = failed_expectation(end.text);
  const std::string status = "the program ends with exit status " + std::to_string(end.detail);
  if (failed.line == 0) return at_the_end(evidence, FindingKind::Assertion, with_text(status, failed.message), "leaves with that status");
  Position where;
  where.stack.frames.push_back({"the test", failed.file, failed.line, 0, false});
  return make_finding(FindingKind::Assertion, with_text("the test fails", failed.message), where,
                      {part_at_end(evidence, where, "ends the test that failed")}, {failed.file + ":" + std::to_string(failed.line)});
}

}  // namespace

void diagnose_end(const Evidence& evidence, std::vector<Finding>& out) {
  const HowItEnded& end = evidence.trace().end;
  const std::string who = "thread " + evidence.thread(end.thread);
  switch (end.ending) {
    case TREADLE_END_ASSERTION:
      out.push_back(at_the_end(evidence, FindingKind::Assertion, with_text("assertion failed in " + who, end.text), "fails an assertion"));
      break;
    case TREADLE_END_ABORTED:
      out.push_back(at_the_end(evidence, FindingKind::Assertion, with_text(who + " aborts", end.text), "aborts"));
      break;
    case TREADLE_END_REACHED_ERROR:
      out.push_back(at_the_end(evidence, FindingKind::Assertion, with_text(who + " reaches an error location", end.text),
                               "reaches an error location"));
      break;
    case TREADLE_END_UNCAUGHT_EXCEPTION:
      out.push_back(at_the_end(evidence, FindingKind::UncaughtException, with_text("an exception leaves " + who + " uncaught", end.text),
                               "throws what nobody catches"));
      break;
    case TREADLE_END_SIGNALLED:
      out.push_back(signalled(evidence));
      break;
    case TREADLE_END_STACK_OVERFLOW:
      out.push_back(stack_overflow(evidence));
      break;
    case TREADLE_END_HEAP_BROKEN:
      diagnose_heap_error(evidence, {kTheEnd, end.thread, end.detail, end.address, end.extra}, out);
      break;
    case TREADLE_END_DEADLOCK:
    case TREADLE_END_LIVELOCK:
      diagnose_standstill(evidence, out);
      break;
    case TREADLE_END_TIME_LIMIT:
      out.push_back(runs_for_ever(evidence));
      break;
    case TREADLE_END_COMPLETED:
      out.push_back(failing_status(evidence));
      break;
    case TREADLE_END_HOST_SAW_DEATH:
      out.push_back(host_saw_death(evidence));
      break;
    default:
      break;
  }
}

}  // namespace treadle
