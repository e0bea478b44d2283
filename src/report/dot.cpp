// SPDX-License-Identifier: Apache-2.0
#include "report/dot.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "trace/happens_before.h"
#include "trace/text.h"

namespace treadle {
namespace {

EventKind kind_of(const Event& event) { return static_cast<EventKind>(event.kind); }

/// Notes of the runtime to itself are no part of the picture.
bool is_drawn(const Event& event) { return is_visible(kind_of(event), Races::Explore) || is_trouble(kind_of(event)); }

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out + "\"";
}

std::string label_of(const Trace& trace, std::uint64_t number, const Names& names, const Symbols* symbols) {
  const EventText words = describe(trace, number, names, symbols);
  std::string text = words.operation;
  for (const std::string& word : {words.object, words.value})
    if (!word.empty()) text += " " + word;
  return words.place.empty() ? text : text + "  " + words.place;
}

/// Orders that other threads impose: who made whom, who is waited for, whose unlock lets whom in.
class Synchronisation {
 public:
  /// The event of another thread that lets this one happen, if it is that simple.
  std::optional<std::uint64_t> before(const Trace& trace, std::uint64_t number) {
    const Event& event = trace.events[number];
    switch (kind_of(event)) {
      case TREADLE_EV_THREAD_CREATE:
        created_[event.value] = number;
        return std::nullopt;
      case TREADLE_EV_THREAD_START:
        return find(created_, event.thread);
      case TREADLE_EV_THREAD_EXIT:
        exited_[event.thread] = number;
        return std::nullopt;
      case TREADLE_EV_THREAD_JOIN:
        return find(exited_, event.value);
      case TREADLE_EV_UNLOCK:
      case TREADLE_EV_RWUNLOCK:
      case TREADLE_EV_SPIN_UNLOCK:
      case TREADLE_EV_SEM_POST:
      case TREADLE_EV_COND_SIGNAL:
      case TREADLE_EV_COND_BROADCAST:
      case TREADLE_EV_ONCE_END:
        released_[event.address] = number;
        return std::nullopt;
      case TREADLE_EV_COND_WAIT:
        released_[event.value] = number;
        return std::nullopt;
      case TREADLE_EV_COND_WOKEN:
        return event.extra == 0 ? find(released_, event.address) : std::nullopt;
      case TREADLE_EV_LOCK:
      case TREADLE_EV_TRYLOCK:
      case TREADLE_EV_TIMEDLOCK:
      case TREADLE_EV_RDLOCK:
      case TREADLE_EV_WRLOCK:
      case TREADLE_EV_SPIN_LOCK:
      case TREADLE_EV_SEM_WAIT:
        return event.extra == 0 ? find(released_, event.address) : std::nullopt;
      default:
        return std::nullopt;
    }
  }

 private:
  using Table = std::unordered_map<std::uint64_t, std::uint64_t>;
  static std::optional<std::uint64_t> find(const Table& table, std::uint64_t key) {
    const auto found = table.find(key);
    return found == table.end() ? std::nullopt : std::optional(found->second);
  }
  Table created_, exited_, released_;
};

}  // namespace

std::string dot_of(const Trace& trace, const Symbols* symbols) {
  const Names names(trace, symbols);
  const ReadsFrom reads_from(trace);
  std::map<unsigned, std::vector<std::uint64_t>> by_thread;
  for (std::uint64_t i = 0; i < trace.events.size(); ++i)
    if (is_drawn(trace.events[i])) by_thread[trace.events[i].thread].push_back(i);

  std::string text = "digraph execution {\n  node [shape=plaintext, fontname=\"monospace\"];\n  edge [fontname=\"monospace\"];\n";
  for (const auto& [thread, events] : by_thread) {
    text += fmt::format("  subgraph cluster_{} {{\n    label={};\n", thread,
                        quoted("thread " + names.thread(ThreadId{static_cast<std::uint8_t>(thread)})));
    for (const std::uint64_t event : events)
      text += fmt::format("    e{} [label={}{}];\n", event, quoted(label_of(trace, event, names, symbols)),
                          is_trouble(kind_of(trace.events[event])) ? ", fontcolor=red" : "");
    for (std::size_t i = 1; i < events.size(); ++i) text += fmt::format("    e{} -> e{} [weight=10];\n", events[i - 1], events[i]);
    text += "  }\n";
  }
  Synchronisation synchronisation;
  for (std::uint64_t i = 0; i < trace.events.size(); ++i) {
    const Event& event = trace.events[i];
    if (!is_drawn(event)) continue;
    if (reads_memory(kind_of(event)))
      if (const Source source = reads_from.of(i); source.kind == Source::Kind::Write && trace.events[source.event].thread != event.thread)
        text += fmt::format("  e{} -> e{} [label=\"rf\", color=green, fontcolor=green, constraint=false];\n", source.event, i);
    if (const auto before = synchronisation.before(trace, i); before && trace.events[*before].thread != event.thread)
      text += fmt::format("  e{} -> e{} [label=\"sync\", color=blue, fontcolor=blue];\n", *before, i);
  }
  return text + fmt::format("  label={};\n}}\n", quoted(std::string("ended: ") + text_of(trace.end.ending)));
}

}  // namespace treadle
