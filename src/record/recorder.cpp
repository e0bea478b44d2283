// SPDX-License-Identifier: Apache-2.0
#include "record/recorder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <thread>

#include "base/atomic_file.h"
#include "base/hash.h"
#include "record/pt_emulate.h"
#include "record/pt_hardware.h"
#include "record/recording.h"
#include "record/standard_input.h"
#include "subject/elf_reader.h"

namespace treadle {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

std::string first_line_of(const std::string& path, const std::string& start) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(start)) return line.substr(line.find(':') == std::string::npos ? 0 : line.find(':') + 2);
  return "";
}

std::string build_id_of(const std::string& program) {
  const ElfReader elf(program);
  const auto note = elf.section(".note.gnu.build-id");
  std::string text;
  if (note && note->bytes.size() > 16)
    for (unsigned char byte : note->bytes.substr(16)) text += fmt::format("{:02x}", byte);
  return text;
}

RecordingBegin begin_of(const RecordRequest& request, std::uint64_t hash) {
  RecordingBegin begin;
  begin.program = request.program;
  begin.binary_hash = hash;
  begin.build_id = build_id_of(request.program);
  begin.arguments = request.arguments;
  for (char** variable = environ; *variable != nullptr; ++variable) begin.environment.emplace_back(*variable);
  std::error_code error;
  begin.directory = fs::current_path(error).string();
  // Stores of x86 reach memory in order: what happened is explained by TSO, often by SC.
  begin.machine =
      fmt::format("x86-64 (tso), {} cores, {}", std::thread::hardware_concurrency(), first_line_of("/proc/cpuinfo", "model name"));
  begin.backend = request.intel_pt ? "software, Intel PT" : request.emulate_pt ? "software, emulated Intel PT" : "software";
  begin.started = static_cast<std::uint64_t>(std::time(nullptr));
  return begin;
}

std::string empty_status(const RecordRequest& request) {
  TreadleStatus status{};
  status.magic = TREADLE_STATUS_MAGIC;
  status.version = TREADLE_RECORDING_VERSION;
  if (request.last_seconds > 0) status.last = static_cast<std::uint32_t>(std::clamp(request.last_seconds * 1000, 1.0, 4e9));
  std::string page(TREADLE_PAGE, '\0');
  std::memcpy(page.data(), &status, sizeof status);
  return page;
}

/// `gate`: the program starts when something can be read from it; -1: at once.
Result<pid_t> launch(const RecordRequest& request, int standard_input, int gate) {
  std::vector<std::string> words{request.program};
  words.insert(words.end(), request.arguments.begin(), request.arguments.end());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::error_code error;
  std::string variable = TREADLE_RECORDING_VARIABLE "=" + fs::absolute(request.folder, error).string();
  std::vector<char*> environment;
  for (char** other = environ; *other != nullptr; ++other)
    if (!std::string_view(*other).starts_with(TREADLE_RECORDING_VARIABLE "=")) environment.push_back(*other);
  environment.push_back(variable.data());
  environment.push_back(nullptr);
  pid_t child = request.emulate_pt || gate >= 0 ? ::fork() : ::vfork();
  if (child == 0) {
    if (char go = 0; gate >= 0 && ::read(gate, &go, 1) != 1) ::_exit(127);
    if (standard_input >= 0) ::dup2(standard_input, STDIN_FILENO);
    if (request.emulate_pt) ::ptrace(PTRACE_TRACEME, 0, 0, 0);
    ::execve(arguments[0], arguments.data(), environment.data());
    ::_exit(127);
  }
  if (child < 0) return Problem{fmt::format("cannot run {}: {}", request.program, std::strerror(errno)), ""};
  return child;
}

