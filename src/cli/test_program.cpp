// SPDX-License-Identifier: Apache-2.0
#include "cli/test_program.h"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <functional>

#include "base/atomic_file.h"
#include "base/mapped_file.h"
#include "cli/words.h"

extern char** environ;

namespace treadle {
namespace {

constexpr auto patience = std::chrono::seconds(10);
constexpr std::size_t longest_list = 16 << 20;

struct Answer {
  std::string printed;
  int status = 0;
  bool in_time = false;
};

/// Runs it as the user would, and reads what it prints.
Result<Answer> ask(const std::string& program, std::vector<std::string> words) {
  words.insert(words.begin(), program);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  int pipe[2];
  if (::pipe2(pipe, O_CLOEXEC) != 0) return Problem{fmt::format("cannot ask {} for its tests: {}", program, std::strerror(errno)), ""};
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, pipe[1], 1);
  ::posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  pid_t child = -1;
  const int failed = ::posix_spawn(&child, program.c_str(), &actions, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(pipe[1]);
  Answer answer;
  const auto until = std::chrono::steady_clock::now() + patience;
  while (failed == 0 && answer.printed.size() < longest_list) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now()).count();
    pollfd readable{pipe[0], POLLIN, 0};
    if (left <= 0 || (::poll(&readable, 1, static_cast<int>(left)) <= 0 && errno != EINTR)) break;
    char part[4096];
    const ssize_t got = ::read(pipe[0], part, sizeof part);
    if (got <= 0) {
      answer.in_time = got == 0;
      break;
    }
    answer.printed.append(part, static_cast<std::size_t>(got));
  }
  ::close(pipe[0]);
  if (failed != 0) return Problem{fmt::format("cannot start {}: {}", program, std::strerror(failed)), ""};
  if (!answer.in_time) ::kill(child, SIGKILL);
  while (::waitpid(child, &answer.status, 0) < 0 && errno == EINTR) {
  }
  return answer;
}

bool is_flag(const std::string& word, std::string_view name) {
  const std::string_view bare = std::string_view(word).substr(std::min(word.find_first_not_of('-'), word.size()));
  return word.starts_with('-') && (bare == name || (bare.starts_with(name) && bare.substr(name.size()).starts_with('=')));
}

bool is_disabled(const std::string& name) { return name.starts_with("DISABLED_") || name.find("/DISABLED_") != std::string::npos; }

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

/// In a test specification of Catch2 these mean something.
std::string escaped_for_catch(const std::string& name) {
  std::string out;
  for (const char c : name) {
    if (std::string_view(",[]\"\\~").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

/// Words that choose tests are those without a dash; those with a value of their own are few.
std::vector<std::string> flags_for_catch(const std::vector<std::string>& arguments) {
  static const std::vector<std::string> with_value{"-o",
                                                   "--out",
                                                   "-r",
                                                   "--reporter",
                                                   "-x",
                                                   "--abortx",
                                                   "-w",
                                                   "--warn",
                                                   "-d",
                                                   "--durations",
                                                   "-D",
                                                   "--min-duration",
                                                   "-f",
                                                   "--input-file",
                                                   "-c",
                                                   "--section",
                                                   "-v",
                                                   "--verbosity",
                                                   "--order",
                                                   "--rng-seed",
                                                   "--use-colour",
                                                   "--colour-mode",
                                                   "--libidentify",
                                                   "--wait-for-keypress",
                                                   "--benchmark-samples",
                                                   "--benchmark-resamples",
                                                   "--benchmark-confidence-interval",
                                                   "--benchmark-warmup-time"};
  std::vector<std::string> flags;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i].starts_with('-')) continue;
    const bool takes_next = std::ranges::find(with_value, arguments[i]) != with_value.end() && i + 1 < arguments.size();
    // Where the report goes is not the place where we look for it.
    const bool of_the_report = arguments[i] == "-o" || arguments[i] == "--out" || arguments[i] == "-r" || arguments[i] == "--reporter";
    if (!of_the_report) flags.push_back(arguments[i]);
    if (takes_next && !of_the_report) flags.push_back(arguments[i + 1]);
    if (takes_next) ++i;
  }
  return flags;
}

