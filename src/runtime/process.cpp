// SPDX-License-Identifier: Apache-2.0
// Other processes. What replaces or copies this one is not supported; what starts another program and leaves this one alone runs natively,
// as one step: posix_spawn, system and popen of libc never run our code in the child. Libraries loaded at run time need a fresh process
// each time, since a reset would forget them.
#include <dlfcn.h>
#include <sched.h>
#include <spawn.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "runtime/code.h"
#include "runtime/exit.h"
#include "runtime/io.h"
#include "runtime/real.h"
#include "runtime/scheduler.h"
#include "runtime/signals.h"

namespace treadle {

namespace {

void libraries_changed() noexcept {
  exit_sees_new_libraries();
  note_code();
}

constexpr const char* kForks = "the program calls fork; Treadle checks one process at a time";
constexpr const char* kExecutes = "the program replaces itself by another one (exec); Treadle checks one program at a time";

/// A child must find SIGPIPE as it would find it without us.
template <class Start>
auto start_child(Start start) noexcept {
  if (native()) return start();
  io().has_children = true;
  note_kernel_state();
  struct sigaction usual{};
  struct sigaction ours{};
  usual.sa_handler = signals().actions[SIGPIPE].sa_handler == SIG_IGN ? SIG_IGN : SIG_DFL;
  TREADLE_REAL(sigaction)(SIGPIPE, &usual, &ours);
  const auto result = start();
  TREADLE_REAL(sigaction)(SIGPIPE, &ours, nullptr);
  return result;
}

}  // namespace

}  // namespace treadle

using namespace treadle;

extern "C" {

pid_t fork() noexcept {
  if (native()) return TREADLE_REAL(fork)();
  unsupported(kForks, TREADLE_PC());
}

/// The runtime's own way to a fresh process for each execution comes past here too.
pid_t _Fork() noexcept {
  if (native() || !process().in_execution) return TREADLE_REAL(_Fork)();
  unsupported(kForks, TREADLE_PC());
}

/// A child that shares our stack could not return through this function: natively a plain fork serves as well.
pid_t vfork() noexcept {
  if (native()) return TREADLE_REAL(fork)();
  unsupported(kForks, TREADLE_PC());
}

int clone(int (*function)(void*), void* stack, int flags, void* argument, ...) noexcept {
  if (!native()) unsupported("the program makes threads or processes of its own (clone)", TREADLE_PC());
  va_list list;
  va_start(list, argument);
  void* parent_id = va_arg(list, void*);
  void* tls = va_arg(list, void*);
  void* child_id = va_arg(list, void*);
  va_end(list);
  return TREADLE_REAL(clone)(function, stack, flags, argument, parent_id, tls, child_id);
}

int daemon(int keep_directory, int keep_streams) noexcept {
  if (native()) return TREADLE_REAL(daemon)(keep_directory, keep_streams);
  unsupported("the program goes into the background (daemon), which forks; Treadle checks one process at a time", TREADLE_PC());
}

int execve(const char* path, char* const arguments[], char* const environment[]) noexcept {
  if (native()) return TREADLE_REAL(execve)(path, arguments, environment);
  unsupported(kExecutes, TREADLE_PC());
}

int execv(const char* path, char* const arguments[]) noexcept {
  if (native()) return TREADLE_REAL(execv)(path, arguments);
  unsupported(kExecutes, TREADLE_PC());
}

int execvp(const char* file, char* const arguments[]) noexcept {
  if (native()) return TREADLE_REAL(execvp)(file, arguments);
  unsupported(kExecutes, TREADLE_PC());
}

int execvpe(const char* file, char* const arguments[], char* const environment[]) noexcept {
  if (native()) return TREADLE_REAL(execvpe)(file, arguments, environment);
  unsupported(kExecutes, TREADLE_PC());
}

int fexecve(int fd, char* const arguments[], char* const environment[]) noexcept {
  if (native()) return TREADLE_REAL(fexecve)(fd, arguments, environment);
  unsupported(kExecutes, TREADLE_PC());
}

#define TREADLE_ARGUMENTS(first)                                                         \
  va_list list;                                                                          \
  va_start(list, first);                                                                 \
  std::size_t count = 1;                                                                 \
  while (va_arg(list, char*) != nullptr) ++count;                                        \
  va_end(list);                                                                          \
  auto** arguments = static_cast<char**>(__builtin_alloca((count + 1) * sizeof(char*))); \
  va_start(list, first);                                                                 \
  arguments[0] = const_cast<char*>(first);                                               \
  for (std::size_t i = 1; i <= count; ++i) arguments[i] = va_arg(list, char*)

int execl(const char* path, const char* first, ...) noexcept {
  if (!native()) unsupported(kExecutes, TREADLE_PC());
  TREADLE_ARGUMENTS(first);
  va_end(list);
  return TREADLE_REAL(execv)(path, arguments);
}

int execlp(const char* file, const char* first, ...) noexcept {
  if (!native()) unsupported(kExecutes, TREADLE_PC());
  TREADLE_ARGUMENTS(first);
  va_end(list);
  return TREADLE_REAL(execvp)(file, arguments);
}

int execle(const char* path, const char* first, ...) noexcept {
  if (!native()) unsupported(kExecutes, TREADLE_PC());
  TREADLE_ARGUMENTS(first);
  char** environment = va_arg(list, char**);
  va_end(list);
  return TREADLE_REAL(execve)(path, arguments, environment);
}

int posix_spawn(pid_t* child, const char* path, const posix_spawn_file_actions_t* actions, const posix_spawnattr_t* attributes,
                char* const arguments[], char* const environment[]) {
  return start_child([&] { return TREADLE_REAL(posix_spawn)(child, path, actions, attributes, arguments, environment); });
}

int posix_spawnp(pid_t* child, const char* file, const posix_spawn_file_actions_t* actions, const posix_spawnattr_t* attributes,
                 char* const arguments[], char* const environment[]) {
  return start_child([&] { return TREADLE_REAL(posix_spawnp)(child, file, actions, attributes, arguments, environment); });
}

/// Over when it returns: nothing is left that could still answer.
int system(const char* command) {
  const bool before = !native() && io().has_children;
  const int result = start_child([&] { return TREADLE_REAL(system)(command); });
  if (!native()) io().has_children = before;
  return result;
}

FILE* popen(const char* command, const char* mode) {
  return start_child([&] { return TREADLE_REAL(popen)(command, mode); });
}

void* dlopen(const char* path, int flags) noexcept {
  if (native() || path == nullptr) return TREADLE_REAL(dlopen)(path, flags);
  needs_fork("loads a library at run time", TREADLE_PC());
  void* library = TREADLE_REAL(dlopen)(path, flags);
  libraries_changed();
  return library;
}

void* dlmopen(Lmid_t space, const char* path, int flags) noexcept {
  if (native()) return TREADLE_REAL(dlmopen)(space, path, flags);
  unsupported("the program loads libraries into a namespace of their own (dlmopen), where Treadle does not reach", TREADLE_PC());
}

int dlclose(void* library) noexcept {
  const int result = TREADLE_REAL(dlclose)(library);
  if (!native()) libraries_changed();
  return result;
}

}  // extern "C"
