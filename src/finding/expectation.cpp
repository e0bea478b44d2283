// SPDX-License-Identifier: Apache-2.0
#include "finding/expectation.h"

#include <charconv>
#include <vector>

namespace treadle {
namespace {

constexpr std::size_t longest_message = 300;

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.back() == ' ' || text.back() == '\r' || text.back() == '\t')) text.remove_suffix(1);
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  return text;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t end = 0; !text.empty(); text.remove_prefix(std::min(end + 1, text.size()))) {
    end = std::min(text.find('\n'), text.size());
    lines.push_back(trimmed(text.substr(0, end)));
  }
  return lines;
}

/// "queue_test.cpp:12" before one of the endings; nothing: the line is no such head.
bool read_head(std::string_view line, FailedExpectation& out) {
  for (const std::string_view end : {": Failure", ": FAILED:"}) {
    if (!line.ends_with(end)) continue;
    line.remove_suffix(end.size());
    const std::size_t colon = line.rfind(':');
    if (colon == std::string_view::npos) return true;  // "unknown file"
    const std::string_view number = line.substr(colon + 1);
    if (std::from_chars(number.data(), number.data() + number.size(), out.line).ptr != number.data() + number.size()) return true;
    out.file = line.substr(0, colon);
    return true;
  }
  return false;
}

/// An empty line, a ruler, a line of progress, or the next failure.
bool ends_message(std::string_view line) {
  FailedExpectation next;
  return line.empty() || line.starts_with("[  ") || line.starts_with("====") || line.starts_with("----") || line.starts_with("....") ||
         read_head(line, next);
}

void append(std::string& message, std::string_view line) {
  if (!message.empty()) message += message.ends_with(':') ? " " : ", ";
  message += line;
}

std::string shortened(std::string message) {
  if (message.size() <= longest_message) return message;
  std::size_t end = longest_message;
  while (end > 0 && (static_cast<unsigned char>(message[end]) & 0xc0) == 0x80) --end;  // not within a character
  return message.substr(0, end) + "…";
}

}  // namespace

bool has_failing_status(const Trace& trace) { return trace.end.ending == TREADLE_END_COMPLETED && trace.end.extra != 0; }

FailedExpectation failed_expectation(std::string_view printed) {
  const auto lines = lines_of(printed);
  FailedExpectation found;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!read_head(lines[i], found)) continue;
    for (std::size_t next = i + 1; next < lines.size() && !ends_message(lines[next]); ++next) append(found.message, lines[next]);
    found.message = shortened(found.message);
    return found;
  }
  for (const std::string_view line : lines)
    if (!line.empty()) found.message = shortened(std::string(line));
  return found;
}

}  // namespace treadle
