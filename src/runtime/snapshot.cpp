// SPDX-License-Identifier: Apache-2.0
// What is saved: the writable segments of every loaded object, TLS, World and arena, the heap in use with its map of addressable bytes, and
// in mid-run the live part of every stack and the trace so far. Copying is right below about 1 MiB (100 KB take 4 µs); a larger segment is
// replaced by a private mapping of a saved copy, whose changed pages the kernel drops on request.
#include "runtime/snapshot.h"

#include <link.h>
#include <sys/mman.h>

#include <cstddef>
#include <cstring>

#include "runtime/carrier.h"
#include "runtime/heap.h"
#include "runtime/io.h"
#include "runtime/race.h"
#include "runtime/real.h"
#include "runtime/start.h"
#include "runtime/sys.h"

namespace treadle {

namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kLarge = 1 << 20;
constexpr unsigned kMostSegments = 512;
constexpr unsigned kMostSnapshots = 4096;

struct Segment {
  std::uint64_t at, bytes;
  bool dropped_by_kernel;  // too large to copy
};

struct Piece {  // in the saved image, followed by `bytes` bytes
  std::uint64_t at, bytes;
};

struct Saved {
  std::uint64_t first, end;  // pieces
  std::uint64_t shadow_mark;
};

struct Store {
  unsigned segment_count;
  Segment segments[kMostSegments];
  std::uint64_t tls_image[256];  // of the base image, by thread
  unsigned snapshots;            // valid ones, the base image included
  Saved saved[kMostSnapshots];
};

Store& store() noexcept { return *reinterpret_cast<Store*>(TREADLE_AT_ARENA - 0xc00000ull); }

std::uint64_t world_bytes() noexcept { return offsetof(World, threads) + (world().highest_thread + 1ull) * sizeof(Thread); }

void add_segment(std::uint64_t from, std::uint64_t to) noexcept {
  Store& s = store();
  if (from >= to) return;
  if (s.segment_count == kMostSegments) refuse("the program has more loaded segments than can be saved");
  s.segments[s.segment_count++] = {from, to - from, to - from > kLarge};
}

/// Writable segments of one object, less what the loader has made read-only.
int add_object(dl_phdr_info* info, std::size_t, void*) noexcept {
  std::uint64_t relro_from = 0, relro_to = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    if (header.p_type != PT_GNU_RELRO) continue;
    relro_from = info->dlpi_addr + header.p_vaddr;
    relro_to = (relro_from + header.p_memsz) & ~(kPage - 1);
    relro_from &= ~(kPage - 1);
  }
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    if (header.p_type != PT_LOAD || (header.p_flags & PF_W) == 0) continue;
    const std::uint64_t from = info->dlpi_addr + header.p_vaddr;
    const std::uint64_t to = from + header.p_memsz;
    if (relro_from < to && relro_to > from) {
      add_segment(from, relro_from);
      add_segment(relro_to, to);
    } else {
      add_segment(from, to);
    }
  }
  return 0;
}

int add_tls_bytes(dl_phdr_info* info, std::size_t, void* total) noexcept {
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    if (header.p_type == PT_TLS) *static_cast<std::uint64_t*>(total) += header.p_memsz + header.p_align;
  }
  return 0;
}

/// The main thread's static TLS and thread control block.
Span main_tls() noexcept {
  std::uint64_t below = 0;
  ::dl_iterate_phdr(add_tls_bytes, &below);
  const auto* size = static_cast<const std::uint32_t*>(::dlsym(RTLD_DEFAULT, "_thread_db_sizeof_pthread"));
  const std::uint64_t above = size != nullptr ? *size : 2304;
  const std::uint64_t at = world().threads[0].fs_base;
  return {(at - below) & ~63ull, at + above};
}

