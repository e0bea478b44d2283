// SPDX-License-Identifier: Apache-2.0
// What treadle/explore.h is made of: which call of which test this is, and how `treadle check` is started on it.
#pragma once

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

extern char** environ;

// Does Treadle decide what happens next? Not there: the program was built by another compiler.
extern "C" __attribute__((weak)) int treadle_in_control(void);

// Complete where the test includes GoogleTest or Catch2, whichever header comes first.
namespace testing {
class UnitTest;
class Test;
class AssertionResult;
}  // namespace testing
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wmismatched-tags"
#endif
namespace Catch {
struct IResultCapture;
IResultCapture& getResultCapture();
}  // namespace Catch
#if defined(__clang__)
#pragma clang diagnostic pop
#endif

namespace treadle {
namespace explore_detail {

constexpr const char* variable = "TREADLE_EXPLORE";  // in the program's environment: the call to be explored

/// Asked separately for each `Tag`, that is for each call: what is complete may differ from file to file.
template <class Type, class Tag, class = void>
struct IsComplete : std::false_type {};
template <class Type, class Tag>
struct IsComplete<Type, Tag, std::void_t<decltype(sizeof(Type))>> : std::true_type {};

template <class Result>
struct IsAssertionResult : std::enable_if<std::is_same<Result, testing::AssertionResult>::value> {};

template <class Tag, class UnitTest = testing::UnitTest, class Capture = Catch::IResultCapture>
std::string current_test() {
  if constexpr (IsComplete<UnitTest, Tag>::value) {
    if (const auto* info = UnitTest::GetInstance()->current_test_info()) return std::string(info->test_suite_name()) + "." + info->name();
  } else if constexpr (IsComplete<Capture, Tag>::value) {
    Capture& capture = Catch::getResultCapture();
    return capture.getCurrentTestName();
  }
  return "";
}

/// Results of expectations so far, of GoogleTest. Of Catch2 we ask that the first failure be thrown.
template <class Tag, class UnitTest = testing::UnitTest>
int expectations_so_far() {
  if constexpr (IsComplete<UnitTest, Tag>::value)
    if (const auto* info = UnitTest::GetInstance()->current_test_info()) return info->result()->total_part_count();
  return 0;
}

template <class Tag, class UnitTest = testing::UnitTest>
bool has_failed_since(int first) {
  if constexpr (IsComplete<UnitTest, Tag>::value)
    if (const auto* info = UnitTest::GetInstance()->current_test_info())
      for (int i = first; i < info->result()->total_part_count(); ++i)
        if (info->result()->GetTestPartResult(i).failed()) return true;
  return false;
}

inline std::vector<std::string> own_arguments() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  if (!words.empty()) words.erase(words.begin());
  return words;
}

/// The same program, with nothing but this test.
template <class Tag, class UnitTest = testing::UnitTest, class Capture = Catch::IResultCapture>
std::vector<std::string> arguments_for_test(const std::string& test) {
  std::vector<std::string> words;
  if constexpr (IsComplete<UnitTest, Tag>::value) {
    for (const std::string& word : own_arguments())
      if (word.compare(0, 8, "--gtest_") != 0) words.push_back(word);
    if (!test.empty()) words.insert(words.end(), {"--gtest_filter=" + test, "--gtest_also_run_disabled_tests"});
    return words;
  } else if constexpr (IsComplete<Capture, Tag>::value) {
    std::string name;
    for (const char c : test) {
      if (std::strchr(",[]\"\\~", c) != nullptr) name += '\\';
      name += c;
    }
    return {name, "--abort"};
  }
  return own_arguments();
}

/// A line may be passed several times in one test.
inline std::string name_of_call(const std::string& test, const char* file, int line) {
  static std::mutex mutex;
  static std::map<std::string, int> seen;
  const std::lock_guard<std::mutex> lock(mutex);
  const std::string place = test + " " + file + ":" + std::to_string(line);
  return place + " " + std::to_string(++seen[place]);
}

/// What came of a call, without the report.
struct Summary {
  bool passed = false, complete = false;
  unsigned long long executions = 0;
  std::string verdict;
};

inline std::map<std::string, Summary>& explored() {
  static std::map<std::string, Summary> all;
  return all;
}

/// The call to be explored and what came of the calls before it in the same test, so that the test does the same again.
inline std::string marker_for(const std::string& call, const std::string& test) {
  std::string text = call;
  for (const auto& one : explored()) {
    if (one.first.compare(0, test.size() + 1, test + " ") != 0) continue;
    const Summary& summary = one.second;
    text += "\x1f" + one.first + "\x1f" + (summary.passed ? "1" : "0") + (summary.complete ? "1" : "0") + summary.verdict + "\x1f" +
            std::to_string(summary.executions);
  }
  return text;
}

inline std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, '\x1f');) words.push_back(word);
  return words;
}

