// SPDX-License-Identifier: Apache-2.0
#include "subject/guest_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "abi/follow.h"
#include "abi/shared_block.h"

extern char** environ;

namespace treadle {

namespace {

constexpr int kDescriptorInGuest = 3;

/// The program gets the user's environment, and what makes its runs repeatable.
std::vector<std::string> environment(const std::vector<std::string>& added, const std::string& follow) {
  std::vector<std::string> all = added;  // where a name stands twice, the first counts
  for (char** at = environ; *at != nullptr; ++at) {
    const std::string_view entry(*at);
    if (entry.starts_with("LD_BIND_NOW=") || entry.starts_with("GLIBC_TUNABLES=") || entry.starts_with(TREADLE_ENV_FD) ||
        entry.starts_with(TREADLE_ENV_FOLLOW))
      continue;
    all.emplace_back(entry);
  }
  all.emplace_back("LD_BIND_NOW=1");                        // otherwise restored tables are resolved again in every execution
  all.emplace_back("GLIBC_TUNABLES=glibc.pthread.rseq=0");  // the kernel would write into memory that we restore
  all.push_back(std::string(TREADLE_ENV_FD) + "=" + std::to_string(kDescriptorInGuest));
  if (!follow.empty()) all.push_back(std::string(TREADLE_ENV_FOLLOW) + "=" + follow);
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> out;
  for (std::string& s : strings) out.push_back(s.data());
  out.push_back(nullptr);
  return out;
}

/// In the child, between vfork and exec: only system calls. Never returns; tells an errno through `report`.
[[noreturn]] void become(const Launch& launch, char** argv, char** envp, int report, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);
  ::setpgid(0, 0);  // Ctrl-C is for the host, which then ends the search in good order
  ::personality(ADDR_NO_RANDOMIZE);
  const int input = ::open(launch.stdin_file.empty() ? "/dev/null" : launch.stdin_file.c_str(), O_RDONLY);
  const int nowhere = ::open("/dev/null", O_WRONLY);
  // Lift what we still need out of the way of the low numbers.
  const int shared = ::fcntl(launch.shared_descriptor, F_DUPFD, 100);
  const int tell = ::fcntl(report, F_DUPFD_CLOEXEC, 100);
  ::dup2(input, 0);
  if (!launch.show_output) {
    ::dup2(nowhere, 1);
    ::dup2(nowhere, 2);
  }
  ::dup2(shared, kDescriptorInGuest);
  ::close_range(kDescriptorInGuest + 1, 99, 0);
  ::close(shared);
  ::close_range(static_cast<unsigned>(tell) + 1, ~0u, 0);
  signal(SIGPIPE, SIG_DFL);
  ::execve(launch.program.c_str(), argv, envp);
  const int error = errno;
  (void)!::write(tell, &error, sizeof error);
  ::_exit(127);
}

}  // namespace

Result<GuestProcess> GuestProcess::start(const Launch& launch) {
  std::vector<std::string> arguments{launch.program};
  arguments.insert(arguments.end(), launch.arguments.begin(), launch.arguments.end());
  std::vector<std::string> variables = environment(launch.environment, launch.follow);
  std::vector<char*> argv = pointers(arguments), envp = pointers(variables);
  int report[2];
  if (::pipe2(report, O_CLOEXEC) != 0) return Problem{"cannot start the program: " + std::string(std::strerror(errno)), ""};
  const pid_t parent = ::getpid();
  // Nothing is copied: what the child does is system calls, up to its exec.
  const pid_t child = ::vfork();
  if (child == 0) become(launch, argv.data(), envp.data(), report[1], parent);
  ::close(report[1]);
  int error = 0;
  const bool failed = child < 0 || ::read(report[0], &error, sizeof error) == sizeof error;
  ::close(report[0]);
  if (!failed) return GuestProcess(child);
  if (child > 0) ::waitpid(child, nullptr, 0);
  return Problem{"cannot start " + launch.program + ": " + std::strerror(child < 0 ? errno : error), "is it an executable program?"};
}

GuestProcess::GuestProcess(GuestProcess&& other) noexcept
    : id_(std::exchange(other.id_, -1)), dead_(std::exchange(other.dead_, true)), status_(other.status_) {}

GuestProcess& GuestProcess::operator=(GuestProcess&& other) noexcept {
  if (this == &other) return *this;
  kill();
  id_ = std::exchange(other.id_, -1);
  dead_ = std::exchange(other.dead_, true);
  status_ = other.status_;
  return *this;
}

GuestProcess::~GuestProcess() { kill(); }

bool GuestProcess::has_died() {
  if (dead_ || id_ < 0) return true;
  int status = 0;
  if (::waitpid(id_, &status, WNOHANG) != id_) return false;
  dead_ = true;
  status_ = status;
  return true;
}

void GuestProcess::kill() {
  if (dead_ || id_ < 0) return;
  ::kill(id_, SIGKILL);
  int status = 0;
  while (::waitpid(id_, &status, 0) < 0 && errno == EINTR) {
  }
  dead_ = true;
  status_ = status;
}

}  // namespace treadle
