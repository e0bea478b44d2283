// SPDX-License-Identifier: Apache-2.0
#include "subject/debug.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "subject/jobs.h"
#include "subject/shared_memory.h"

namespace treadle {

namespace {

namespace fs = std::filesystem;

/// A folder that goes away with us.
struct TemporaryFolder {
  fs::path path;
  TemporaryFolder() {
    std::string pattern = (fs::temp_directory_path() / "treadle-gdb-XXXXXX").string();
    if (::mkdtemp(pattern.data()) != nullptr) path = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path.empty()) fs::remove_all(path, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
};

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

/// The user wants to see his own code first, not the runtime that stopped it.
constexpr const char* kLeaveOurFrames = R"(python
frame = gdb.selected_frame()
def is_ours(frame):
    table = frame.find_sal().symtab
    return table is not None and "/src/runtime/" in table.filename
while frame is not None and is_ours(frame) and frame.older() is not None:
    frame = frame.older()
frame.select()
end
)";

std::string script(const DebugRequest& request, const fs::path& block) {
  std::string text =
      "set pagination off\nset confirm off\nset breakpoint pending on\nset startup-with-shell on\nset disable-randomization on\n"
      "handle SIGVTALRM nostop noprint pass\nset print thread-events off\n";
  text += "set environment " TREADLE_ENV_FD " " + block.string() + "\nset environment LD_BIND_NOW 1\n";
  text += "set environment GLIBC_TUNABLES glibc.pthread.rseq=0\n";
  text += "set args";
  for (const std::string& argument : request.subject.arguments) text += " " + quoted(argument);
  text += " < " + (request.subject.stdin_file.empty() ? std::string("/dev/null") : quoted(request.subject.stdin_file)) + "\n";
  text += "break treadle_stop_here\nrun\n";
  text += kLeaveOurFrames;
  text += "echo \\ntreadle: stopped where the execution fails; `info threads` shows all threads, `bt` this one\\n\nframe\n";
  return text;
}

}  // namespace

Result<Done> debug(const DebugRequest& request) {
  const TemporaryFolder folder;
  if (folder.path.empty())
    return Problem{"cannot make a temporary folder for gdb: " + std::string(std::strerror(errno)), "is $TMPDIR writable?"};
  const fs::path block_file = folder.path / "shared", script_file = folder.path / "commands";
  auto memory = SharedMemory::create(block_file.string());
  if (!memory) return memory.problem();
  ThreadTable threads;
  memory->block().carrier = TREADLE_CARRIER_KERNEL;
  memory->block().prepared_threads = TREADLE_MAX_THREADS;
  memory->block().in_place = 1;
  JobWriter jobs(*memory, threads, request.subject);
  Recording recording;
  recording.stop_at_event = request.stop_at_event;
  recording.plain = true;  // event numbers are those of the report
  if (!jobs.add(request.schedule, recording)) return Problem{"the schedule is too long to be debugged", ""};
  memory->block().jobs[0].flags |= TREADLE_STOP_FOR_DEBUGGER | TREADLE_SHOW_OUTPUT;
  jobs.finish();
  memory->block().posted = 1;
  std::ofstream(script_file) << script(request, block_file);

  std::vector<std::string> command{"gdb", "-q", "-x", script_file.string()};
  command.insert(command.end(), request.gdb_arguments.begin(), request.gdb_arguments.end());
  command.push_back(request.subject.program);
  std::vector<char*> argv;
  for (std::string& word : command) argv.push_back(word.data());
  argv.push_back(nullptr);
  const auto previous = ::signal(SIGINT, SIG_IGN);  // Ctrl-C belongs to gdb
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGINT, SIG_DFL);
    ::execvp("gdb", argv.data());
    ::_exit(127);
  }
  int status = 0;
  while (child > 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  ::signal(SIGINT, previous);
  if (child < 0 || (WIFEXITED(status) && WEXITSTATUS(status) == 127)) return Problem{"cannot start gdb", "install it: apt-get install gdb"};
  return Done{};
}

}  // namespace treadle
