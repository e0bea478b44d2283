// SPDX-License-Identifier: Apache-2.0
#include "record/text.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <cstdlib>
#include <deque>
#include <memory>

#include "record/decode.h"

namespace treadle {
namespace {

std::string plain_name(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> plain(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && plain ? plain.get() : name;
}

/// One line for each stretch of blocks in one function; the oldest lines are dropped when there are too many.
class Lines : public PathVisitor {
 public:
  Lines(const PathTables& tables, std::size_t most) : tables_(tables), most_(most) {}

  void enter(std::uint32_t function) override {
    add(fmt::format("{} ({})", plain_name(tables_.functions()[function].name), tables_.functions()[function].source));
    ++depth_;
  }
  void blocks(std::uint32_t function, std::span<const std::uint32_t> list, std::uint64_t times) override {
    count += list.size() * times;
    std::string text;
    for (std::uint32_t block : list) text += fmt::format("{}{}", text.empty() ? "" : " ", block);
    if (list.empty()) return;
    const std::uint32_t line = tables_.functions()[function].lines[list.front()];
    const std::string where = line != 0 ? fmt::format("  (line {})", line) : "";
    add(times == 1 ? text + where : fmt::format("[{}] x {}{}", text, times, where));
  }
  void leave(std::uint32_t) override {
    if (depth_ > 0) --depth_;
  }
  void unwound(std::span<const std::uint32_t> functions) override {
    depth_ -= std::min(depth_, functions.size());
    add(fmt::format("unwound through {} functions", functions.size()));
  }
  void gap() override {
    depth_ = 0;
    add("... what was done here is not known");
  }
  void value(TreadleValueKind kind, std::uint64_t value) override {
    static constexpr const char* names[] = {"", "input", "time", "random"};
    add(fmt::format("{}: {}", names[kind], value));
  }

  std::uint64_t count = 0;
  std::uint64_t dropped = 0;
  std::deque<std::string> lines;

 private:
  void add(const std::string& text) {
    lines.push_back(std::string(2 * std::min<std::size_t>(depth_ + 2, 40), ' ') + text);
    if (most_ == 0 || lines.size() <= most_) return;
    lines.pop_front();
    ++dropped;
  }

  const PathTables& tables_;
  const std::size_t most_;
  std::size_t depth_ = 0;
};

std::string text_of(const Tail& tail, const PathTables& tables) {
  if (tail.frames.empty()) return "";
  const Tail::Frame& last = tail.frames.back();
  const PathFunction& function = tables.functions()[last.function];
  const PathNode& node = function.nodes[last.node];
  const std::string where = fmt::format("{}, block {}{}", plain_name(function.name), node.block,
                                        function.lines[node.block] != 0 ? fmt::format(" (line {})", function.lines[node.block]) : "");
  if (last.in_call) return fmt::format("    in or right behind a call from {}\n", where);
  if (tail.in_counted_loop) return fmt::format("    in the loop at {}\n", where);
  return fmt::format("    on one of {} paths from {}\n", tail.paths, where);
}

const char* text_of(TreadleStreamState state) {
  return state == TREADLE_STREAM_ENDED ? "ended" : state == TREADLE_STREAM_CUT ? "cut" : "did not end";
}

}  // namespace

Result<std::string> text_of(const RecordedRun& recording, std::size_t most_lines) {
  const RecordingBegin& begin = recording.begin;
  std::string text = fmt::format("recording of {}", begin.program);
  for (const std::string& argument : begin.arguments) text += " " + argument;
  text += fmt::format("\n  ended:    {}\n  backend:  {}\n  machine:  {}\n  build:    {:016x}{}{}\n  threads:  {}\n", ending_of(recording),
                      begin.backend, begin.machine, begin.binary_hash, begin.build_id.empty() ? "" : ", ", begin.build_id,
                      recording.threads.size());
  if (recording.stdin_bytes) text += fmt::format("  stdin:    {} bytes\n", recording.stdin_bytes->size());
  for (const std::string& note : recording.notes) text += fmt::format("  note:     {}\n", note);
  if (recording.end)
    for (const HungThread& thread : recording.end->hung)
      text += fmt::format("  hung:     tid {} {} at {:#x}\n", thread.tid, thread.doing, thread.pc);
  for (const ThreadStream& thread : recording.threads) {
    Lines lines(recording.tables, most_lines);
    const auto tail = decode_stream(recording.tables, thread.bytes, thread.state == TREADLE_STREAM_ENDED, lines, thread.resumes);
    if (!tail) return Problem{fmt::format("thread {}: {}", thread.name, tail.problem().sentence), tail.problem().hint};
    text +=
        fmt::format("\n  thread {} ({}): {} blocks in {} bytes\n", thread.name, text_of(thread.state), lines.count, thread.bytes.size());
    if (lines.dropped > 0) text += fmt::format("    ... {} lines before\n", lines.dropped);
    for (const std::string& line : lines.lines) text += line + "\n";
    text += text_of(*tail, recording.tables);
  }
  return text;
}

}  // namespace treadle
