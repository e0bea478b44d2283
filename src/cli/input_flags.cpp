// SPDX-License-Identifier: Apache-2.0
#include "cli/input_flags.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "abi/sources.h"
#include "report/result.h"

namespace treadle {
namespace {

constexpr const char* how_inputs_are_written = "inputs are written 3,0,-7 (of the main thread), 0.1:5,6 (of thread 0.1), limit=9 (by name)";

Result<std::uint64_t> number_in(std::string_view text) {
  std::int64_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || stop != text.data() + text.size())
    return Problem{fmt::format("\"{}\" is not a whole number", text), how_inputs_are_written};
  return static_cast<std::uint64_t>(number);
}

/// "3", "0.1:3", "limit=3"; `thread` is the one named last.
Result<Done> add_input(GivenInputs& inputs, const std::string& word, std::string& thread) {
  if (const std::size_t equals = word.rfind('='); equals != std::string::npos) {
    const std::string name = word.substr(0, equals);
    const auto value = number_in(std::string_view(word).substr(equals + 1));
    if (!value) return value.problem();
    if (name.empty() || name.find('\n') != std::string::npos) return Problem{fmt::format("\"{}\" is not the name of an input", name), ""};
    if (!inputs.add_named(name, *value)) return Problem{fmt::format("input {} is given twice", name), ""};
    return Done{};
  }
  const std::size_t colon = word.find(':');
  if (colon != std::string::npos) {
    thread = word.substr(0, colon);
    if (!thread_hash(thread)) return Problem{fmt::format("\"{}\" is not the name of a thread", thread), how_inputs_are_written};
  }
  const auto value = number_in(std::string_view(word).substr(colon == std::string::npos ? 0 : colon + 1));
  if (!value) return value.problem();
  inputs.add(thread, *value);
  return Done{};
}

Result<Done> set_inputs(Options& options, const std::string& value) {
  options.schedule.inputs = {};
  std::string thread = "0";
  for (std::size_t at = 0; at <= value.size();) {
    const std::size_t end = std::min(value.find(',', at), value.size());
    if (auto added = add_input(options.schedule.inputs, value.substr(at, end - at), thread); !added) return added;
    at = end + 1;
  }
  return Done{};
}

std::string asked_for() {
  const char* text = std::getenv(TREADLE_ENV_SOURCES);
  return text == nullptr ? "" : text;
}

Result<Done> ask(const std::string& kind, const std::string& what) {
  if (what.empty() || what.find('\n') != std::string::npos) return Problem{fmt::format("\"{}\" is not valid", what), ""};
  const std::string before = asked_for();
  ::setenv(TREADLE_ENV_SOURCES, (before.empty() ? kind + " " + what : before + "\n" + kind + " " + what).c_str(), 1);
  return Done{};
}

Result<Done> ask_number(const std::string& kind, const std::string& value) {
  if (value.empty() || value.size() > 4 || !std::ranges::all_of(value, [](unsigned char c) { return c >= '0' && c <= '9'; }) ||
      value == "0")
    return Problem{fmt::format("\"{}\" is not a number between 1 and 4096", value), ""};
  return ask(kind, value);
}

Result<Done> ask_file(const std::string& path) {
  std::error_code error;
  const auto whole = std::filesystem::canonical(path, error);
  if (error) return Problem{fmt::format("cannot read {}: {}", path, error.message()), ""};
  return ask("file", whole.string());
}

}  // namespace

Result<Done> set_stdin(Options& options, const std::string& value) {
  if (::access(value.c_str(), R_OK) != 0) return Problem{fmt::format("cannot read {}: {}", value, std::strerror(errno)), ""};
  options.subject.stdin_file = value;
  return Done{};
}

std::vector<Flag> input_flags() {
  const char* group = "Running the program";
  return {
      {"--inputs", "VALUES", group,
       "what the program gets when it asks for inputs: 3,0,-7 what its main thread gets, in this order; 0.1:5,6 what thread 0.1 gets; "
       "limit=9 what any thread gets for the input of that name (default, and behind the last: 0, or what is nearest to it; random "
       "and pct draw them)",
       set_inputs},
      {"--symbolic-stdin", "N", group, "the first N bytes of standard input, and there are no more, are inputs that may be anything",
       [](Options&, const std::string& v) { return ask_number("stdin", v); }},
      {"--symbolic-arg", "I", group, "so are the bytes of the I-th argument, which stays as long as it is or becomes shorter",
       [](Options&, const std::string& v) { return ask_number("arg", v); }},
      {"--symbolic-env", "NAME", group, "so are those of an environment variable",
       [](Options&, const std::string& v) { return ask("env", v); }},
      {"--symbolic-file", "PATH", group, "so are those of a file, wherever the program opens it for reading",
       [](Options&, const std::string& v) { return ask_file(v); }},
  };
}

std::string symbolic_sources() {
  std::istringstream lines(asked_for());
  std::string flags, kind, what;
  while (lines >> kind && std::getline(lines >> std::ws, what)) flags += fmt::format(" --symbolic-{} {}", kind, shell_quoted(what));
  return flags;
}

}  // namespace treadle
