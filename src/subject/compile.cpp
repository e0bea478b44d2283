// SPDX-License-Identifier: Apache-2.0
// `treadle check foo.c`: compile only when something changed. Beside each program stands a list of all files that went into it, headers
// too, with the hash of their contents: right after a checkout or a clock change as well, where comparing times is not.
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>
#include <sstream>

#include "base/atomic_file.h"
#include "base/hash.h"
#include "subject/compiler.h"

extern char** environ;

namespace treadle {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

enum class Language { C, Cpp, Other };

Language language_of(const std::string& source) {
  static const std::set<std::string> c{".c", ".i"};
  static const std::set<std::string> cpp{".cc", ".cpp", ".cxx", ".c++", ".C", ".CPP", ".cp", ".ii"};
  std::string suffix = fs::path(source).extension();
  return c.contains(suffix) ? Language::C : cpp.contains(suffix) ? Language::Cpp : Language::Other;
}

/// Runs clang to its end; false when it says that it failed.
Result<bool> run(bool cpp, const Words& words) {
  Words notes;
  auto command = compiler_command(cpp, words, notes);
  if (!command) return command.problem();
  for (const std::string& note : notes) fmt::print(stderr, "treadle: {}\n", note);
  std::vector<char*> arguments;
  for (std::string& word : *command) arguments.push_back(word.data());
  arguments.push_back(nullptr);

  // The compiler's words go to standard error, all of them: standard output may be our JSON.
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  pid_t child = 0;
  int failed = ::posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return Problem{fmt::format("cannot run {}: {}", arguments[0], std::strerror(failed)), ""};
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return Problem{fmt::format("lost the compiler: {}", std::strerror(errno)), ""};
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// The prerequisites in a file that `-MD` wrote: "target: a.c dir\ with\ blanks/b.h \⏎ c.h".
Words prerequisites(const std::string& text) {
  Words files;
  std::string word;
  bool in_target = true;
  auto finish = [&] {
    if (!word.empty() && !in_target) files.push_back(word);
    if (word.ends_with(':')) in_target = false;
    word.clear();
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    char next = i + 1 < text.size() ? text[i + 1] : '\0';
    if (text[i] == '\\' && (next == ' ' || next == '#'))
      word += text[++i];
    else if (text[i] == '$' && next == '$')
      word += text[++i];
    else if (text[i] == '\\' && next == '\n')
      ++i, finish();
    else if (text[i] == ' ' || text[i] == '\n')
      finish();
    else
      word += text[i];
  }
  finish();
  return files;
}

/// "hash path" per line. Empty when a file has gone.
std::string inventory_of(const std::set<std::string>& files) {
  std::string lines;
  for (const std::string& file : files) {
    auto contents = read_file(file);
    if (!contents) return "";
    lines += fmt::format("{:016x} {}\n", hash_of(*contents), file);
  }
  return lines;
}

bool is_current(const std::string& program, const std::string& inventory_file) {
  std::error_code error;
  auto inventory = read_file(inventory_file);
  if (!inventory || !fs::exists(program, error)) return false;
  std::set<std::string> files;
  std::istringstream lines(*inventory);
  for (std::string line; std::getline(lines, line);)
    if (line.size() > 17) files.insert(line.substr(17));
  return !files.empty() && inventory_of(files) == *inventory;
}

/// What is to be removed again, however we leave.
struct Scraps {
  std::vector<std::string> files;
  ~Scraps() {
    std::error_code error;
    for (const std::string& file : files) fs::remove(file, error);
  }
  const std::string& add(std::string file) { return files.emplace_back(std::move(file)); }
};

std::string name_of(const CompileRequest& request, const Words& command) {
  Hash hash;
  std::error_code error;
  hash.add(fs::current_path(error).string());
  for (const std::string& word : command) hash.add(word);  // clang, pass and runtime are in it, by path
  return fmt::format("{}-{:016x}", fs::path(request.sources.front()).stem().string(), hash.value());
}

/// The files of ours that go into every program: a new Treadle makes new programs.
std::set<std::string> own_files(const Words& command) {
  std::set<std::string> files;
  for (const std::string& word : command) {
    if (word.starts_with("-fpass-plugin=")) files.insert(word.substr(word.find('=') + 1));
    if (word.ends_with("libtreadle_rt.a")) files.insert(word);
  }
  return files;
}

Words with_defaults(const Words& flags) {
  Words words{"-g", "-O1", "--start-no-unused-arguments"};
  words.insert(words.end(), flags.begin(), flags.end());
  words.push_back("--end-no-unused-arguments");
  return words;
}

Words joined(Words words, std::initializer_list<std::string> more) {
  words.insert(words.end(), more);
  return words;
}

}  // namespace

Result<std::string> compile(const CompileRequest& request) {
  if (request.sources.empty()) return Problem{"there is nothing to compile", "name a C or C++ file"};
  for (const std::string& source : request.sources)
    if (::access(source.c_str(), R_OK) != 0) return Problem{fmt::format("cannot read {}: {}", source, std::strerror(errno)), ""};
  std::error_code error;
  fs::create_directories(request.directory, error);
  if (error || ::access(request.directory.c_str(), W_OK) != 0)
    return Problem{fmt::format("cannot write to the directory {}", request.directory), "make it writable, or name another one with --out"};

  const bool is_cpp = std::any_of(request.sources.begin(), request.sources.end(),
                                  [](const std::string& source) { return language_of(source) == Language::Cpp; });
  Words flags = with_defaults(request.flags);
  if (request.symbolic) flags.push_back("--symbolic");
  Words all = flags, notes;
  all.insert(all.end(), request.sources.begin(), request.sources.end());
  auto whole = compiler_command(is_cpp, all, notes);
  if (!whole) return whole.problem();

  const std::string program = request.directory + "/" + name_of(request, *whole);
  const std::string inventory_file = program + ".inputs";
  if (is_current(program, inventory_file)) return program;

  // Other processes may be doing the same: each works under its own names until the program is whole.
  Scraps scraps;
  const std::string scrap = fmt::format("{}.{}", program, ::getpid());
  std::set<std::string> inputs = own_files(*whole);
  Words link = flags;
  for (std::size_t i = 0; i < request.sources.size(); ++i) {
    const std::string& source = request.sources[i];
    const Language language = language_of(source);
    inputs.insert(source);
    if (language == Language::Other) {
      link.push_back(source);
      continue;
    }
    const std::string object = scraps.add(fmt::format("{}.{}.o", scrap, i));
    const std::string dependencies = scraps.add(fmt::format("{}.{}.d", scrap, i));
    auto done = run(language == Language::Cpp, joined(flags, {"-c", source, "-o", object, "-MD", "-MF", dependencies}));
    if (!done) return done.problem();
    if (!*done) return Problem{fmt::format("{} does not compile", source), "the compiler's message stands above"};
    if (auto list = read_file(dependencies))
      for (const std::string& file : prerequisites(*list)) inputs.insert(file);
    link.push_back(object);
  }
  const std::string unfinished = scraps.add(scrap);
  auto done = run(is_cpp, joined(link, {"-o", unfinished}));
  if (!done) return done.problem();
  if (!*done) return Problem{fmt::format("{} does not link", request.sources.front()), "the linker's message stands above"};

  fs::rename(unfinished, program, error);
  if (error) return Problem{fmt::format("cannot write {}: {}", program, error.message()), ""};
  auto written = write_file_atomically(inventory_file, inventory_of(inputs));
  if (!written) return written.problem();
  return program;
}

}  // namespace treadle
