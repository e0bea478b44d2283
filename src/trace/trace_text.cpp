// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <cstdio>
#include <cstring>

#include "trace/locks.h"
#include "trace/text.h"

namespace treadle {
namespace {

constexpr const char* kOrders[] = {"relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst"};

constexpr const char* kMisuses[] = {
#define X(name, text) text,
    TREADLE_MISUSES(X)
#undef X
};

constexpr const char* kHeapErrors[] = {
#define X(name, text) text,
    TREADLE_HEAP_ERRORS(X)
#undef X
};

constexpr const char* kWoken[] = {"signalled", "timed out", "spuriously", "cancelled"};

template <std::size_t N>
std::string pick(const char* const (&texts)[N], std::uint64_t index) {
  return index < N ? texts[index] : std::to_string(index);
}

/// As a programmer would read it: small negative numbers with their sign, what may be an address in hexadecimal.
std::string number_text(std::uint64_t value, unsigned bytes) {
  const unsigned bits = bytes == 0 || bytes >= 8 ? 64 : bytes * 8;
  const auto extended = static_cast<std::int64_t>(value << (64 - bits)) >> (64 - bits);
  if (extended < 0 && extended > -1'000'000) return std::to_string(extended);
  if (value < 1ull << 32) return std::to_string(value);
  char text[20];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

std::string result_text(std::uint64_t error) { return error == 0 ? "" : errno_name(error); }

std::string how_many(std::uint64_t woken) { return woken == 0 ? "wakes nobody" : "wakes " + std::to_string(woken); }

std::string race_text(const Event& event, const Names& names, const SymbolSource* symbols) {
  std::string text = "with " + names.thread(ThreadId{static_cast<std::uint8_t>(event.extra >> 8)});
  const std::string place = symbols == nullptr ? "" : symbols->place_of(event.value);
  return place.empty() ? text : text + " at " + place;
}

std::string value_text(const Event& event, std::uint64_t number, const Names& names, const SymbolSource* symbols) {
  switch (event.kind) {
    case TREADLE_EV_READ:
    case TREADLE_EV_WRITE:
    case TREADLE_EV_ATOMIC_READ:
    case TREADLE_EV_ATOMIC_WRITE:
      return number_text(event.value, event.size);
    case TREADLE_EV_RANGE_READ:
    case TREADLE_EV_RANGE_WRITE:
      return std::to_string(event.extra) + " bytes";
    case TREADLE_EV_RMW:
    case TREADLE_EV_CAS_OK:
      return number_text(event.value, event.size) + " -> " + number_text(event.extra, event.size);
    case TREADLE_EV_CAS_FAIL:
      return number_text(event.value, event.size) + ", expected " + number_text(event.extra, event.size);
    case TREADLE_EV_SLEEP:
    case TREADLE_EV_CLOCK:
      return std::to_string(event.value) + " ns";
    case TREADLE_EV_SIGNAL_THREAD:
      return event.extra == 0 ? "" : signal_name(event.extra);
    case TREADLE_EV_COND_WAIT:
      return "with " + names.at(event.value, number);
    case TREADLE_EV_COND_WOKEN:
      return pick(kWoken, event.extra);
    case TREADLE_EV_COND_SIGNAL:
      return event.value == 0 ? how_many(0) : "wakes " + names.thread(ThreadId{static_cast<std::uint8_t>(event.value - 1)});
    case TREADLE_EV_COND_BROADCAST:
    case TREADLE_EV_FUTEX_WAKE:
      return how_many(event.value);
    case TREADLE_EV_BARRIER_ARRIVE:
      return std::to_string(event.value) + " arrived";
    case TREADLE_EV_SEM_WAIT:
    case TREADLE_EV_SEM_TRYWAIT:
    case TREADLE_EV_SEM_TIMEDWAIT:
      return event.extra == 0 ? "count " + std::to_string(event.value) : errno_name(event.extra);
    case TREADLE_EV_SEM_POST:
      return "count " + std::to_string(event.value);
    case TREADLE_EV_ONCE_BEGIN:
      return event.value == 1 ? "runs it" : "was done";
    case TREADLE_EV_FUTEX_WAIT:
      return "saw " + std::to_string(event.value) + (event.extra == 0 ? "" : ", " + errno_name(event.extra));
    case TREADLE_EV_FUTEX_WOKEN:
      return event.extra == 0 ? "woken" : "timed out";
    case TREADLE_EV_FD_READ:
    case TREADLE_EV_FD_WRITE:
    case TREADLE_EV_FD_POLL:
    case TREADLE_EV_FD_CLOSE:
      return event.extra == 0 ? number_text(event.value, 8) : errno_name(event.extra);
    case TREADLE_EV_ALLOC:
    case TREADLE_EV_FREE:
    case TREADLE_EV_LEAK:
      return event.value == 0 ? "" : std::to_string(event.value) + " bytes";
    case TREADLE_EV_OBSERVE:
      return number_text(event.value, 8);
    case TREADLE_EV_INPUT:  // as the list of inputs has it
      return number_text(event.value, event.size == 4 ? 4 : 8);
    case TREADLE_EV_EXIT:
      return "status " + std::to_string(event.value);
    case TREADLE_EV_RACE:
      return race_text(event, names, symbols);
    case TREADLE_EV_MISUSE:
      return pick(kMisuses, event.value);
    case TREADLE_EV_HEAP_ERROR:
      return pick(kHeapErrors, event.value);
    case TREADLE_EV_THREAD_JOIN:
      return result_text(event.extra);
    default:
      return has_lock_result(static_cast<EventKind>(event.kind)) ? result_text(event.extra) : "";
  }
}

std::string operation_text(const Event& event) {
  std::string text = text_of(static_cast<EventKind>(event.kind));
  const bool ordered = event.kind >= TREADLE_EV_ATOMIC_READ && event.kind <= TREADLE_EV_FENCE;
  if (ordered) text += " " + pick(kOrders, event.order & 7);
  if ((event.order & 0x80) != 0) text += " volatile";
  return text;
}

void pad(std::string& line, std::size_t column) {
  if (line.size() < column)
    line.append(column - line.size(), ' ');
  else
    line += ' ';
}

std::string end_text(const Trace& trace, const SymbolSource* symbols) {
  std::string text = "ended: " + std::string(text_of(trace.end.ending));
  if (trace.end.ending == TREADLE_END_NOT_RUN) return text + "\n";
  if (trace.end.ending == TREADLE_END_COMPLETED) text += ", status " + std::to_string(trace.end.detail);
  if (trace.end.ending == TREADLE_END_SIGNALLED) text += " " + signal_name(trace.end.detail);
  if (trace.end.ending == TREADLE_END_HEAP_BROKEN) text += ", " + pick(kHeapErrors, trace.end.detail);
  text += ", by thread " + name_of(trace.end.thread, trace.threads);
  if (!trace.end.text.empty()) text += ": " + trace.end.text;
  if (symbols != nullptr && trace.end.pc != 0) text += "  " + symbols->place_of(trace.end.pc);
  return text + "\n";
}

}  // namespace

std::string errno_name(std::uint64_t number) {
  const char* name = number > INT32_MAX ? nullptr : ::strerrorname_np(static_cast<int>(number));
  return name != nullptr ? name : std::to_string(number);
}

std::string signal_name(std::uint64_t number) {
  const char* name = number > INT32_MAX ? nullptr : ::sigabbrev_np(static_cast<int>(number));
  return name != nullptr ? std::string("SIG") + name : "signal " + std::to_string(number);
}

EventText describe(const Trace& trace, std::uint64_t number, const Names& names, const SymbolSource* symbols) {
  const Event& event = trace.events.at(number);
  return {std::to_string(event.step),
          names.thread(ThreadId{event.thread}),
          operation_text(event),
          names.object_of(event, number),
          value_text(event, number, names, symbols),
          symbols != nullptr && event.pc != 0 ? symbols->place_of(event.pc) : ""};
}

std::string text_of(const Trace& trace, const SymbolSource* symbols) {
  const Names names(trace, symbols);
  std::string text;
  for (std::uint64_t i = 0; i < trace.events.size(); ++i) {
    const EventText e = describe(trace, i, names, symbols);
    std::string line(e.step.size() < 6 ? 6 - e.step.size() : 0, ' ');
    line += e.step + "  " + e.thread;
    pad(line, 17);
    line += e.operation;
    pad(line, 37);
    line += e.object;
    pad(line, 61);
    line += e.value;
    if (!e.place.empty()) {
      pad(line, 85);
      line += e.place;
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  text += end_text(trace, symbols);
  for (const PendingOperation& pending : trace.pending) {
    if (pending.state == TREADLE_THREAD_UNUSED || pending.state == TREADLE_THREAD_FINISHED) continue;
    text += "thread " + names.thread(pending.thread) + (pending.enabled ? " could go on with " : " is blocked in ") + text_of(pending.kind);
    if (const std::string object = names.object_of(pending); !object.empty()) text += " " + object;
    if (symbols != nullptr && pending.pc != 0) text += "  " + symbols->place_of(pending.pc);
    text += "\n";
  }
  return text;
}

}  // namespace treadle
