// SPDX-License-Identifier: Apache-2.0
// What is saved: the writable segments of every loaded object, TLS, World and arena, the heap in use with its map of addressable bytes, and
// in mid-run the live part of every stack and the trace so far. Copying is right below about 1 MiB (100 KB take 4 µs); a larger segment is
// replaced by a private mapping of a saved copy, whose changed pages the kernel drops on request.
#include "runtime/snapshot.h"

#include <link.h>
#include <sys/mman.h>

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <initializer_list>

#include "runtime/carrier.h"
#include "runtime/heap.h"
#include "runtime/io.h"
#include "runtime/race.h"
#include "runtime/real.h"
#include "runtime/start.h"
#include "runtime/symbolic.h"
#include "runtime/sys.h"
#include "runtime/watched.h"

extern "C" char __start_treadle_kept[], __stop_treadle_kept[];  // TREADLE_KEPT, by the linker

namespace treadle {

namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kLarge = 1 << 20;
constexpr unsigned kMostSegments = 512;
constexpr unsigned kMostSnapshots = 4096;
constexpr const char* kTooLarge = "the saved images of the program have become too large";

struct Segment {
  std::uint64_t at, bytes;
  bool dropped_by_kernel;  // too large to copy
};

struct Piece {  // in the saved image, followed by `bytes` bytes
  std::uint64_t at, bytes;
};

struct Saved {
  std::uint64_t first, end;  // pieces; the trace so far comes behind them
  std::uint64_t shadow_mark;
  unsigned written;          // that many of the watched pages are in it; those first written later were as in the base image
  std::uint64_t threads[4];  // a bit for each whose stack and TLS are in it
  std::uint64_t name;
  std::uint64_t events, choice_words, text_bytes;  // of the trace
};

struct Store {
  unsigned segment_count;
  Segment segments[kMostSegments];
  std::uint64_t tls_image[256];  // of the base image, by thread
  std::uint64_t first_snapshot;  // where images in mid-run begin
  unsigned top;                  // the highest snapshot there is; 0: only the base image
  unsigned level;                // where in the stack the execution under way stands
  unsigned unused;               // executions since a snapshot was last of use
  Saved saved[kMostSnapshots];
};

Store& store() noexcept { return *reinterpret_cast<Store*>(TREADLE_AT_ARENA - 0xc00000ull); }

std::uint64_t world_bytes() noexcept { return offsetof(World, threads) + (world().highest_thread + 1ull) * sizeof(Thread); }

void add_segment(std::uint64_t from, std::uint64_t to) noexcept {
  Store& s = store();
  const auto kept_from = reinterpret_cast<std::uint64_t>(__start_treadle_kept),
             kept_to = reinterpret_cast<std::uint64_t>(__stop_treadle_kept);
  if (from < kept_from && kept_to < to) {
    add_segment(from, kept_from);
    return add_segment(kept_to, to);
  }
  if (from >= to || (from >= kept_from && to <= kept_to)) return;
  if (s.segment_count == kMostSegments) refuse("the program has more loaded segments than can be saved");
  s.segments[s.segment_count++] = {from, to - from, to - from > kLarge};
}

/// Libraries whose data no system call of theirs fills, but for the few places that watch_libraries knows.
bool can_be_watched(const char* path) noexcept {
  const char* slash = std::strrchr(path, '/');
  const char* name = slash == nullptr ? path : slash + 1;
  for (const char* known : {"libc.so.6", "libm.so.6", "libgcc_s.so.1", "libstdc++.so.6", "ld-linux-x86-64.so.2"})
    if (std::strcmp(name, known) == 0) return process().carrier == TREADLE_CARRIER_RESET;
  return false;
}

/// Writable segments of one object, less what the loader has made read-only.
int add_object(dl_phdr_info* info, std::size_t, void*) noexcept {
  auto* add = can_be_watched(info->dlpi_name) ? watch : add_segment;
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
      if (from < relro_from) add(from, relro_from);
      if (relro_to < to) add(relro_to, to);
    } else {
      add(from, to);
    }
  }
  return 0;
}

/// What the program starts with and hardly ever changes, and the libraries' data, but for their open files: there the kernel writes.
void watch_what_stays() noexcept {
  if (process().carrier != TREADLE_CARRIER_RESET) return;
  watch(heap_base(kRuntimeSlot), heap_base(kRuntimeSlot) + heap_used(kRuntimeSlot));
  watch(heap_map_base(kRuntimeSlot), heap_map_base(kRuntimeSlot) + heap_map_used(kRuntimeSlot));
}

