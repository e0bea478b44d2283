// SPDX-License-Identifier: Apache-2.0
// Under a host, libc's own list of exit handlers stays empty: what the program and all its libraries register lands in a list of ours in
// the arena. Registrations made before main are thus part of the image that every execution starts from, and exit() runs
// them on the thread that called it, under the Schedule: destructors of globals race with threads that are still alive like any other code.
#include "runtime/exit.h"

#include <elf.h>
#include <link.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "runtime/io.h"
#include "runtime/libraries.h"
#include "runtime/objects.h"
#include "runtime/output.h"
#include "runtime/real.h"
#include "runtime/scheduler.h"
#include "runtime/sources.h"
#include "runtime/store_buffer.h"

extern "C" {
int __cxa_atexit(void (*)(void*), void*, void*) noexcept;
int __cxa_at_quick_exit(void (*)(void*), void*) noexcept;
void __cxa_finalize(void*);
}

extern "C" FILE* _IO_list_all;  // libc's open streams

namespace treadle {

namespace {

struct Handler {
  Handler* earlier;
  void (*call)(void*);               // __cxa_atexit
  void (*call_on_exit)(int, void*);  // on_exit
  void* argument;
  void* library;
  bool done;
};

struct Destructors {
  void (**begin)();
  std::size_t count;
};

}  // namespace

struct ExitState {
  Handler* newest;
  Handler* newest_quick;
  Destructors libraries[64];
  unsigned library_count;
};

namespace {

ExitState& state() noexcept {
  World& w = world();
  if (w.exits == nullptr) w.exits = arena_new<ExitState>();
  return *w.exits;
}

Handler& add(Handler*& list) noexcept {
  auto* handler = arena_new<Handler>();
  handler->earlier = list;
  list = handler;
  return *handler;
}

/// The newest first, also when a handler registers another one. `library` null: all.
void run(Handler*& list, void* library, int status) noexcept {
  for (Handler* h = list; h != nullptr;) {
    if (h->done && h == list) {
      h = list = h->earlier;
      continue;
    }
    if (h->done || (library != nullptr && h->library != library)) {
      h = h->earlier;
      continue;
    }
    h->done = true;
    if (h->call_on_exit != nullptr)
      h->call_on_exit(status, h->argument);
    else
      h->call(h->argument);
    h = list;
  }
}

int note_destructors(dl_phdr_info* info, std::size_t, void*) noexcept {
  ExitState& s = state();
  if (is_system_library(info->dlpi_name) || s.library_count == 64) return 0;
  for (unsigned i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info->dlpi_phdr[i];
    if (header.p_type != PT_DYNAMIC) continue;
    Destructors found{};
    for (auto* entry = reinterpret_cast<ElfW(Dyn)*>(info->dlpi_addr + header.p_vaddr); entry->d_tag != DT_NULL; ++entry) {
      if (entry->d_tag == DT_FINI_ARRAY) found.begin = reinterpret_cast<void (**)()>(info->dlpi_addr + entry->d_un.d_ptr);
      if (entry->d_tag == DT_FINI_ARRAYSZ) found.count = entry->d_un.d_val / sizeof(void*);
    }
    if (found.begin != nullptr) s.libraries[s.library_count++] = found;
  }
  return 0;
}

/// The executable first, then its libraries in the order they were loaded; within each, the last function first.
void run_destructors_of_libraries() noexcept {
  ExitState& s = state();
  for (unsigned i = 0; i < s.library_count; ++i)
    for (Destructors& d = s.libraries[i]; d.count > 0;) d.begin[--d.count]();
}

/// libc calls its own exit from within (err, error, argp, …) without asking us. It then comes past here first of all, since this is the
/// last registration with libc itself: after the one, at the start of the process, that would run the destructors of all libraries.
void libc_exits_by_itself(int status, void*) noexcept {
  if (g_mode != Mode::Native) leave_program(status, 0);
}

/// Asking costs less than fflush, which takes every stream's lock and so makes its memory part of what a reset must take back.
bool is_output_pending() noexcept {
  for (const FILE* stream = _IO_list_all; stream != nullptr; stream = stream->_chain)
    if (stream->_mode > 0 || stream->_IO_write_ptr > stream->_IO_write_base) return true;
  return false;
}

void announce_exit(int status, std::uint64_t pc) noexcept {
  if (g_mode != Mode::Active) unsupported("the program exits before main is called", pc);
  Pending what;
  what.kind = TREADLE_EV_EXIT;
  what.pc = pc;
  step(what);
  record(TREADLE_EV_EXIT, 0, static_cast<std::uint64_t>(status & 0xff), 0, pc);
}

[[noreturn]] void leave_at_once(int status, std::uint64_t pc) noexcept {
  const auto told = static_cast<std::uint64_t>(status & 0xff);
  if (told == 0 || (world().job->flags & TREADLE_STATUS_MATTERS) == 0) end_execution(TREADLE_END_COMPLETED, told, 0, 0, pc);
  char text[4096];
  what_was_printed(text, sizeof text);
  end_execution(TREADLE_END_COMPLETED, told, 0, 1, pc, text);
}

}  // namespace

void exit_start() noexcept { dl_iterate_phdr(note_destructors, nullptr); }

void exit_before_main() noexcept { TREADLE_REAL(on_exit)(libc_exits_by_itself, nullptr); }

void exit_sees_new_libraries() noexcept {
  if (native()) return;
  state().library_count = 0;
  dl_iterate_phdr(note_destructors, nullptr);
}

void leave_program(int status, std::uint64_t pc) noexcept {
  sources_execution_end();  // while there is still something to come of the thread's way
  announce_exit(status, pc);
  run_thread_local_destructors();
  run(state().newest, nullptr, status);
  run_destructors_of_libraries();
  threads_at_exit(pc);  // not before: a pool that is a global joins its threads when it is destroyed
  wait_for_own_stores(pc);
  if (is_output_pending()) fflush(nullptr);  // an execution's output must not be lost with its memory
  sync_execution_end();
  heap_execution_end();
  leave_at_once(status, pc);
}

int program_main() noexcept {
  if (io().mapped_before_main) needs_fork("maps memory before main is called", 0);
  Process& p = process();
  sources_execution_begin();
  const int status = p.main(p.argc, p.argv, p.envp);
  leave_program(status, reinterpret_cast<std::uint64_t>(p.main) + 1);  // a return address "in" main
}

}  // namespace treadle