/// What the kernel knows about the threads of a program that does not come to an end.
std::vector<HungThread> look_at(pid_t child) {
  std::vector<HungThread> threads;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(fmt::format("/proc/{}/task", child), error)) {
    HungThread thread;
    thread.tid = static_cast<std::uint32_t>(std::strtoul(entry.path().filename().c_str(), nullptr, 10));
    std::ifstream file(entry.path() / "syscall");
    std::string line;
    std::getline(file, line);
    thread.doing = line.starts_with("running") || line.empty() ? "running" : "in system call " + line.substr(0, line.find(' '));
    if (const std::size_t last = line.rfind(' '); thread.doing != "running" && last != std::string::npos)
      thread.pc = std::strtoull(line.c_str() + last + 1, nullptr, 16);
    threads.push_back(std::move(thread));
  }
  return threads;
}

RecordingEnd end_of(int status) {
  RecordingEnd end;
  end.how = WIFSIGNALED(status) ? RunEnd::Signal : RunEnd::Exited;
  end.code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
  return end;
}

/// Problems are those of the tracing.
Result<RecordingEnd> wait_for(pid_t child, double hang_after_seconds, PtHardware* tracing) {
  RecordingEnd end;
  const auto start = Clock::now();
  int status = 0;
  rusage used{};
  for (auto pause = std::chrono::microseconds(200);;
       pause = std::min(pause * 2, std::chrono::microseconds(tracing != nullptr ? 2'000 : 20'000))) {
    if (tracing != nullptr)
      if (auto drained = tracing->drain(); !drained) return ::kill(child, SIGKILL), drained.problem();
    if (hang_after_seconds <= 0 && tracing == nullptr) {
      while (::wait4(child, &status, 0, &used) < 0 && errno == EINTR) {
      }
      break;
    }
    if (::wait4(child, &status, WNOHANG, &used) == child) break;
    if (hang_after_seconds > 0 && std::chrono::duration<double>(Clock::now() - start).count() > hang_after_seconds) {
      end.how = RunEnd::Hang;
      end.hung = look_at(child);
      ::kill(child, SIGKILL);
      while (::wait4(child, &status, 0, &used) < 0 && errno == EINTR) {
      }
      break;
    }
    std::this_thread::sleep_for(pause);
  }
  end.milliseconds = static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start).count());
  for (const timeval& part : {used.ru_utime, used.ru_stime})
    end.processor_microseconds += static_cast<std::uint64_t>(part.tv_sec) * 1'000'000 + static_cast<std::uint64_t>(part.tv_usec);
  if (end.how == RunEnd::Hang) return end;
  const RecordingEnd how = end_of(status);
  end.how = how.how;
  end.code = how.code;
  return end;
}

Result<RecordingEnd> emulate(pid_t child, const RecordRequest& request) {
  const auto start = Clock::now();
  int status = 0;
  if (::waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) return Problem{fmt::format("cannot trace {}", request.program), ""};
  PtEmulation how;
  how.seed = static_cast<std::uint64_t>(Clock::now().time_since_epoch().count());
  how.hang_after_seconds = request.hang_after_seconds;
  auto trace = emulate_pt(child, request.program, how);
  if (!trace) return trace.problem();
  for (const std::string& packets : trace->packets) trace->side_band.bytes.push_back(packets.size());
  for (std::size_t core = 0; core < trace->packets.size(); ++core)
    if (auto written = write_file_atomically(fmt::format("{}/pt-{}", request.folder, core), trace->packets[core]); !written)
      return written.problem();
  if (auto written = write_file_atomically(request.folder + "/pt", encode(trace->side_band)); !written) return written.problem();
  if (!trace->hangs) return end_of(trace->status);
  RecordingEnd end;
  end.how = RunEnd::Hang;
  end.hung = look_at(child);
  end.milliseconds = static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start).count());
  ::kill(child, SIGKILL);
  // The program is gone when all its traced threads have been waited for.
  for (pid_t gone = 0; (gone = ::waitpid(-1, &status, __WALL)) >= 0 || errno == EINTR;)
    if (gone == child && (WIFEXITED(status) || WIFSIGNALED(status))) break;
  return end;
}

/// Nobody expects to see what these do.
bool belongs_to_the_system(const std::string& path) {
  const std::string name = fs::path(path).filename().string();
  for (const char* start :
       {"libc.so", "libm.so", "libpthread.so", "libdl.so", "librt.so", "ld-linux", "libgcc_s.so", "libstdc++.so", "linux-vdso"})
    if (name.starts_with(start)) return true;
  return false;
}