void expect_writes_to_streams() noexcept {
  for (const FILE* stream : {stdin, stdout, stderr}) {
    const auto at = reinterpret_cast<std::uint64_t>(stream);
    expect_writes(at, at + sizeof(FILE));
  }
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
  if (cursor + bytes + 64 > TREADLE_AT_SNAPSHOTS + TREADLE_SNAPSHOTS_BYTES) refuse(kTooLarge);
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
  put(cursor, tls_of(0).begin, tls_of(0).end - tls_of(0).begin);
  put(cursor, TREADLE_AT_ARENA + sizeof(World), world().arena_used - sizeof(World));
  for (unsigned id = 0; id <= world().highest_thread; ++id) {
    put(cursor, heap_base(id), heap_used(id));
    put(cursor, heap_map_base(id), heap_map_used(id));
  }
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

}  // namespace

void save_base_image() noexcept {
  Store& s = store();
  ::dl_iterate_phdr(add_object, nullptr);
  watch_what_stays();
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
  save_watched(cursor);
  expect_writes_to_streams();
  s.first_snapshot = (cursor + 15) & ~15ull;
}

namespace {

bool holds_thread(const Saved& saved, unsigned id) noexcept { return (saved.threads[id / 64] >> (id % 64) & 1) != 0; }

/// Everything but shadow memory and the trace.
void restore_memory(const Saved& saved) noexcept {
  const Store& s = store();
  World& w = world();
  const unsigned highest = w.highest_thread;
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
    if (tls_of(id).end != 0 && !holds_thread(saved, id)) put_back(s.tls_image[id], s.tls_image[id] + 1);
  }
  for (unsigned id = 0; id <= highest; ++id)
    if (holds_thread(saved, id)) zero_range(stack_used_from(id), stack_end(id));
  put_back(saved.first, saved.end);
  restore_written(saved.written);
  for (unsigned id = 0; id <= highest; ++id) {
    zero_range(heap_base(id) + heap_used(id), heap_base(id) + before[id].heap);
    zero_range(heap_map_base(id) + heap_map_used(id), heap_map_base(id) + before[id].map);
  }
}

void keep(std::uint64_t& cursor, std::uint64_t at, std::uint64_t bytes) noexcept {
  __builtin_memcpy(reinterpret_cast<void*>(cursor), reinterpret_cast<const void*>(at), bytes);
  cursor += bytes;
}

void give_back(std::uint64_t& cursor, std::uint64_t at, std::uint64_t bytes) noexcept {
  __builtin_memcpy(reinterpret_cast<void*>(at), reinterpret_cast<const void*>(cursor), bytes);
  cursor += bytes;
}

/// The trace so far belongs to every continuation, wherever in the regions that finds room.
template <class Copy>
void copy_trace(const Saved& saved, std::uint64_t cursor, TreadleResult& result, Copy copy) noexcept {
  const TreadleSharedBlock& shared = *process().shared;
  const auto base = reinterpret_cast<std::uint64_t>(&shared);
  copy(cursor, base + shared.events_at + shared.events_used * sizeof(TreadleEvent), saved.events * sizeof(TreadleEvent));
  copy(cursor, base + shared.choices_at + shared.choices_used * sizeof(std::uint32_t), saved.choice_words * sizeof(std::uint32_t));
  copy(cursor, base + shared.texts_at + shared.texts_used, saved.text_bytes);
  copy(cursor, reinterpret_cast<std::uint64_t>(&result), offsetof(TreadleResult, stacks));  // its counters have begun to run
}

std::uint64_t trace_bytes(const Saved& saved) noexcept {
  return saved.events * sizeof(TreadleEvent) + saved.choice_words * sizeof(std::uint32_t) + saved.text_bytes +
         offsetof(TreadleResult, stacks);
}

std::uint64_t heap_in_use() noexcept {
  std::uint64_t sum = world().arena_used;
  for (unsigned id = 0; id <= world().highest_thread; ++id) sum += heap_used(id) + heap_map_used(id);
  return sum;
}

/// Images know nothing of expressions: who records those starts from the beginning.
unsigned level_for(const TreadleJob& job) noexcept {
  const Store& s = store();
  const std::uint64_t name = is_symbolic(job) ? 0 : job.resume_from;
  unsigned level = name == 0 ? 0 : s.top;
  while (level > 0 && s.saved[level].name != name) --level;
  return level;
}

