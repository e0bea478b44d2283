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
#include <nlohmann/json.hpp>

#include "base/temporary_folder.h"
#include "subject/compiler.h"
#include "subject/jobs.h"
#include "subject/shared_memory.h"

namespace treadle {

namespace {

namespace fs = std::filesystem;

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

/// What treadle_gdb.py knows of the execution, and where in the block it finds what it has to set to run it again.
std::string knowledge(const DebugRequest& request, const fs::path& block) {
  nlohmann::json events = nlohmann::json::array();
  for (const DebugEvent& event : request.events) events.push_back({event.thread, event.text, event.place});
  const nlohmann::json all = {{"block", block.string()},
                              {"header_bytes", sizeof(TreadleSharedBlock)},
                              {"block_at", TREADLE_AT_SHARED},
                              {"stop_at", offsetof(TreadleSharedBlock, jobs) + offsetof(TreadleJob, stop_at_event)},
                              {"events", std::move(events)},
                              {"named", request.named},
                              {"why", request.why}};
  return all.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string script(const DebugRequest& request, const fs::path& block, const std::string& commands, const fs::path& known) {
  std::string text =
      "set pagination off\nset confirm off\nset breakpoint pending on\nset startup-with-shell on\nset disable-randomization on\n"
      "handle SIGVTALRM nostop noprint pass\nset print thread-events off\n";
  text += "set environment " TREADLE_ENV_FD " " + block.string() + "\nset environment LD_BIND_NOW 1\n";
  text += "set environment GLIBC_TUNABLES glibc.pthread.rseq=0\n";
  for (const std::string& variable : request.subject.environment)
    text += "set environment " + variable.substr(0, variable.find('=')) + " " + variable.substr(variable.find('=') + 1) + "\n";
  text += "set args";
  for (const std::string& argument : request.subject.arguments) text += " " + quoted(argument);
  text += " < " + (request.subject.stdin_file.empty() ? std::string("/dev/null") : quoted(request.subject.stdin_file)) + "\n";
  text += "source " + commands + "\n";
  text += "python treadle_begin(" + nlohmann::json(known.string()).dump() + ")\n";
  return text;
}

}  // namespace

Result<Done> debug(const DebugRequest& request) {
  const TemporaryFolder folder("gdb");
  if (folder.path.empty())
    return Problem{"cannot make a temporary folder for gdb: " + std::string(std::strerror(errno)), "is $TMPDIR writable?"};
  const fs::path block_file = folder.path / "shared", script_file = folder.path / "commands", known_file = folder.path / "known.json";
  const auto commands = gdb_commands();
  if (!commands) return commands.problem();
  auto memory = SharedMemory::create(block_file.string());
  if (!memory) return memory.problem();
  ThreadTable threads;
  memory->block().carrier = TREADLE_CARRIER_KERNEL;
  memory->block().prepared_threads = TREADLE_MAX_THREADS;
  memory->block().in_place = 1;
  JobWriter jobs(*memory, threads, request.subject);
  Recording recording;
  if (!request.named.empty()) recording.stop_at_event = request.named.front();
  recording.plain = true;  // event numbers are those of the report
  if (!jobs.add(request.schedule, recording)) return Problem{"the schedule is too long to be debugged", ""};
  memory->block().jobs[0].flags |= TREADLE_STOP_FOR_DEBUGGER | TREADLE_SHOW_OUTPUT;
  jobs.finish();
  memory->block().posted = 1;
  std::ofstream(known_file) << knowledge(request, block_file);
  std::ofstream(script_file) << script(request, block_file, *commands, known_file);

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