using Names = std::optional<std::vector<std::string>>;  // nothing: it did not answer as a test program does

Result<Names> ask_google_test(const std::string& program, std::vector<std::string> arguments) {
  const bool with_disabled = std::ranges::any_of(arguments, [](const std::string& word) {
    return is_flag(word, "gtest_also_run_disabled_tests") && !word.ends_with("=0") && !word.ends_with("=false");
  });
  arguments.push_back("--gtest_list_tests");
  const auto answer = ask(program, arguments);
  if (!answer) return answer.problem();
  if (!answer->in_time || !WIFEXITED(answer->status) || WEXITSTATUS(answer->status) != 0) return Names{};
  return Names{listed_by_google_test(answer->printed, with_disabled)};
}

/// Catch2 2 has a flag for bare names and returns their number; in Catch2 3 it is a matter of verbosity.
Result<Names> ask_catch(const std::string& program, const std::vector<std::string>& arguments) {
  for (const std::vector<std::string>& flags :
       {std::vector<std::string>{"--list-test-names-only"}, std::vector<std::string>{"--list-tests", "--verbosity", "quiet"}}) {
    std::vector<std::string> words = arguments;
    words.insert(words.end(), flags.begin(), flags.end());
    const auto answer = ask(program, words);
    if (!answer) return answer.problem();
    auto tests = listed_by_catch(answer->printed);
    const bool refused = answer->printed.find("Error(s) in input") != std::string::npos;
    if (!answer->in_time || refused || !WIFEXITED(answer->status)) continue;
    const auto status = static_cast<std::size_t>(WEXITSTATUS(answer->status));
    if (status == 0 || status == (tests.size() & 0xff) || tests.size() > 255) return Names{std::move(tests)};
  }
  return Names{};
}

Result<Names> ask_for_tests(Framework framework, const std::string& program, const std::vector<std::string>& arguments) {
  return framework == Framework::GoogleTest ? ask_google_test(program, arguments) : ask_catch(program, arguments);
}

/// The same without the user's filter.
std::vector<std::string> for_all_tests(Framework framework, const std::vector<std::string>& arguments) {
  return framework == Framework::GoogleTest ? arguments_for(framework, "*", arguments) : flags_for_catch(arguments);
}

}  // namespace

const char* text_of(Framework framework) {
  switch (framework) {
    case Framework::GoogleTest:
      return "GoogleTest";
    case Framework::Catch2:
      return "Catch2";
    case Framework::Listed:
      return "listed";
  }
  return "?";
}

std::vector<std::string_view> without_debug_information(std::string_view file) {
  Elf64_Ehdr head;
  const auto whole = [&] { return std::vector{file}; };
  if (file.size() < sizeof head) return whole();
  std::memcpy(&head, file.data(), sizeof head);
  const auto section = [&](std::uint64_t number) {
    Elf64_Shdr section{};
    const std::uint64_t at = head.e_shoff + number * sizeof section;
    if (at <= file.size() && file.size() - at >= sizeof section) std::memcpy(&section, file.data() + at, sizeof section);
    return section;
  };
  const auto within = [&](const Elf64_Shdr& s) { return s.sh_offset <= file.size() && s.sh_size <= file.size() - s.sh_offset; };
  const Elf64_Shdr names = section(head.e_shstrndx);
  if (std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_shentsize != sizeof(Elf64_Shdr) || !within(names)) return whole();
  std::vector<std::string_view> parts;
  for (std::uint64_t number = 0; number < head.e_shnum; ++number) {
    const Elf64_Shdr one = section(number);
    if (!within(one) || one.sh_name >= names.sh_size) return whole();
    const std::string_view name = file.substr(names.sh_offset + one.sh_name);
    if (one.sh_type != SHT_NOBITS && !name.starts_with(".debug")) parts.push_back(file.substr(one.sh_offset, one.sh_size));
  }
  return parts;
}

