// SPDX-License-Identifier: Apache-2.0
#include "record_runtime/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "record_runtime/session.h"

namespace treadle {
namespace {

constexpr std::size_t room_behind_limit = 16;

/// Where threads write whose stream goes nowhere. Nobody reads it.
constexpr std::size_t discarded_bytes = 64 << 10;
std::uint8_t discarded[discarded_bytes + room_behind_limit];

struct Stream {
  bool is_open;
  bool is_lost;  // everything goes to `discarded` from now on
  int file;
  TreadleThreadHeader* header;
  TreadleBlockHeader* block;
  std::uint64_t end_of_file;
};

thread_local Stream self __attribute__((tls_model("initial-exec")));

void set_cursor(std::uint8_t* next, std::uint8_t* limit) noexcept { __treadle_paths = {next, limit}; }

void discard() noexcept { set_cursor(discarded, discarded + discarded_bytes); }

std::uint8_t* payload() noexcept { return reinterpret_cast<std::uint8_t*>(self.block + 1); }

void lose(int error) noexcept {
  self.is_lost = true;
  if (self.header != nullptr) {
    self.header->error = error;
    self.header->state = TREADLE_STREAM_CUT;
  }
  if (TreadleStatus* status = session_status()) __atomic_fetch_add(&status->cut, 1, __ATOMIC_RELAXED);
  discard();
}

void* map(std::uint64_t offset, std::size_t bytes) noexcept {
  void* at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, self.file, static_cast<off_t>(offset));
  return at == MAP_FAILED ? nullptr : at;
}

/// Space is claimed before it is mapped: on a full disk a store into the mapping would kill the program.
void* claim(std::size_t bytes) noexcept {
  if (const int failed = ::posix_fallocate(self.file, static_cast<off_t>(self.end_of_file), static_cast<off_t>(bytes)); failed != 0) {
    errno = failed;
    return nullptr;
  }
  void* at = map(self.end_of_file, bytes);
  if (at != nullptr) self.end_of_file += bytes;
  return at;
}

void seal(const std::uint8_t* end) noexcept {
  TreadleBlockHeader& block = *self.block;
  const auto used = static_cast<std::uint32_t>(end - payload());
  block.hash = treadle_block_hash(payload(), used);
  __atomic_store_n(&block.used, used, __ATOMIC_RELEASE);
  ::munmap(&block, block.size);
  self.block = nullptr;
}

void next_block(std::uint32_t index, std::uint32_t size) noexcept {
  auto* block = static_cast<TreadleBlockHeader*>(claim(size));
  if (block == nullptr) return lose(errno);
  *block = {TREADLE_BLOCK_MAGIC, index, size, 0, 0, 0};
  self.block = block;
  set_cursor(payload(), reinterpret_cast<std::uint8_t*>(block) + size - room_behind_limit);
}

bool open_file(std::uint32_t number) noexcept {
  char name[32] = "thread-";
  char digits[12];
  unsigned count = 0;
  do digits[count++] = static_cast<char>('0' + number % 10);
  while ((number /= 10) != 0);
  for (unsigned i = 0; i < count; ++i) name[7 + i] = digits[count - 1 - i];
  self.file = ::openat(session_folder(), name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  return self.file >= 0;
}

void open(Origin from) noexcept {
  self.is_open = true;
  TreadleStatus* status = session_status();
  if (status == nullptr) {
    self.is_lost = true;
    return discard();
  }
  const std::uint32_t number = __atomic_fetch_add(&status->threads, 1, __ATOMIC_RELAXED);
  self.end_of_file = 0;
  if (!open_file(number)) return lose(errno);
  auto* header = static_cast<TreadleThreadHeader*>(claim(TREADLE_PAGE));
  if (header == nullptr) return lose(errno);
  *header = {
      0, TREADLE_RECORDING_VERSION, TREADLE_STREAM_OPEN, number, from.parent, from.nth, static_cast<std::int32_t>(::syscall(SYS_gettid)), 0,
      0};
  if (from.nth == 0) {  // main, or one that nobody was seen to create
    header->parent = number;
    if (number != 0) __atomic_fetch_add(&status->unnamed, 1, __ATOMIC_RELAXED);
  }
  __atomic_store_n(&header->magic, TREADLE_THREAD_MAGIC, __ATOMIC_RELEASE);
  self.header = header;
  next_block(0, TREADLE_SMALLEST_BLOCK);
}

void more(std::uint8_t* next) noexcept {
  const int saved = errno;
  if (!self.is_open) {
    open({0, 0});
  } else if (self.is_lost || self.block == nullptr) {
    discard();
  } else {
    const TreadleBlockHeader full = *self.block;
    seal(next);
    next_block(full.index + 1, full.size < TREADLE_LARGEST_BLOCK ? 2 * full.size : full.size);
  }
  errno = saved;
}

}  // namespace

void begin_stream(Origin from) noexcept {
  if (!self.is_open) open(from);
}

void end_stream() noexcept {
  if (self.is_open && !self.is_lost && self.block != nullptr) {
    seal(__treadle_paths.next);
    self.header->state = TREADLE_STREAM_ENDED;
  }
  if (self.header != nullptr) ::munmap(self.header, TREADLE_PAGE);
  if (self.is_open && self.file > 0) ::close(self.file);
  self = {};
  self.is_open = self.is_lost = true;
  discard();
}

std::uint32_t stream_number() noexcept {
  if (!self.is_open) open({0, 0});
  return self.header != nullptr ? self.header->number : UINT32_MAX;
}

TreadlePathCursor suspend_stream() noexcept {
  const TreadlePathCursor at = __treadle_paths;
  if (self.header != nullptr && self.header->state == TREADLE_STREAM_OPEN) {
    self.header->error = EINTR;
    self.header->state = TREADLE_STREAM_CUT;
  }
  discard();
  return at;
}

void resume_stream(TreadlePathCursor at) noexcept {
  __treadle_paths = at;
  if (self.header == nullptr || self.header->error != EINTR) return;
  self.header->error = 0;
  self.header->state = TREADLE_STREAM_OPEN;
}

void forget_streams() noexcept {
  self = {};
  self.is_open = self.is_lost = true;
  discard();
}

void note_value(TreadleValueKind kind, std::uint64_t value) noexcept {
  if (__treadle_paths.next >= __treadle_paths.limit) more(__treadle_paths.next);
  const std::uint64_t record[2] = {TREADLE_VALUE_MARK | static_cast<std::uint64_t>(kind) << 8 | TREADLE_MARK_BYTE, value};
  memcpy(__treadle_paths.next, record, sizeof record);
  __treadle_paths.next += sizeof record;
}

}  // namespace treadle

using namespace treadle;

extern "C" {

thread_local TreadlePathCursor __treadle_paths = {discarded, discarded};

/// Called by the program when its block is full. It keeps all general registers, so that nothing has to be saved where it is called.
__attribute__((preserve_most)) std::uint8_t* __treadle_paths_more(std::uint8_t* next) {
  more(next);
  return __treadle_paths.next;
}

}  // extern "C"
