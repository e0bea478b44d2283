// SPDX-License-Identifier: Apache-2.0
#include "report/html_run.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "explore/telling.h"
#include "report/html_arrows.h"
#include "report/html_locks.h"
#include "report/readable.h"
#include "trace/happens_before.h"
#include "trace/locks.h"
#include "trace/text.h"

namespace treadle {
namespace {

using Json = nlohmann::ordered_json;

// Column "source" of an event that reads.
enum { kNoSource = 0, kInitialValue = -1, kUnknownSource = -2 };

EventKind kind_of(const Event& event) { return static_cast<EventKind>(event.kind); }

const char* class_of(EventKind kind) {
  switch (kind) {
#define X(name, text, class_) \
  case TREADLE_EV_##name:     \
    return #class_;
    TREADLE_EVENT_KINDS(X)
#undef X
    default:
      return "NOTE";
  }
}

/// What a thread that cannot go on is doing.
std::string waiting_text(EventKind kind) {
  switch (kind) {
    case TREADLE_EV_COND_WOKEN:
    case TREADLE_EV_FUTEX_WOKEN:
      return "waiting on";
    case TREADLE_EV_BARRIER_LEAVE:
      return "waiting at";
    case TREADLE_EV_SPIN:
      return "looping on";
    default:
      return std::string("blocked in ") + text_of(kind);
  }
}

/// Strings and the like, each told once and then by its number.
template <class Key>
class Table {
 public:
  /// `make` gives the JSON of a key not seen before.
  template <class Make>
  std::size_t number_of(const Key& key, Make make) {
    const auto [entry, is_new] = numbers_.try_emplace(key, entries_.size());
    if (is_new) entries_.push_back(make());
    return entry->second;
  }
  Json take() { return std::move(entries_); }

 private:
  std::map<Key, std::size_t> numbers_;
  Json entries_ = Json::array();
};

struct Window {
  std::uint64_t begin = 0, end = 0;
  bool has(std::uint64_t event) const { return event >= begin && event < end; }
};

Window window_of(const Finding& finding, const Trace& trace) {
  const std::uint64_t events = trace.events.size();
  if (events <= html_most_events) return {0, events};
  std::uint64_t last = 0;
  bool to_the_end = finding.parts.empty();
  for (const Part& part : finding.parts) part.event < events ? void(last = std::max(last, part.event)) : void(to_the_end = true);
  const std::uint64_t end = to_the_end ? events : std::min(events, last + html_most_events / 10);
  return {end - std::min(end, html_most_events), end};
}

class Writer {
 public:
  Writer(const Finding& finding, const Trace& trace, const Symbols& symbols, const std::function<int(const SourceFrame&)>& file_number)
      : finding_(finding),
        trace_(trace),
        symbols_(symbols),
        file_number_(file_number),
        names_(trace, &symbols),
        reads_from_(trace),
        window_(window_of(finding, trace)) {
    string("");
  }

  HtmlRun write() {
    for (std::uint64_t i = window_.begin; i < window_.end; ++i) add_event(i);
    if (window_.end == trace_.events.size()) add_ending();
    HtmlRun run;
    for (const Part& part : finding_.parts) run.part_events.push_back(event_of(part));
    run.json = {{"left_out", {window_.begin, trace_.events.size() - window_.end}},
                {"threads", threads()},
                {"ending", text_of(trace_.end.ending)},
                {"events", columns()},
                {"telling", telling()},
                {"story", story()},
                {"named", run.part_events},
                {"arrows", arrows()},
                {"locks", locks()},
                {"buffers", buffers()}};
    run.json["operations"] = operations_.take();
    run.json["places"] = places_.take();
    run.json["strings"] = strings_.take();
    return run;
  }

 private:
  struct Row {
    std::size_t operation;
    unsigned thread;
    std::uint32_t step;
    std::size_t place, object, value;
    std::int64_t source = kNoSource;
  };

  std::size_t string(const std::string& text) {
    return strings_.number_of(text, [&] { return Json(text); });
  }

  std::size_t place(std::uint64_t pc, Pc is = Pc::ReturnAddress) {
    return places_.number_of({pc, is}, [&]() -> Json {
      const SourceFrame frame = pc == 0 ? SourceFrame{} : user_frame(SourceStack{symbols_.frames_at(pc, is)});
      return {file_number_(frame), frame.line, frame.column, string(pc == 0 ? "" : readable(frame.function))};
    });
  }

