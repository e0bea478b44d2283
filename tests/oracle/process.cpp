// SPDX-License-Identifier: Apache-2.0
#include "process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace oracle {
namespace {

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

[[noreturn]] void become(const std::vector<std::string>& command, const std::string& out, const std::string& err) {
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  setpgid(0, 0);                     // so that a time limit ends what it started, too
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // nothing runs on when the oracle itself is ended
  const int out_fd = open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), err_fd = open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
  dup2(out_fd, STDOUT_FILENO);
  dup2(err_fd, STDERR_FILENO);
  execvp(arguments[0], arguments.data());
  _exit(127);
}

}  // namespace

Finished run_process(const std::vector<std::string>& command, int seconds_limit) {
  // Output goes to files: no reader is needed while it runs, however much it writes.
  const ScratchDirectory scratch;
  const std::string out = scratch / "out", err = scratch / "err";
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error(std::string("cannot fork: ") + std::strerror(errno));
  if (child == 0) become(command, out, err);

  const int handle = int(syscall(SYS_pidfd_open, child, 0));  // glibc 2.36 declares pidfd_open() for C only
  pollfd ended{.fd = handle, .events = POLLIN, .revents = 0};
  const bool in_time = poll(&ended, 1, seconds_limit * 1000) == 1;
  if (!in_time) kill(-child, SIGKILL);
  close(handle);
  int status = 0;
  waitpid(child, &status, 0);

  Finished finished{.status = -1, .out = read_file(out), .err = read_file(err)};
  if (!in_time)
    finished.err += "\n(ended after " + std::to_string(seconds_limit) + " s)";
  else if (WIFSIGNALED(status))
    finished.err += "\n(killed by signal " + std::to_string(WTERMSIG(status)) + ")";
  else
    finished.status = WEXITSTATUS(status);
  if (finished.status == 127 && finished.out.empty() && finished.err.empty()) throw std::runtime_error("cannot run " + command[0]);
  return finished;
}

ScratchDirectory::ScratchDirectory() : path_(std::filesystem::temp_directory_path() / "oracle-XXXXXX") {
  if (mkdtemp(path_.data()) == nullptr) throw std::runtime_error("cannot make a directory for temporary files");
}

ScratchDirectory::~ScratchDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  if (!out.flush()) throw std::runtime_error("cannot write " + path);
}

}  // namespace oracle
