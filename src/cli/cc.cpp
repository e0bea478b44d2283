// SPDX-License-Identifier: Apache-2.0
// `treadle cc` and `treadle c++`: clang, with our pass and our runtime. Whatever clang says and returns is what the build sees.
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "cli/commands.h"
#include "subject/compiler.h"

namespace treadle {
namespace {

// The kernel takes about 2 MB of arguments; what a response file held may be more than that.
constexpr std::size_t most_bytes_of_arguments = 1 << 17;

std::string quoted(const std::string& word) {
  std::string text = "\"";
  for (char c : word) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + "\"\n";
}

/// Leaves the words in a file without a name, which lives as long as the compiler.
Result<std::string> as_response_file(const std::vector<std::string>& command) {
  std::string text;
  for (std::size_t i = 1; i < command.size(); ++i) text += quoted(command[i]);
  int file = ::memfd_create("arguments", 0);
  if (file < 0 || ::write(file, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    return Problem{fmt::format("cannot hand the arguments on to clang: {}", std::strerror(errno)), ""};
  return fmt::format("@/proc/self/fd/{}", file);
}

}  // namespace

int run_cc(bool cpp, std::vector<std::string> args) {
  std::vector<std::string> notes;
  auto command = compiler_command(cpp, args, notes);
  if (!command) return could_not(command.problem());
  for (const std::string& note : notes) fmt::print(stderr, "treadle: {}\n", note);

  std::size_t bytes = 0;
  for (const std::string& word : *command) bytes += word.size() + 1;
  if (bytes > most_bytes_of_arguments) {
    auto file = as_response_file(*command);
    if (!file) return could_not(file.problem());
    command->resize(1);
    command->push_back(*file);
  }
  std::vector<char*> words;
  for (std::string& word : *command) words.push_back(word.data());
  words.push_back(nullptr);
  ::execv(words[0], words.data());
  return could_not({fmt::format("cannot run {}: {}", words[0], std::strerror(errno)), ""});
}

}  // namespace treadle