void drop_above(unsigned level) noexcept {
  store().top = level;
  process().snapshots_live = level;  // while there are any, changes of shadow memory are logged
}

/// From the start: clocks begin above all earlier ones, so shadow memory may be as it is. Snapshots that nobody wants any more are dropped,
/// because of the log, and when clocks come near their end.
void begin_above_snapshots() noexcept {
  constexpr unsigned kPatience = 1024;
  Store& s = store();
  if (s.top == 0) return;
  if (++s.unused > kPatience || process().clock_top > kMaxTime / 2) return drop_above(0);
  race_undo_to(s.saved[s.top].shadow_mark);
}

}  // namespace

bool snapshot_fits(const TreadleJob& job) noexcept {
  const TreadleSharedBlock& shared = *process().shared;
  const Saved& saved = store().saved[level_for(job)];
  return shared.events_used + saved.events < shared.event_capacity && shared.choices_used + saved.choice_words < shared.choice_capacity &&
         shared.texts_used + saved.text_bytes < shared.text_capacity;
}

bool restore_snapshot(const TreadleJob& job, TreadleResult& result) noexcept {
  Store& s = store();
  s.level = level_for(job);
  const Saved& saved = s.saved[s.level];
  restore_memory(saved);
  if (s.level == 0) {
    begin_above_snapshots();
    return false;
  }
  s.unused = 0;
  race_undo_to(saved.shadow_mark);
  drop_above(s.level);
  copy_trace(saved, saved.end, result, give_back);
  result.resumed_at = world().step;
  return true;
}

void drop_snapshots() noexcept {
  store().level = 0;
  drop_above(0);
}

bool save_snapshot(std::uint64_t name) noexcept {
  Store& s = store();
  World& w = world();
  if (w.symbolic != nullptr) return false;
  if (heap_in_use() > kLarge) return false;  // it would be faster to make the steps again
  if (process().carrier != TREADLE_CARRIER_RESET || name == 0 || s.level + 1 >= kMostSnapshots || !io_can_snapshot()) return false;
  for (unsigned i = 0; i < s.segment_count; ++i)
    if (s.segments[i].dropped_by_kernel) return false;
  const Saved& below = s.saved[s.level];
  const std::uint64_t first = s.level == 0 ? s.first_snapshot : (below.end + trace_bytes(below) + 15) & ~15ull;
  if (s.level == 0) race_forget_changes();  // the log is for this one and what will stand above it
  Saved& saved = s.saved[++s.level];
  saved = {first, first, race_mark(), written_pages(), {}, name, w.events, w.choice_words, w.text_used};
  put_memory(saved.end);
  for (unsigned i = 0; i < saved.written; ++i) put(saved.end, written_page(i), kWatchedPage);
  for (unsigned id = 0; id <= w.highest_thread; ++id) {
    const Thread& t = w.threads[id];
    if (t.state != ThreadState::Live && &t != w.current) continue;  // a thread that is just leaving still has to hand over
    // Also what calls that have returned left there: new ones find it in their uninitialised variables.
    const std::uint64_t from = stack_used_from(id);
    put(saved.end, from, stack_end(id) - from);
    saved.threads[id / 64] |= 1ull << (id % 64);
    if (id > 0) put(saved.end, tls_of(id).begin, tls_of(id).end - tls_of(id).begin);
  }
  put(saved.end, TREADLE_AT_ARENA, world_bytes());
  if (saved.end + trace_bytes(saved) > TREADLE_AT_SNAPSHOTS + TREADLE_SNAPSHOTS_BYTES) refuse(kTooLarge);
  if (saved.end - saved.first > 4 * kLarge) {
    drop_above(--s.level);  // what stood above is overwritten
    return false;
  }
  copy_trace(saved, saved.end, *w.result, keep);
  drop_above(s.level);
  s.unused = 0;
  return true;
}

void save_snapshot_here() noexcept {
  if (process().carrier != TREADLE_CARRIER_RESET) return;
  process().request = Process::Request::SaveSnapshot;
  Thread& self = *world().current;
  set_fs_base(world().threads[0].fs_base);
  treadle_switch(&self.context.stack_pointer, process().controller.stack_pointer);
}

}  // namespace treadle