/// A large segment becomes a private view of its saved copy: dropping its pages takes it back.
void let_kernel_restore(const Segment& segment) noexcept {
  const std::uint64_t from = segment.at & ~(kPage - 1);
  const std::uint64_t bytes = (segment.at + segment.bytes - from + kPage - 1) & ~(kPage - 1);
  const int file = static_cast<int>(sys(SYS_memfd_create, reinterpret_cast<long>("treadle-image"), 1 /* close on exec */));
  std::uint64_t done = 0;
  while (file >= 0 && done < bytes) {
    const long wrote = sys(SYS_pwrite64, file, static_cast<long>(from + done), static_cast<long>(bytes - done), static_cast<long>(done));
    if (wrote <= 0) break;
    done += static_cast<std::uint64_t>(wrote);
  }
  if (file < 0 || done < bytes || map_fixed(from, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, file) != from)
    refuse("there is not enough memory to keep a copy of the program's global variables");
  sys(SYS_close, file);
}

void put(std::uint64_t& cursor, std::uint64_t at, std::uint64_t bytes) noexcept {
  if (bytes == 0) return;
  if (cursor + bytes + 64 > TREADLE_AT_SNAPSHOTS + TREADLE_SNAPSHOTS_BYTES) refuse("the saved images of the program have become too large");
  *reinterpret_cast<Piece*>(cursor) = {at, bytes};
  __builtin_memcpy(reinterpret_cast<void*>(cursor + sizeof(Piece)), reinterpret_cast<const void*>(at), bytes);
  cursor = (cursor + sizeof(Piece) + bytes + 15) & ~15ull;
}

void put_back(std::uint64_t first, std::uint64_t end) noexcept {
  while (first < end) {
    const Piece& piece = *reinterpret_cast<const Piece*>(first);
    __builtin_memcpy(reinterpret_cast<void*>(piece.at), reinterpret_cast<const void*>(first + sizeof(Piece)), piece.bytes);
    first = (first + sizeof(Piece) + piece.bytes + 15) & ~15ull;
  }
}

void put_memory(std::uint64_t& cursor) noexcept {
  for (unsigned i = 0; i < store().segment_count; ++i)
    if (!store().segments[i].dropped_by_kernel) put(cursor, store().segments[i].at, store().segments[i].bytes);
  const Span tls = main_tls();
  put(cursor, tls.begin, tls.end - tls.begin);
  put(cursor, TREADLE_AT_ARENA + sizeof(World), world().arena_used - sizeof(World));
  for (unsigned id = 0; id <= world().highest_thread; ++id) {
    put(cursor, heap_base(id), heap_used(id));
    put(cursor, heap_map_base(id), heap_map_used(id));
  }
  put(cursor, heap_base(kRuntimeSlot), heap_used(kRuntimeSlot));  // parked threads' TLS vectors, which dynamic TLS changes
  put(cursor, heap_map_base(kRuntimeSlot), heap_map_used(kRuntimeSlot));
}

/// Fresh heap memory is zero: what the abandoned run used beyond the restored mark goes back to that.
void zero_range(std::uint64_t from, std::uint64_t to) noexcept {
  if (from >= to) return;
  const std::uint64_t first_page = (from + kPage - 1) & ~(kPage - 1);
  if (to > first_page && to - first_page > kLarge / 4) {
    __builtin_memset(reinterpret_cast<void*>(from), 0, first_page - from);
    const std::uint64_t last = (to + kPage - 1) & ~(kPage - 1);
    sys(SYS_madvise, static_cast<long>(first_page), static_cast<long>(last - first_page), MADV_DONTNEED);
    return;
  }
  __builtin_memset(reinterpret_cast<void*>(from), 0, to - from);
}

struct Used {
  std::uint64_t heap, map;
};

std::uint64_t at_offset(std::uint64_t offset) noexcept { return reinterpret_cast<std::uint64_t>(process().shared) + offset; }

}  // namespace

void save_base_image() noexcept {
  Store& s = store();
  ::dl_iterate_phdr(add_object, nullptr);
  for (unsigned i = 0; i < s.segment_count; ++i)
    if (s.segments[i].dropped_by_kernel) let_kernel_restore(s.segments[i]);
  std::uint64_t cursor = TREADLE_AT_SNAPSHOTS;
  for (unsigned id = 1; id < process().prepared_threads; ++id) {
    const Span tls = tls_of(id);
    s.tls_image[id] = cursor;
    put(cursor, tls.begin, tls.end - tls.begin);
  }
  Saved& saved = s.saved[0];
  saved = {};
  saved.first = cursor;
  put_memory(cursor);
  put(cursor, TREADLE_AT_ARENA, offsetof(World, threads) + sizeof(Thread));
  saved.end = cursor;
  s.snapshots = 1;
}