  std::size_t operation(const std::string& text, const char* of_class, bool reads = false, bool writes = false) {
    return operations_.number_of(text + "\n" + of_class, [&]() -> Json {
      std::string lower = of_class;
      std::ranges::transform(lower, lower.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
      return {{"text", text}, {"class", lower}, {"reads", reads}, {"writes", writes}};
    });
  }

  std::int64_t source_of(std::uint64_t number) const {
    if (!reads_memory(kind_of(trace_.events[number]))) return kNoSource;
    const Source source = reads_from_.of(number);
    if (source.kind == Source::Kind::Initial) return kInitialValue;
    if (source.kind == Source::Kind::Unknown || !window_.has(source.event)) return kUnknownSource;
    return static_cast<std::int64_t>(number - source.event);
  }

  void add_event(std::uint64_t number) {
    const Event& event = trace_.events[number];
    const EventKind kind = kind_of(event);
    EventText words = describe(trace_, number, names_);
    if (kind == TREADLE_EV_FLUSH && event.extra < number) words.value = describe(trace_, event.extra, names_).value;
    const bool reads = reads_memory(kind), writes = writes_memory(kind);
    rows_.push_back({operation(words.operation, class_of(kind), reads, writes), event.thread, event.step, place(event.pc),
                     string(words.object), string(words.value), source_of(number)});
    // What is in the variable afterwards, where the words say more than that.
    const std::int64_t here = static_cast<std::int64_t>(number - window_.begin);
    const std::size_t arrow = words.value.find(" -> "), expected = words.value.find(", expected ");
    if (arrow != std::string::npos && writes) left_.insert(left_.end(), {here, left(words.value.substr(arrow + 4))});
    if (expected != std::string::npos && reads) left_.insert(left_.end(), {here, left(words.value.substr(0, expected))});
    if (kind == TREADLE_EV_RANGE_READ || kind == TREADLE_EV_RANGE_WRITE) left_.insert(left_.end(), {here, 0});
    if ((event.order & TREADLE_ORDER_BUFFERED) != 0 && kind != TREADLE_EV_FLUSH) buffered_.push_back(here);
  }

  std::int64_t left(const std::string& value) { return static_cast<std::int64_t>(string(value)); }

  /// Who never went on, and how it all ended, are rows like any other: that is where the eye arrives.
  void add_ending() {
    const auto spans = locks_held(trace_);
    for (const PendingOperation& pending : trace_.pending) {
      if (pending.enabled || pending.state == TREADLE_THREAD_UNUSED || pending.state == TREADLE_THREAD_FINISHED) continue;
      std::string held;
      for (const Held& lock : spans)
        if (lock.object == pending.address && waits_for_holder(pending.kind))
          held += (held.empty() ? "held by " : ", ") + names_.thread(lock.thread);
      waiting_.emplace(index_of(pending.thread), static_cast<std::int64_t>(rows_.size()));
      rows_.push_back({operation(waiting_text(pending.kind), "PENDING"), index_of(pending.thread), last_step(), place(pending.pc),
                       string(names_.object_of(pending)), string(held)});
    }
    const bool exact = trace_.end.ending == TREADLE_END_SIGNALLED || trace_.end.ending == TREADLE_END_STACK_OVERFLOW ||
                       trace_.end.ending == TREADLE_END_TIME_LIMIT;
    std::string detail = trace_.end.text;
    if (trace_.end.ending == TREADLE_END_SIGNALLED) detail = signal_name(trace_.end.detail) + (detail.empty() ? "" : ": ") + detail;
    if (trace_.end.ending == TREADLE_END_COMPLETED) detail = "status " + std::to_string(trace_.end.detail);
    end_row_ = static_cast<std::int64_t>(rows_.size());
    rows_.push_back({operation(text_of(trace_.end.ending), "END"), index_of(trace_.end.thread), last_step(),
                     place(trace_.end.pc, exact ? Pc::Exact : Pc::ReturnAddress), string(""), string(detail)});
  }

  std::uint32_t last_step() const { return trace_.events.empty() ? 0 : trace_.events.back().step; }

  /// What never happened stands where its thread waits, or at the end.
  std::int64_t event_of(const Part& part) const {
    if (window_.has(part.event)) return static_cast<std::int64_t>(part.event - window_.begin);
    if (part.event < trace_.events.size()) return -1;
    for (const auto& [thread, row] : waiting_)
      if (names_.thread(ThreadId{static_cast<std::uint8_t>(thread)}) == part.thread) return row;
    return end_row_ >= 0 && names_.thread(trace_.end.thread) == part.thread ? end_row_ : -1;
  }

  Json threads() {
    Json all = Json::array();
    std::vector<std::string> functions(trace_.threads.size());
    for (const Event& event : trace_.events) {
      if (event.thread >= functions.size() || !functions[event.thread].empty() || event.pc == 0) continue;
      const SourceFrame frame = user_frame(SourceStack{symbols_.frames_at(event.pc)});
      if (event.kind == TREADLE_EV_THREAD_START && is_user_code(frame)) functions[event.thread] = readable(frame.function);
    }
    for (const Part& part : finding_.parts)
      for (std::size_t t = 0; t < functions.size(); ++t)
        if (functions[t].empty() && names_.thread(ThreadId{static_cast<std::uint8_t>(t)}) == part.thread && !part.where.frames.empty())
          functions[t] = readable(part.where.frames.back().function);
    if (!functions.empty()) functions[0] = "main";
    for (std::size_t t = 0; t < trace_.threads.size(); ++t)
      all.push_back({{"name", names_.thread(ThreadId{static_cast<std::uint8_t>(t)})},
                     {"parent", t == 0 ? -1 : static_cast<int>(trace_.threads[t].parent)},
                     {"function", functions[t]}});
    return all;
  }

  Json columns() const {
    Json operation = Json::array(), thread = Json::array(), step = Json::array(), place = Json::array(), object = Json::array(),
         value = Json::array(), source = Json::array();
    std::uint32_t previous = 0;
    for (const Row& row : rows_) {
      operation.push_back(row.operation);
      thread.push_back(row.thread);
      step.push_back(row.step - previous);
      place.push_back(row.place);
      object.push_back(row.object);
      value.push_back(row.value);
      source.push_back(row.source);
      previous = row.step;
    }
    return {{"operation", std::move(operation)},
            {"thread", std::move(thread)},
            {"step", std::move(step)},
            {"place", std::move(place)},
            {"object", std::move(object)},
            {"value", std::move(value)},
            {"source", std::move(source)},
            {"left", left_},
            {"buffered", buffered_}};
  }

  /// Lengths of stretches: not telling, telling, not telling, …
  Json telling() const {
    const auto all = telling_events(trace_);
    Json lengths = Json::array();
    bool now = false;
    std::size_t length = 0;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const std::uint64_t number = window_.begin + i;
      const bool telling = number >= all.size() || all[number];
      if (telling != now) lengths.push_back(length), length = 0, now = telling;
      ++length;
    }
    lengths.push_back(length);
    return lengths;
  }

