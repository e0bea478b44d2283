// SPDX-License-Identifier: Apache-2.0
#include "record_runtime/session.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

#include "record_runtime/ending.h"
#include "record_runtime/stream.h"

namespace treadle {
namespace {

TreadleStatus* status = nullptr;
int folder = -1;
pid_t owner = 0;

/// Its descriptor must not be one that the program takes for its own standard streams.
int open_folder(const char* path) noexcept {
  const int low = ::open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const int high = low < 0 ? -1 : ::fcntl(low, F_DUPFD_CLOEXEC, 200);
  if (high < 0) return low;
  ::close(low);
  return high;
}

void open_session() noexcept {
  const char* path = ::getenv(TREADLE_RECORDING_VARIABLE);
  if (path == nullptr || *path == 0) return;
  folder = open_folder(path);
  ::unsetenv(TREADLE_RECORDING_VARIABLE);  // programs that this one starts are not part of the recording
  if (folder < 0) return;
  const int file = ::openat(folder, "status", O_RDWR | O_CLOEXEC);
  if (file < 0) return;
  void* page = ::mmap(nullptr, TREADLE_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  ::close(file);
  if (page == MAP_FAILED) return;
  auto* found = static_cast<TreadleStatus*>(page);
  if (found->magic != TREADLE_STATUS_MAGIC || found->version != TREADLE_RECORDING_VERSION || found->pid != 0) return;
  owner = found->pid = ::getpid();
  found->end = TREADLE_RUN_STARTED;
  status = found;
}

void forget_session() noexcept {
  status = nullptr;
  forget_streams();
}

int add_object(dl_phdr_info* object, std::size_t, void* out) {
  std::uint64_t base = UINT64_MAX;
  for (int i = 0; i < object->dlpi_phnum; ++i)
    if (object->dlpi_phdr[i].p_type == PT_LOAD && object->dlpi_phdr[i].p_vaddr < base) base = object->dlpi_phdr[i].p_vaddr;
  if (base == UINT64_MAX) return 0;
  if (object->dlpi_name[0] == 0 && status != nullptr && status->base == 0) status->base = object->dlpi_addr + base;
  ::fprintf(static_cast<FILE*>(out), "%llx %s\n", static_cast<unsigned long long>(object->dlpi_addr + base), object->dlpi_name);
  return 0;
}

pthread_once_t opened = PTHREAD_ONCE_INIT;
void open_once() { open_session(); }

}  // namespace

TreadleStatus* session_status() noexcept {
  ::pthread_once(&opened, open_once);
  return status;
}

int session_folder() noexcept { return folder; }

bool claim_end(TreadleRunEnd end, int code, const char* text) noexcept {
  TreadleStatus* page = session_status();
  std::uint32_t expected = TREADLE_RUN_STARTED;
  if (page == nullptr || !__atomic_compare_exchange_n(&page->end, &expected, end, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) return false;
  page->code = code;
  page->thread = stream_number();
  if (text != nullptr) ::strncpy(page->text, text, sizeof page->text - 1);
  return true;
}

void list_objects() noexcept {
  if (session_status() == nullptr) return;
  const int file = ::openat(folder, "objects", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  FILE* out = file < 0 ? nullptr : ::fdopen(file, "w");
  if (out == nullptr) return;
  ::dl_iterate_phdr(add_object, out);
  ::fclose(out);
}

void* real_function(const char* name) noexcept { return ::dlsym(RTLD_NEXT, name); }

namespace {

void note_exit(int code, void*) { claim_end(TREADLE_RUN_EXITED, code, nullptr); }

/// Before the program's own constructors: priorities up to 100 are the compiler's.
__attribute__((constructor(101))) void start() {
  if (session_status() == nullptr) return;
  begin_stream({0, 0});
  list_objects();
  watch_fatal_signals();
  ::on_exit(note_exit, nullptr);
  ::pthread_atfork(nullptr, nullptr, [] { forget_session(); });
}

/// After the program's own destructors.
__attribute__((destructor(101))) void finish() {
  if (session_status() == nullptr || ::getpid() != owner) return;
  list_objects();
  end_stream();
}

}  // namespace
}  // namespace treadle
