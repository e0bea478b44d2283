// SPDX-License-Identifier: Apache-2.0
#include "record_runtime/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "abi/repeats.h"
#include "record_runtime/session.h"

namespace treadle {
namespace {

constexpr std::size_t room_behind_limit = 32;

/// Where threads write whose stream goes nowhere. Nobody reads it.
constexpr std::size_t discarded_bytes = 64 << 10;
std::uint8_t discarded[discarded_bytes + room_behind_limit];

/// Which copies of blocks there are, when only the last seconds are wanted.
struct Ring {
  static constexpr std::uint32_t most = 32 << 10;  // a gibibyte of one thread
  std::uint32_t first, count;                      // index of the oldest block; how many are kept, without the window's
  std::uint32_t slots;
  std::uint32_t slot_of[most];  // by index modulo `most`
  std::uint64_t sealed[most];
};

struct Stream {
  bool is_open;
  bool is_lost;  // everything goes to `discarded` from now on
  int file;
  TreadleThreadHeader* header;
  TreadleBlockHeader* block;  // the window
  Ring* ring;
  off_t end;                    // of the file
  TreadleBlockHeader* shorter;  // room for a copy that was made short
};

/// A copy that does not get shorter than that is written as it is.
constexpr std::size_t most_of_shorter = TREADLE_BLOCK / 2;

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

std::uint64_t milliseconds() noexcept {
  timespec now = {};
  ::syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);  // clock_gettime is ours, and records
  return static_cast<std::uint64_t>(now.tv_sec) * 1000 + static_cast<std::uint64_t>(now.tv_nsec) / 1'000'000;
}

/// Space is claimed before it is mapped: on a full disk a store into the mapping would kill the program.
bool map_window() noexcept {
  constexpr std::size_t bytes = TREADLE_PAGE + TREADLE_BLOCK;
  if (const int failed = ::posix_fallocate(self.file, 0, bytes); failed != 0) {
    errno = failed;
    return false;
  }
  void* at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, self.file, 0);
  if (at == MAP_FAILED) return false;
  self.header = static_cast<TreadleThreadHeader*>(at);
  self.block = reinterpret_cast<TreadleBlockHeader*>(static_cast<std::uint8_t*>(at) + TREADLE_PAGE);
  self.end = bytes;
  return true;
}

void unmap_window() noexcept {
  if (self.header != nullptr) ::munmap(self.header, TREADLE_PAGE + TREADLE_BLOCK);
  if (self.ring != nullptr) ::munmap(self.ring, sizeof(Ring));
  if (self.shorter != nullptr) ::munmap(self.shorter, most_of_shorter);
}

void begin_block(std::uint32_t index, std::uint64_t resume) noexcept {
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  *self.block = {TREADLE_BLOCK_MAGIC, index, TREADLE_BLOCK, 0, 0, resume, 0};
  set_cursor(payload(), reinterpret_cast<std::uint8_t*>(self.block) + TREADLE_BLOCK - room_behind_limit);
}

void seal(const std::uint8_t* end) noexcept {
  TreadleBlockHeader& block = *self.block;
  const auto used = static_cast<std::uint32_t>(end - payload());
  block.hash = treadle_block_hash(payload(), used);
  if (self.ring != nullptr) block.sealed = milliseconds();
  __atomic_store_n(&block.used, used, __ATOMIC_RELEASE);
}

/// Where the copy of the window goes when only the last seconds are wanted: behind the others, or over the oldest when that is old enough.
std::uint32_t next_slot() noexcept {
  Ring& ring = *self.ring;
  const std::uint64_t wanted = session_status()->last;
  const bool reuse = ring.count > 0 && (ring.count == Ring::most || ring.sealed[ring.first % Ring::most] + wanted < self.block->sealed);
  const std::uint32_t slot = reuse ? ring.slot_of[ring.first % Ring::most] : ring.slots++;
  if (reuse) {
    ++ring.first;
    --ring.count;
  }
  ++ring.count;
  ring.slot_of[self.block->index % Ring::most] = slot;
  ring.sealed[self.block->index % Ring::most] = self.block->sealed;
  return slot;
}