std::optional<Framework> framework_in(std::string_view file) {
  // Programs are large, and marks are long enough to be looked for in leaps.
  const auto has = [&](std::string_view mark) {
    return std::search(file.begin(), file.end(), std::boyer_moore_horspool_searcher(mark.begin(), mark.end())) != file.end();
  };
  if (has("_ZN7testing8UnitTest") || has("--gtest_list_tests") || has("gtest_also_run_disabled_tests")) return Framework::GoogleTest;
  if (has("_ZN5Catch7Session") || has("Catch v2") || has("is a Catch2 v")) return Framework::Catch2;
  return std::nullopt;
}

std::vector<std::string> listed_by_google_test(const std::string& printed, bool with_disabled) {
  std::vector<std::string> names;
  std::string suite;
  for (std::string line : lines_of(printed)) {
    if (const std::size_t comment = line.find("  # "); comment != std::string::npos) line.erase(comment);
    while (line.ends_with(' ') || line.ends_with('\r')) line.pop_back();
    if (line.starts_with("  ") && !suite.empty()) {
      const std::string name = suite + line.substr(2);
      if (with_disabled || (!is_disabled(suite) && !is_disabled(line.substr(2)))) names.push_back(name);
    } else {
      suite = line.ends_with('.') && line.find(' ') == std::string::npos ? line : "";
    }
  }
  return names;
}

std::vector<std::string> listed_by_catch(const std::string& printed) {
  std::vector<std::string> names;
  for (const std::string& line : lines_of(printed)) {
    if (line.empty()) continue;
    // A name that begins with # is put in quotes.
    const bool quoted = line.size() > 2 && line.starts_with("\"#") && line.ends_with('"');
    names.push_back(quoted ? line.substr(1, line.size() - 2) : line);
  }
  return names;
}

Result<std::optional<TestProgram>> tests_of(const std::string& program, const std::vector<std::string>& arguments) {
  const MappedFile file(program);
  if (!file.ok()) return Problem{"cannot read " + program, ""};
  std::optional<Framework> framework;
  for (const std::string_view part : without_debug_information(file.bytes()))
    if (const auto found = framework_in(part); found && framework != Framework::GoogleTest) framework = found;
  if (!framework) return std::optional<TestProgram>{};
  auto names = ask_for_tests(*framework, program, arguments);
  if (!names) return names.problem();
  // No names at all: does the filter leave none, or does the program not know what it was asked?
  if (*names && (*names)->empty()) {
    const auto all = ask_for_tests(*framework, program, for_all_tests(*framework, arguments));
    if (!all) return all.problem();
    if (!*all || (*all)->empty()) return std::optional<TestProgram>{};
  }
  if (!*names) return std::optional<TestProgram>{};
  return std::optional<TestProgram>{{*framework, std::move(**names)}};
}

Result<TestProgram> tests_listed_in(const std::string& file) {
  const auto text = read_file(file, 1ull << 31);
  if (!text) return text.problem();
  TestProgram program{Framework::Listed, {}};
  for (const std::string& line : lines_of(*text)) {
    const auto words = split_words(line);
    if (!words) return Problem{fmt::format("{}: {}, in the line \"{}\"", file, words.problem().sentence, line), ""};
    if (!words->empty() && !line.starts_with('#')) program.tests.push_back(line);
  }
  return program;
}

std::vector<std::string> arguments_for(Framework framework, const std::string& test, const std::vector<std::string>& arguments) {
  if (framework == Framework::Listed) {
    std::vector<std::string> words = arguments;
    const auto more = split_words(test);
    if (more) words.insert(words.end(), more->begin(), more->end());
    return words;
  }
  if (framework == Framework::Catch2) {
    std::vector<std::string> words{escaped_for_catch(test)};
    for (std::string& flag : flags_for_catch(arguments)) words.push_back(std::move(flag));
    return words;
  }
  std::vector<std::string> words;
  for (const std::string& word : arguments)
    if (!is_flag(word, "gtest_filter") && !is_flag(word, "gtest_shuffle") && !is_flag(word, "gtest_output")) words.push_back(word);
  words.push_back("--gtest_filter=" + test);
  return words;
}

}  // namespace treadle