  Json story() const {
    Json events = Json::array();
    for (const std::uint64_t event : events_of_story(trace_, finding_))
      if (window_.has(event)) events.push_back(event - window_.begin);
    return events;
  }

  Json arrows() const {
    Json all = Json::array();
    for (const Arrow& arrow : synchronisation_arrows(trace_, reads_from_))
      if (window_.has(arrow.from) && window_.has(arrow.to)) {
        all.push_back(arrow.to - window_.begin);
        all.push_back(arrow.to - arrow.from);
      }
    return all;
  }

  /// Thread, object, from, until (-1: the end), by a reader?
  Json locks() {
    Json all = Json::array();
    for (const LockSpan& span : lock_spans(trace_)) {
      const Held& held = span.held;
      if (held.event >= window_.end || span.until < window_.begin) continue;
      const std::uint64_t from = std::max(held.event, window_.begin) - window_.begin;
      const std::int64_t until = window_.has(span.until) ? static_cast<std::int64_t>(span.until - window_.begin) : -1;
      all.push_back({index_of(held.thread), string(names_.at(held.object, held.event)), from, until, held.shared ? 1 : 0});
    }
    return all;
  }

  /// Store and the event at which it reached memory (-1: never).
  Json buffers() const {
    std::unordered_map<std::uint64_t, std::uint64_t> flushed;
    for (std::uint64_t i = 0; i < trace_.events.size(); ++i)
      if (kind_of(trace_.events[i]) == TREADLE_EV_FLUSH) flushed[trace_.events[i].extra] = i;
    Json all = Json::array();
    for (const std::int64_t store : buffered_) {
      const std::uint64_t number = static_cast<std::uint64_t>(store) + window_.begin;
      if (!writes_memory(kind_of(trace_.events[number]))) continue;
      const auto flush = flushed.find(number);
      const bool shown = flush != flushed.end() && window_.has(flush->second);
      all.push_back({store, shown ? static_cast<std::int64_t>(flush->second - window_.begin) : -1});
    }
    return all;
  }

  const Finding& finding_;
  const Trace& trace_;
  const Symbols& symbols_;
  const std::function<int(const SourceFrame&)>& file_number_;
  Names names_;
  ReadsFrom reads_from_;
  Window window_;
  std::vector<Row> rows_;
  std::vector<std::int64_t> left_, buffered_;
  std::map<unsigned, std::int64_t> waiting_;  // by thread: its row
  std::int64_t end_row_ = -1;
  Table<std::string> strings_, operations_;
  Table<std::pair<std::uint64_t, Pc>> places_;
};

}  // namespace

HtmlRun html_run(const Finding& finding, const Trace& trace, const Symbols& symbols,
                 const std::function<int(const SourceFrame&)>& file_number) {
  return Writer(finding, trace, symbols, file_number).write();
}

}  // namespace treadle