bool restore_snapshot(unsigned number) noexcept {
  Store& s = store();
  if (number >= s.snapshots) return false;
  World& w = world();
  const unsigned highest = w.highest_thread;
  static_assert(sizeof(Used) == 16);
  Used before[256];
  for (unsigned id = 0; id <= highest; ++id) before[id] = {heap_used(id), heap_map_used(id)};

  for (unsigned i = 0; i < s.segment_count; ++i) {
    const Segment& segment = s.segments[i];
    if (!segment.dropped_by_kernel) continue;
    const std::uint64_t from = segment.at & ~(kPage - 1);
    const std::uint64_t to = (segment.at + segment.bytes + kPage - 1) & ~(kPage - 1);
    sys(SYS_madvise, static_cast<long>(from), static_cast<long>(to - from), MADV_DONTNEED);
  }
  for (unsigned id = 1; id <= highest; ++id) {
    const std::uint64_t lent_by = w.threads[id].fs_base;
    w.threads[id] = Thread{};
    w.threads[id].fs_base = lent_by;
    const std::uint64_t image = s.tls_image[id];
    if (tls_of(id).end != 0) put_back(image, image + 1);
  }
  put_back(s.saved[number].first, s.saved[number].end);
  for (unsigned id = 0; id <= highest; ++id) {
    zero_range(heap_base(id) + heap_used(id), heap_base(id) + before[id].heap);
    zero_range(heap_map_base(id) + heap_map_used(id), heap_map_base(id) + before[id].map);
  }
  if (number > 0) race_undo_to(s.saved[number].shadow_mark);  // the base image starts above all earlier clocks instead
  s.snapshots = number + 1;
  process().snapshots_live = number;
  return true;
}

unsigned save_snapshot(unsigned number) noexcept {
  Store& s = store();
  World& w = world();
  if (process().carrier != TREADLE_CARRIER_RESET || number == 0 || number > s.snapshots || number >= kMostSnapshots || !io_can_snapshot() ||
      process().shared->events_used != 0)
    return 0;
  for (unsigned i = 0; i < s.segment_count; ++i)
    if (s.segments[i].dropped_by_kernel) return 0;
  TreadleSharedBlock& shared = *process().shared;
  Saved& saved = s.saved[number];
  std::uint64_t cursor = s.saved[number - 1].end;
  saved = {cursor, 0, race_mark()};
  put_memory(cursor);
  for (unsigned id = 0; id <= w.highest_thread; ++id) {
    const Thread& t = w.threads[id];
    if (t.state != ThreadState::Live && &t != w.current) continue;  // a thread that is just leaving still has to hand over
    const auto sp = reinterpret_cast<std::uint64_t>(t.context.stack_pointer);
    put(cursor, sp, stack_top(id) + 64 - sp);
    if (id > 0) put(cursor, tls_of(id).begin, tls_of(id).end - tls_of(id).begin);
  }
  put(cursor, TREADLE_AT_ARENA, world_bytes());
  // The trace so far stands at the head of its regions (a job that saves or restores is alone in its batch) and belongs to every
  // continuation.
  put(cursor, at_offset(shared.events_at), w.events * sizeof(TreadleEvent));
  put(cursor, at_offset(shared.choices_at), w.choice_words * sizeof(std::uint32_t));
  put(cursor, at_offset(shared.texts_at), w.text_used);
  put(cursor, reinterpret_cast<std::uint64_t>(w.result), offsetof(TreadleResult, stacks));  // its counters have begun to run
  saved.end = cursor;
  s.snapshots = number + 1;
  process().snapshots_live = number;
  return number;
}

void save_snapshot_here() noexcept {
  if (process().carrier != TREADLE_CARRIER_RESET) return;
  process().request = Process::Request::SaveSnapshot;
  Thread& self = *world().current;
  set_fs_base(world().threads[0].fs_base);
  treadle_switch(&self.context.stack_pointer, process().controller.stack_pointer);
}

}  // namespace treadle
