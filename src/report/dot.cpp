// SPDX-License-Identifier: Apache-2.0
#include "report/dot.h"

#include <fmt/format.h>

#include <map>
#include <vector>

#include "report/html_arrows.h"
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
  for (std::uint64_t i = 0; i < trace.events.size(); ++i) {
    const Event& event = trace.events[i];
    if (!is_drawn(event)) continue;
    if (reads_memory(kind_of(event)))
      if (const Source source = reads_from.of(i); source.kind == Source::Kind::Write && trace.events[source.event].thread != event.thread)
        text += fmt::format("  e{} -> e{} [label=\"rf\", color=green, fontcolor=green, constraint=false];\n", source.event, i);
  }
  for (const Arrow& arrow : synchronisation_arrows(trace, reads_from))
    if (is_drawn(trace.events[arrow.from]) && is_drawn(trace.events[arrow.to]))
      text += fmt::format("  e{} -> e{} [label=\"sync\", color=blue, fontcolor=blue];\n", arrow.from, arrow.to);
  return text + fmt::format("  label={};\n}}\n", quoted(std::string("ended: ") + text_of(trace.end.ending)));
}

}  // namespace treadle