using namespace treadle;

extern "C" {

void exit(int status) noexcept {
  if (native()) TREADLE_REAL(exit)(status);
  leave_program(status, TREADLE_PC());
}

void _exit(int status) {
  if (native()) TREADLE_REAL(_exit)(status);
  announce_exit(status, TREADLE_PC());
  leave_at_once(status, TREADLE_PC());
}

void _Exit(int status) noexcept {
  if (native()) TREADLE_REAL(_Exit)(status);
  announce_exit(status, TREADLE_PC());
  leave_at_once(status, TREADLE_PC());
}

void quick_exit(int status) noexcept {
  if (native()) TREADLE_REAL(quick_exit)(status);
  announce_exit(status, TREADLE_PC());
  run(state().newest_quick, nullptr, status);
  leave_at_once(status, TREADLE_PC());
}

// atexit and at_quick_exit come out of libc_nonshared.a in every executable and library and arrive here.
int __cxa_atexit(void (*call)(void*), void* argument, void* library) noexcept {
  if (native()) return TREADLE_REAL(__cxa_atexit)(call, argument, library);
  Handler& handler = add(state().newest);
  handler.call = call;
  handler.argument = argument;
  handler.library = library;
  return 0;
}

int __cxa_at_quick_exit(void (*call)(void*), void* library) noexcept {
  if (native()) return TREADLE_REAL(__cxa_at_quick_exit)(call, library);
  Handler& handler = add(state().newest_quick);
  handler.call = call;
  handler.library = library;
  return 0;
}

int on_exit(void (*call)(int, void*), void* argument) noexcept {
  if (native()) return TREADLE_REAL(on_exit)(call, argument);
  Handler& handler = add(state().newest);
  handler.call_on_exit = call;
  handler.argument = argument;
  return 0;
}

/// A library is unloaded (dlclose), or the executable's own destructors run.
void __cxa_finalize(void* library) {
  if (native()) return TREADLE_REAL(__cxa_finalize)(library);
  run(state().newest, library, 0);
}

}  // extern "C"
