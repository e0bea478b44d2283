// SPDX-License-Identifier: Apache-2.0
#include "subject/compiler.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "subject/compiler_arguments.h"

namespace treadle {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

/// Parts of an installation, found from where this program stands: bin/, lib/treadle/, include/.
struct Installation {
  std::string pass, runtime, record_runtime, include, gdb, tool;
};

Result<Installation> installation() {
  std::error_code error;
  fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (error) return Problem{"cannot find out where Treadle is installed: /proc is not there", "mount /proc"};
  fs::path root = self.parent_path().parent_path();
  Installation found{root / "lib/treadle/TreadlePass.so",         root / "lib/treadle/libtreadle_rt.a",
                     root / "lib/treadle/libtreadle_record_rt.a", root / "include",
                     root / "lib/treadle/treadle_gdb.py",         self};
  for (const std::string& part : {found.pass, found.runtime, found.record_runtime, found.gdb})
    if (!fs::exists(part, error))
      return Problem{fmt::format("{} is missing, which belongs to this installation of Treadle", part),
                     "build or install Treadle again (`make`)"};
  return found;
}

Result<std::string> find_clang(bool cpp) {
  const std::string name = cpp ? "clang++-19" : "clang-19";
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    std::string candidate = (folder.empty() ? "." : folder) + "/" + name;
    if (::access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return Problem{fmt::format("{} is not installed, or not in PATH", name), "on Debian 12: apt install clang-19"};
}

void append(Words& to, std::initializer_list<std::string> words) { to.insert(to.end(), words); }

// In front of the user's flags, so that the user has the last word.
void append_defaults(Words& command, const Installation& parts, const CompilerArguments& user) {
  append(command, {"--start-no-unused-arguments", "-fpass-plugin=" + parts.pass,
                   // Without optimisation clang forbids passes to touch anything.
                   "-Xclang", "-disable-O0-optnone",
                   // 16-byte atomics inline instead of in a library that we do not see.
                   "-mcx16",
                   // Allocations nobody uses are findings, not waste to be optimised away.
                   "-fno-builtin-malloc", "-fno-builtin-calloc", "-fno-builtin-realloc", "-fno-builtin-free"});
  // Past the driver, which would hand it to the assembler too.
  if (user.is_symbolic || user.records || user.follows || !user.atomic.empty())
    append(command, {"-Xclang", "-load", "-Xclang", parts.pass});
  if (user.is_symbolic) append(command, {"-Xclang", "-mllvm", "-Xclang", "-treadle-symbolic"});
  for (const std::string& pattern : user.atomic) append(command, {"-Xclang", "-mllvm", "-Xclang", "-treadle-atomic=" + pattern});
  if (user.follows) append(command, {"-Xclang", "-mllvm", "-Xclang", "-treadle-follow"});
  if (user.records) {
    append(command, {"-Xclang", "-mllvm", "-Xclang", "-treadle-record"});
    if (!user.records_paths) append(command, {"-Xclang", "-mllvm", "-Xclang", "-treadle-record-paths=false"});
    if (user.maps_blocks) append(command, {"-Xclang", "-mllvm", "-Xclang", "-treadle-record-map"});
  } else {  // A call that became a jump would show its caller's caller as the place of the event.
    command.push_back("-fno-optimize-sibling-calls");
  }
  if (!user.has_debug_flag) command.push_back("-gline-tables-only");
  command.push_back("--end-no-unused-arguments");
}

// Behind the user's flags: what the runtime cannot do without.
void append_requirements(Words& command, const Installation& parts, const CompilerArguments& user) {
  append(command, {"--start-no-unused-arguments", "-isystem", parts.include, "-isystem", parts.include + "/treadle/libstdcxx",
                   // Headers of other tools, for those who do not have them: the user's and the system's come first.
                   "-idirafter", parts.include + "/treadle/others", "-DTREADLE_TOOL=\"" + parts.tool + "\""});
  if (!user.records) command.push_back("-fno-omit-frame-pointer");
  if (user.links && !user.is_shared)
    append(command, {"-Wl,--push-state", "-Wl,--whole-archive", "-x", "none", user.records ? parts.record_runtime : parts.runtime,
                     "-Wl,--no-whole-archive", "-Wl,-Bdynamic", "-Wl,--as-needed", "-lpthread", "-ldl", "-lm", "-lgcc_s", "-Wl,--pop-state",
                     // Shared libraries, also those loaded later, call our functions instead of the C library's.
                     "-Wl,--export-dynamic", "-Wl,-z,now"});
  command.push_back("--end-no-unused-arguments");
}

}  // namespace

Result<std::string> runtime_archive() {
  auto parts = installation();
  if (!parts) return parts.problem();
  return parts->runtime;
}

Result<std::string> gdb_commands() {
  auto parts = installation();
  if (!parts) return parts.problem();
  return parts->gdb;
}

Result<Words> compiler_command(bool cpp, const Words& words, Words& notes) {
  auto clang = find_clang(cpp);
  if (!clang) return clang.problem();
  auto user = understand(words);
  if (!user) return user.problem();
  notes = user->notes;
  Words command{*clang};
  if (user->is_query) {
    command.insert(command.end(), user->words.begin(), user->words.end());
    return command;
  }
  auto parts = installation();
  if (!parts) return parts.problem();
  append_defaults(command, *parts, *user);
  command.insert(command.end(), user->words.begin(), user->words.end());
  append_requirements(command, *parts, *user);
  return command;
}

}  // namespace treadle
