// SPDX-License-Identifier: Apache-2.0
// Before constructors: find the host, set up our memory. When main would be called: save the image, serve jobs. In between, and for ever
// without a host, the program runs as if we were not there.
#include "runtime/start.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "abi/branches.h"
#include "abi/sources.h"
#include "runtime/arguments.h"
#include "runtime/branches.h"
#include "runtime/carrier.h"
#include "runtime/crash.h"
#include "runtime/descriptors.h"
#include "runtime/exit.h"
#include "runtime/follow.h"
#include "runtime/io.h"
#include "runtime/locale.h"
#include "runtime/real.h"
#include "runtime/scheduler.h"
#include "runtime/snapshot.h"
#include "runtime/sources.h"
#include "runtime/sys.h"

extern char** environ;

namespace treadle {

namespace {

constexpr std::uint64_t kProcessBytes = 0x1000000;

bool reserve(std::uint64_t at, std::uint64_t bytes) noexcept {
  return map_fixed(at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE) == at;
}

/// Takes our variable out of the environment: the program sees the one the user gave it.
const char* take_variable(char** envp, const char* name) noexcept {
  const std::size_t length = std::strlen(name);
  for (char** at = envp; *at != nullptr; ++at) {
    if (std::strncmp(*at, name, length) != 0 || (*at)[length] != '=') continue;
    const char* value = *at + length + 1;
    for (char** next = at; *next != nullptr; ++next) *next = next[1];
    return value;
  }
  return nullptr;
}

int open_shared_block(const char* where) noexcept {
  if (where[0] != '/') return std::atoi(where);
  return static_cast<int>(sys(SYS_open, reinterpret_cast<long>(where), O_RDWR | O_CLOEXEC));
}

void say_and_leave(const char* sentence) noexcept {
  sys(SYS_write, 2, reinterpret_cast<long>(sentence), static_cast<long>(std::strlen(sentence)));
  sys(SYS_exit_group, 2);
}

void connect(const char* where) noexcept {
  const int fd = open_shared_block(where);
  TreadleSharedBlock head;
  if (sys(SYS_pread64, fd, reinterpret_cast<long>(&head), sizeof head.magic + sizeof head.abi_version, 0) != 12 ||
      head.magic != TREADLE_MAGIC)
    say_and_leave("treadle: the program was started by hand with Treadle's environment variable set; unset it\n");
  std::uint64_t total = 0;
  sys(SYS_pread64, fd, reinterpret_cast<long>(&total), sizeof total, offsetof(TreadleSharedBlock, total_bytes));
  if (map_fixed(TREADLE_AT_SHARED, total, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE, fd) != TREADLE_AT_SHARED ||
      !reserve(TREADLE_AT_ARENA - kProcessBytes, kProcessBytes + TREADLE_ARENA_BYTES) ||
      !reserve(TREADLE_AT_SNAPSHOTS, TREADLE_SNAPSHOTS_BYTES))
    say_and_leave("treadle: the program's address space has no room for the checker\n");
  sys(SYS_close, fd);
  Process& p = process();
  p.shared = reinterpret_cast<TreadleSharedBlock*>(TREADLE_AT_SHARED);
  if (head.abi_version != TREADLE_ABI_VERSION) refuse("the program was built by another version of Treadle; build it again");
  p.shared->guest_pid = static_cast<std::uint32_t>(sys(SYS_getpid));
  p.carrier = p.shared->carrier;
  p.prepared_threads = p.shared->prepared_threads;
  if (p.prepared_threads < 1 || p.prepared_threads > TREADLE_MAX_THREADS) p.prepared_threads = TREADLE_MAX_THREADS;
  world().arena_used = (sizeof(World) + 63) & ~63ull;
  world().current = &world().threads[0];
  world().highest_thread = 0;
}

void start_runtime(int, char**, char** envp) {
  const char* where = take_variable(envp, TREADLE_ENV_FD);
  const char* recorded = take_variable(envp, TREADLE_ENV_FOLLOW);
  if (where == nullptr) return;
  const char* sources = take_variable(envp, TREADLE_ENV_SOURCES);
  const char* ways = take_variable(envp, TREADLE_ENV_WAYS);
  connect(where);
  make_room_for_copies();
  if (recorded != nullptr) follow_start(recorded);
  ways_start(ways);
  sources_start(sources);
  heap_start();
  race_start();
  sync_start();
  time_start();
  io_start();
  exit_start();
  g_mode = Mode::Prelude;
}

/// argv and environ live on the kernel's stack, which no reset restores, and programs do write to them (getopt).
char** copy_strings(char** strings, int& count) noexcept {
  count = 0;
  while (strings[count] != nullptr) ++count;
  auto** copy = static_cast<char**>(std::malloc(sizeof(char*) * (static_cast<std::size_t>(count) + 1)));
  for (int i = 0; i < count; ++i) copy[i] = ::strdup(strings[i]);
  copy[count] = nullptr;
  return copy;
}

int instead_of_main(int, char** argv, char** envp) {
  Process& p = process();
  int ignored = 0;
  // Apart from the program's own blocks: this is what resets need not copy until somebody writes it.
  p.runtime_allocates = true;
  p.argv = copy_strings(argv, p.argc);
  p.envp = copy_strings(envp, ignored);
  environ = p.envp;
  load_users_locale();
  sources_before_main();
  p.runtime_allocates = false;
  p.main = g_hosted_main;
  arguments_before_main(argv);
  carrier_start();
  io_before_main();
  catch_crashes();
  save_base_image();
  serve_jobs();
}

}  // namespace

void refuse(const char* sentence) noexcept {
  TreadleSharedBlock& shared = *process().shared;
  std::strncpy(shared.message, sentence, sizeof shared.message - 1);
  __atomic_store_n(&shared.guest_state, static_cast<std::uint32_t>(TREADLE_GUEST_REFUSES), __ATOMIC_RELEASE);
  futex_wake(&shared.guest_state);
  sys(SYS_exit_group, 2);
  __builtin_trap();
}

}  // namespace treadle

__attribute__((section(".preinit_array"), used)) static void (*const treadle_preinit)(int, char**, char**) = treadle::start_runtime;

extern "C" int __libc_start_main(int (*main)(int, char**, char**), int argc, char** argv, void (*init)(), void (*fini)(),
                                 void (*rtld_fini)(), void* stack_end) {
  using Real = int(int (*)(int, char**, char**), int, char**, void (*)(), void (*)(), void (*)(), void*);
  auto* real = reinterpret_cast<Real*>(::dlsym(RTLD_NEXT, "__libc_start_main"));
  // The loader has called start_runtime already, so it is known whether there is a host.
  if (treadle::native()) return real(main, argc, argv, init, fini, rtld_fini, stack_end);
  treadle::g_hosted_main = main;
  return real(treadle::instead_of_main, argc, argv, init, fini, rtld_fini, stack_end);
}