/// The window made short, or as it is.
const TreadleBlockHeader* copy_of_window() noexcept {
  if (self.ring != nullptr) return self.block;  // slots of one size, to be written again
  if (self.shorter == nullptr) {
    void* room = ::mmap(nullptr, most_of_shorter, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED) return self.block;
    self.shorter = static_cast<TreadleBlockHeader*>(room);
  }
  const std::size_t bytes = treadle_shorten(payload(), self.block->used, reinterpret_cast<std::uint8_t*>(self.shorter + 1),
                                            most_of_shorter - sizeof(TreadleBlockHeader));
  if (bytes == 0) return self.block;
  *self.shorter = *self.block;
  self.shorter->size = static_cast<std::uint32_t>(sizeof(TreadleBlockHeader) + bytes);
  return self.shorter;
}

bool copy_window() noexcept {
  const TreadleBlockHeader* copy = copy_of_window();
  const off_t to = self.ring != nullptr ? TREADLE_PAGE + TREADLE_BLOCK * (static_cast<off_t>(next_slot()) + 1) : self.end;
  for (std::size_t done = 0; done < copy->size;) {
    const ssize_t written =
        ::pwrite(self.file, reinterpret_cast<const char*>(copy) + done, copy->size - done, to + static_cast<off_t>(done));
    if (written > 0) {
      done += static_cast<std::size_t>(written);
    } else if (written == 0 || errno != EINTR) {
      const int why = errno;
      if (::ftruncate(self.file, to) != 0) return errno = why, false;
      return errno = why, false;
    }
  }
  self.end = to + copy->size;
  return true;
}

void next_block(const std::uint8_t* end, std::uint64_t resume) noexcept {
  seal(end);
  if (!copy_window()) return lose(errno);  // the window keeps what is in it
  TreadleBlockHeader& block = *self.block;
  const std::size_t used = block.used;
  __atomic_store_n(&block.used, 0, __ATOMIC_RELEASE);
  // A packed loop that was just left may have something behind the end.
  const std::size_t touched = used + room_behind_limit, most = TREADLE_BLOCK - sizeof block;
  ::memset(payload(), 0, touched < most ? touched : most);
  begin_block(block.index + 1, resume);
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
  if (!open_file(number) || !map_window()) return lose(errno);
  if (status->last != 0) {
    void* ring = ::mmap(nullptr, sizeof(Ring), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (ring == MAP_FAILED) return lose(errno);
    self.ring = static_cast<Ring*>(ring);
  }
  TreadleThreadHeader* header = self.header;
  *header = {
      0, TREADLE_RECORDING_VERSION, TREADLE_STREAM_OPEN, number, from.parent, from.nth, static_cast<std::int32_t>(::syscall(SYS_gettid)), 0,
      0};
  if (from.nth == 0) {  // main, or one that nobody was seen to create
    header->parent = number;
    if (number != 0) __atomic_fetch_add(&status->unnamed, 1, __ATOMIC_RELAXED);
  }
  begin_block(0, 0);
  __atomic_store_n(&header->magic, TREADLE_THREAD_MAGIC, __ATOMIC_RELEASE);
}

bool is_in_window(const std::uint8_t* place) noexcept {
  const auto* start = reinterpret_cast<const std::uint8_t*>(self.block);
  return self.block != nullptr && place > start && place <= start + TREADLE_BLOCK;
}

void more(std::uint8_t* next, std::uint64_t resume) noexcept {
  const int saved = errno;
  if (!self.is_open)
    open({0, 0});
  else if (self.is_lost || !is_in_window(next))  // a signal handler's
    discard();
  else
    next_block(next, resume);
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
  unmap_window();
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
  if (__treadle_paths.next >= __treadle_paths.limit) more(__treadle_paths.next, 0);
  const std::uint64_t record[2] = {TREADLE_VALUE_MARK | static_cast<std::uint64_t>(kind) << 8 | TREADLE_MARK_BYTE, value};
  memcpy(__treadle_paths.next, record, sizeof record);
  __treadle_paths.next += sizeof record;
}

}  // namespace treadle

using namespace treadle;

extern "C" {

thread_local TreadlePathCursor __treadle_paths = {discarded, discarded};

/// Called by the program when its block is full. It keeps all general registers, so that nothing has to be saved where it is called.
__attribute__((preserve_most)) std::uint8_t* __treadle_paths_more(std::uint8_t* next, std::uint64_t resume) {
  more(next, resume);
  return __treadle_paths.next;
}

}  // extern "C"