inline Summary summary_of(const std::string& call, const std::vector<std::string>& marker) {
  for (std::size_t i = 1; i + 2 < marker.size(); i += 3)
    if (marker[i] == call && marker[i + 1].size() >= 2)
      return {marker[i + 1][0] == '1', marker[i + 1][1] == '1', std::strtoull(marker[i + 2].c_str(), nullptr, 10), marker[i + 1].substr(2)};
  return {};
}

/// What is printed before is not of the lines: the runtime knows this one (output.cpp).
inline void begin() {
  std::puts("treadle::explore begins");
  std::fflush(stdout);
}

/// At the end of the lines: whatever the test would do next is not part of them.
[[noreturn]] inline void leave(int status) {
  std::fflush(stdout);
  std::_Exit(status);
}

struct Request {
  std::vector<std::string> options;  // of `treadle check`
  std::vector<std::string> arguments;
  std::string marker;
};

struct Answer {
  int status = 2;  // as of `treadle check`
  std::string verdict;
  unsigned long long executions = 0;
  std::string printed;
};

/// $TREADLE, else the one whose compiler built this file, else the first in PATH.
inline std::string tool() {
  if (const char* chosen = std::getenv("TREADLE")) return chosen;
#ifdef TREADLE_TOOL
  if (::access(TREADLE_TOOL, X_OK) == 0) return TREADLE_TOOL;
#endif
  return "treadle";
}

inline std::string contents_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// A field at the top of the tool's JSON, which it writes with one field in each line.
inline std::string field(const std::string& json, const std::string& name) {
  const std::string head = "\n  \"" + name + "\": ";
  const std::size_t at = json.find(head);
  if (at == std::string::npos) return "";
  const std::string rest = json.substr(at + head.size(), 100);
  const std::string value = rest.substr(0, rest.find_first_of(",\n"));
  return value.size() > 1 && value[0] == '"' ? value.substr(1, value.size() - 2) : value;
}

inline int run(std::vector<std::string> words, const std::string& output) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(&word[0]);
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 1, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  ::posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t child = -1;
  const int failed = ::posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return -1;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

inline Answer run_treadle(const Request& request) {
  Answer answer;
  const char* temporary = std::getenv("TMPDIR");
  std::string folder = std::string(temporary != nullptr && *temporary != '\0' ? temporary : "/tmp") + "/treadle-explore-XXXXXX";
  char self[4096];
  const ssize_t length = ::readlink("/proc/self/exe", self, sizeof self);
  if (length <= 0 || length == sizeof self || ::mkdtemp(&folder[0]) == nullptr) {
    answer.printed = "not explored: there is no temporary folder, or no /proc";
    return answer;
  }
  const std::string json = folder + "/result.json", text = folder + "/report";
  std::vector<std::string> words{tool(), "check"};
  words.insert(words.end(), request.options.begin(), request.options.end());
  words.insert(words.end(), {"--tests", "off", "--exit-status", "--env", std::string(variable) + "=" + request.marker, "--json", json,
                             std::string(self, static_cast<std::size_t>(length)), "--"});
  words.insert(words.end(), request.arguments.begin(), request.arguments.end());
  const int status = run(words, text);
  const std::string result = contents_of(json);
  answer.status = status < 0 ? 2 : status;
  answer.verdict = field(result, "verdict");
  answer.executions = std::strtoull(field(result, "executions").c_str(), nullptr, 10);
  answer.printed = contents_of(text);
  if (status < 0) answer.printed = "not explored: " + words[0] + " cannot be run; set TREADLE to where it is\n" + answer.printed;
  ::unlink(json.c_str());
  ::unlink(text.c_str());
  ::rmdir(folder.c_str());
  return answer;
}

}  // namespace explore_detail
}  // namespace treadle
