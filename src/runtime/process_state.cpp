// SPDX-License-Identifier: Apache-2.0
// State of the process that the kernel keeps and that no reset in place can take back: such a program is run in a fresh process each time.
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/descriptors.h"
#include "runtime/mappings.h"
#include "runtime/own.h"
#include "runtime/real.h"
#include "runtime/scheduler.h"
#include "runtime/sys.h"

namespace treadle {

void io_execution_end() noexcept {
  if (process().carrier != TREADLE_CARRIER_RESET || world().io == nullptr) return;
  restore_descriptors();
  restore_mappings();
  while (io().has_children && sys(SYS_wait4, -1, 0, WNOHANG, 0) > 0) {
  }
}

}  // namespace treadle

using namespace treadle;

#define TREADLE_NEEDS_FORK(result, name, parameters, arguments, exception, reason) \
  result name parameters exception {                                               \
    if (!native()) needs_fork(reason, TREADLE_PC());                               \
    return TREADLE_REAL(name) arguments;                                           \
  }

extern "C" {

TREADLE_NEEDS_FORK(int, chdir, (const char* path), (path), noexcept, "changes its working directory")
TREADLE_NEEDS_FORK(int, fchdir, (int fd), (fd), noexcept, "changes its working directory")
TREADLE_NEEDS_FORK(int, chroot, (const char* path), (path), noexcept, "changes its root directory")
TREADLE_NEEDS_FORK(mode_t, umask, (mode_t mask), (mask), noexcept, "changes its file mode mask")
TREADLE_NEEDS_FORK(int, setrlimit, (__rlimit_resource_t which, const rlimit* limit), (which, limit), noexcept,
                   "changes its resource limits")
TREADLE_NEEDS_FORK(int, setrlimit64, (__rlimit_resource_t which, const rlimit64* limit), (which, limit), noexcept,
                   "changes its resource limits")
TREADLE_NEEDS_FORK(int, setuid, (uid_t id), (id), noexcept, "changes its user")
TREADLE_NEEDS_FORK(int, seteuid, (uid_t id), (id), noexcept, "changes its user")
TREADLE_NEEDS_FORK(int, setreuid, (uid_t real, uid_t effective), (real, effective), noexcept, "changes its user")
TREADLE_NEEDS_FORK(int, setgid, (gid_t id), (id), noexcept, "changes its group")
TREADLE_NEEDS_FORK(int, setegid, (gid_t id), (id), noexcept, "changes its group")
TREADLE_NEEDS_FORK(int, setregid, (gid_t real, gid_t effective), (real, effective), noexcept, "changes its group")
TREADLE_NEEDS_FORK(int, setgroups, (std::size_t count, const gid_t* groups), (count, groups), noexcept, "changes its groups")
TREADLE_NEEDS_FORK(int, setpgid, (pid_t process, pid_t group), (process, group), noexcept, "changes its process group")
TREADLE_NEEDS_FORK(pid_t, setsid, (), (), noexcept, "starts a session of its own")
TREADLE_NEEDS_FORK(int, nice, (int increment), (increment), noexcept, "changes its priority")
TREADLE_NEEDS_FORK(int, setpriority, (__priority_which_t which, id_t who, int priority), (which, who, priority), noexcept,
                   "changes its priority")
TREADLE_NEEDS_FORK(int, unshare, (int flags), (flags), noexcept, "leaves its namespaces")

/// The same in every execution and in every process that runs one, or two starts of a program would differ. Beyond what Linux gives out
/// (at most 4194304), so that it names no other process.
constexpr pid_t kProcessId = 5'000'001;
constexpr pid_t kParentId = 5'000'000;

pid_t getpid() noexcept { return native() ? static_cast<pid_t>(sys(SYS_getpid)) : kProcessId; }

TREADLE_OWN(getpid);

pid_t getppid() noexcept { return native() ? static_cast<pid_t>(sys(SYS_getppid)) : kParentId; }

/// Where threads run is ours to say; under a host there is one at a time anyway.
int sched_setaffinity(pid_t process_id, std::size_t bytes, const cpu_set_t* set) noexcept {
  if (native()) return TREADLE_REAL(sched_setaffinity)(process_id, bytes, set);
  return 0;
}

int sched_getcpu() noexcept {
  if (native()) return TREADLE_REAL(sched_getcpu)();
  return 0;
}

int getcpu(unsigned* cpu, unsigned* node) noexcept {
  if (native()) return TREADLE_REAL(getcpu)(cpu, node);
  if (cpu != nullptr) *cpu = 0;
  if (node != nullptr) *node = 0;
  return 0;
}

}  // extern "C"
