// SPDX-License-Identifier: Apache-2.0
#include "cli/walk.h"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <iostream>
#include <map>

#include "trace/happens_before.h"
#include "trace/names.h"
#include "trace/text.h"

namespace treadle {
namespace {

class SourceLines {
 public:
  /// The line without the space around it; empty when the file cannot be read.
  std::string at(const SourceFrame& frame) {
    if (frame.file.empty() || frame.line == 0) return "";
    const auto [entry, is_new] = files_.try_emplace(frame.file);
    if (is_new) {
      std::ifstream file(frame.file);
      for (std::string line; std::getline(file, line);) entry->second.push_back(line);
    }
    if (frame.line > entry->second.size()) return "";
    const std::string& line = entry->second[frame.line - 1];
    const auto first = line.find_first_not_of(" \t");
    return first == std::string::npos ? "" : line.substr(first, line.find_last_not_of(" \t\r") - first + 1);
  }

 private:
  std::map<std::string, std::vector<std::string>> files_;
};

std::string where_from(const Trace& trace, std::uint64_t event, const ReadsFrom& reads_from) {
  if (!reads_memory(static_cast<EventKind>(trace.events[event].kind))) return "";
  const Source source = reads_from.of(event);
  if (source.kind != Source::Kind::Write) return source.kind == Source::Kind::Initial ? " (initial value)" : "";
  const Event& write = trace.events[source.event];
  return fmt::format(" (written by {} in step {})", name_of(ThreadId{write.thread}, trace.threads), write.step);
}

/// "read counter 0 (initial value)"
std::string sentence_of(const EventText& text, const Trace& trace, std::uint64_t event, const ReadsFrom& reads_from) {
  std::string sentence = text.operation;
  for (const std::string& word : {text.object, text.value})
    if (!word.empty()) sentence += " " + word;
  return sentence + where_from(trace, event, reads_from);
}

/// False: the user has seen enough.
bool wait_for_enter() {
  std::string line;
  return std::getline(std::cin, line) && line != "q";
}

}  // namespace

void walk_through(const Trace& trace, const Symbols& symbols) {
  const bool interactive = isatty(STDIN_FILENO);
  if (interactive) fmt::print("Enter: next step, q: leave\n");
  const Names names(trace, &symbols);
  const ReadsFrom reads_from(trace);
  SourceLines sources;
  std::string previous;
  for (std::uint64_t i = 0; i < trace.events.size(); ++i) {
    const EventText text = describe(trace, i, names, &symbols);
    if (text.thread != previous) fmt::print("── thread {}\n", text.thread);
    previous = text.thread;
    fmt::print("{:>6}  {}\n", text.step, sentence_of(text, trace, i, reads_from));
    const SourceFrame frame = trace.events[i].pc ? user_frame(SourceStack{symbols.frames_at(trace.events[i].pc)}) : SourceFrame{};
    if (const std::string line = sources.at(frame); !line.empty())
      fmt::print("        {}: {}\n", text_of(frame), line);
    else if (!text.place.empty() && text.place != "??")
      fmt::print("        {}\n", text.place);
    if (interactive) {
      std::fflush(stdout);
      if (!wait_for_enter()) return;
    }
  }
  fmt::print("── {}{}{}\n", text_of(trace.end.ending), trace.end.text.empty() ? "" : ": ", trace.end.text);
}

std::vector<DebugEvent> told_by(const Trace& trace, const Symbols& symbols) {
  const Names names(trace, &symbols);
  const ReadsFrom reads_from(trace);
  std::vector<DebugEvent> told;
  for (std::uint64_t i = 0; i < trace.events.size(); ++i) {
    const EventText text = describe(trace, i, names, &symbols);
    told.push_back({text.thread, sentence_of(text, trace, i, reads_from), text.place});
  }
  return told;
}

}  // namespace treadle