struct Objects {
  std::string tables;   // shared libraries that were built with --record have tables too
  std::string foreign;  // the others
};

Objects look_at_objects(const RecordRequest& request) {
  Objects result{path_tables_in(request.program), ""};
  std::set<std::string> seen;
  std::ifstream objects(request.folder + "/objects");
  for (std::string line; std::getline(objects, line);) {
    const std::size_t blank = line.find(' ');
    if (blank == std::string::npos || blank + 1 == line.size() || !seen.insert(line.substr(blank + 1)).second) continue;
    const std::string path = line.substr(blank + 1);
    const std::string tables = path_tables_in(path);
    result.tables += tables;
    if (tables.empty() && !belongs_to_the_system(path)) result.foreign += path + "\n";
  }
  return result;
}

}  // namespace

std::string path_tables_in(const std::string& binary) {
  const ElfReader elf(binary);
  const auto section = elf.section(TREADLE_PATHS_SECTION);
  if (!section) return "";
  std::string bytes(section->bytes);
  bytes.resize((bytes.size() + 7) / 8 * 8, '\0');
  return bytes;
}

Result<Done> record(const RecordRequest& request) {
  const auto contents = read_file(request.program);
  if (!contents) return contents.problem();
  const std::string tables = path_tables_in(request.program);
  if (tables.empty())
    return Problem{fmt::format("{} was not built for recording", request.program),
                   "build it with `treadle cc --record` or `treadle c++ --record`"};
  if (::access(request.program.c_str(), X_OK) != 0)
    return Problem{fmt::format("{} may not be executed", request.program), "chmod +x " + request.program};
  if (::mkdir(request.folder.c_str(), 0755) != 0)
    return Problem{fmt::format("cannot make the folder {}: {}", request.folder, std::strerror(errno)), ""};
  for (const auto& [name, bytes] : {std::pair{"/status", empty_status(request)}, std::pair{"/tables", tables},
                                    std::pair{"/begin", encode(begin_of(request, hash_of(*contents)))}})
    if (auto written = write_file_atomically(request.folder + name, bytes); !written) return written;

  auto input = StandardInput::open(request.stdin_file, request.folder + "/stdin");
  if (!input) return input.problem();
  int gate[2] = {-1, -1};
  if (request.intel_pt && ::pipe2(gate, O_CLOEXEC) != 0) return Problem{fmt::format("cannot make a pipe: {}", std::strerror(errno)), ""};
  auto child = launch(request, (*input)->descriptor(), gate[0]);
  if (!child) return child.problem();
  std::unique_ptr<PtHardware> tracing;
  if (request.intel_pt) {
    auto opened = PtHardware::open(*child, request.folder);
    if (!opened) {
      ::kill(*child, SIGKILL);
      ::waitpid(*child, nullptr, 0);
      return opened.problem();
    }
    tracing = std::move(*opened);
    if (::write(gate[1], "", 1) != 1) return Problem{"cannot start " + request.program, ""};
    for (int end : gate) ::close(end);
  }
  (*input)->pump();
  const auto interrupt = ::signal(SIGINT, SIG_IGN);  // the terminal sends it to the program as well, which decides
  auto end = request.emulate_pt ? emulate(*child, request) : wait_for(*child, request.hang_after_seconds, tracing.get());
  ::signal(SIGINT, interrupt);
  (*input)->stop();
  if (!end) return end.problem();
  if (tracing != nullptr)
    if (auto finished = tracing->finish(); !finished) return finished;
  const Objects objects = look_at_objects(request);
  if (auto written = write_file_atomically(request.folder + "/tables", objects.tables); !written) return written;
  if (!objects.foreign.empty())
    if (auto written = write_file_atomically(request.folder + "/foreign", objects.foreign); !written) return written;
  return write_file_atomically(request.folder + "/end", encode(*end));
}

}  // namespace treadle
