// SPDX-License-Identifier: Apache-2.0
#include "report/readable.h"

#include <string_view>

namespace treadle {
namespace {

constexpr std::size_t kLongestArguments = 60;

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) text.replace(at, what.size(), by);
}

/// One past the bracket that closes the one at `open`, or npos.
std::size_t end_of_bracket(const std::string& text, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < text.size(); ++at) {
    if (text[at] == '<') ++depth;
    if (text[at] == '>' && at > 0 && text[at - 1] != '-' && --depth == 0) return at + 1;
  }
  return std::string::npos;
}

/// Template arguments that nobody writes because they are the default.
void drop_default_argument(std::string& text, std::string_view start) {
  for (std::size_t at = text.find(start); at != std::string::npos; at = text.find(start, at)) {
    const std::size_t end = end_of_bracket(text, at + start.size() - 1);
    if (end == std::string::npos) return;
    text.erase(at, end - at);
    if (at < text.size() && text[at] == ' ') text.erase(at, 1);
  }
}

/// The parameter list is the last pair of parentheses, less what qualifies the function.
void shorten_arguments(std::string& text) {
  const std::size_t close = text.rfind(')');
  if (close == std::string::npos) return;
  int depth = 0;
  std::size_t open = close;
  for (;; --open) {
    if (text[open] == ')') ++depth;
    if (text[open] == '(' && --depth == 0) break;
    if (open == 0) return;
  }
  if (close - open > kLongestArguments) text.replace(open + 1, close - open - 1, "…");
}

}  // namespace

std::string readable(std::string function) {
  replace_all(function, "std::__cxx11::", "std::");
  replace_all(function, "std::basic_string<char, std::char_traits<char>, std::allocator<char> >", "std::string");
  for (const char* start :
       {", std::allocator<", ", std::less<", ", std::hash<", ", std::equal_to<", ", std::default_delete<", ", std::char_traits<"})
    drop_default_argument(function, start);
  replace_all(function, " >", ">");
  shorten_arguments(function);
  return function;
}

}  // namespace treadle
