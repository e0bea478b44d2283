// SPDX-License-Identifier: Apache-2.0
#include "runtime/follow.h"

#include <fcntl.h>
#include <sys/mman.h>

#include "abi/paths.h"
#include "runtime/scheduler.h"
#include "runtime/start.h"
#include "runtime/sys.h"

namespace treadle {

const TreadleFollowHeader* g_recorded = nullptr;

namespace {

constexpr std::uint64_t kAt = 0x21a000000000ull;  // behind the snapshots: where addresses of nobody else depend on it

const TreadleFollowThread* ways() noexcept { return reinterpret_cast<const TreadleFollowThread*>(g_recorded + 1); }
const std::uint64_t* words() noexcept { return reinterpret_cast<const std::uint64_t*>(ways() + g_recorded->threads); }

bool is_synchronisation(std::uint8_t kind) noexcept {
  enum Class { PLAIN, ATOMIC, SYNC, NOTE, TROUBLE };
  static constexpr Class classes[] = {
#define X(name, text, class_) class_,
      TREADLE_EVENT_KINDS(X)
#undef X
  };
  return classes[kind] == SYNC;
}

bool has_all(const Followed& f) noexcept { return f.position == f.way->blocks; }

/// The path on which the record ends: its blocks, whichever of them it ran through.
bool may_come_behind(const Followed& f, std::uint64_t mark) noexcept {
  const std::uint64_t* tail = words() + f.way->first_tail;
  for (std::uint64_t i = 0; i < f.way->tail; ++i)
    if (tail[i] == mark) return true;
  return false;
}

/// Rounds of a spin loop in which nothing changed are as many as the thread happened to have time for. Here it makes one and then waits:
/// the ones that were recorded besides, repetitions of what has just been entered, are passed over.
bool is_behind_rounds(Followed& f, std::uint64_t mark) noexcept {
  constexpr std::uint64_t kLongestRound = 256;
  const std::uint64_t* way = words() + f.way->first_block;
  for (std::uint64_t length = 1; f.spun_at != 0 && length <= kLongestRound && length <= f.position; ++length) {
    if (f.position + 1 - f.spun_at > length) continue;
    std::uint64_t at = f.position;
    while (at + length <= f.way->blocks && __builtin_memcmp(way + at - length, way + at, 8 * length) == 0) at += length;
    if (at == f.position || at == f.way->blocks || way[at] != mark) continue;
    f.position = at;
    return true;
  }
  return false;
}

void leave(Thread& self, const Followed& f, std::uint64_t mark, std::uint64_t pc) noexcept {
  self.parked = self.left_path = true;
  if (g_mode != Mode::Active) return;  // a constructor: main stands still when it is called
  record(TREADLE_EV_PATH, mark, f.position, TREADLE_PATH_LEFT, pc);
  Pending what;
  what.kind = TREADLE_EV_PATH;
  what.pc = pc;
  what.enabled = [](const Thread&) { return false; };
  step(what);
}

std::uint64_t size_of(int file) noexcept {
  const long size = sys(SYS_lseek, file, 0, 2 /* SEEK_END */);
  return size < 0 ? 0 : static_cast<std::uint64_t>(size);
}

bool is_sound(const TreadleFollowHeader& header, std::uint64_t bytes) noexcept {
  if (header.magic != TREADLE_FOLLOW_MAGIC || header.version != TREADLE_FOLLOW_VERSION ||
      header.threads > bytes / sizeof(TreadleFollowThread))
    return false;
  const std::uint64_t head = sizeof header + header.threads * sizeof(TreadleFollowThread);
  if (head > bytes || header.words != (bytes - head) / 8) return false;
  const auto* way = reinterpret_cast<const TreadleFollowThread*>(&header + 1);
  auto within = [&](std::uint64_t first, std::uint64_t count) { return first <= header.words && count <= header.words - first; };
  for (std::uint32_t i = 0; i < header.threads; ++i)
    if (way[i].gates > header.words / 3 || !within(way[i].first_gate, 3 * way[i].gates) || !within(way[i].first_block, way[i].blocks) ||
        !within(way[i].first_tail, way[i].tail) || !within(way[i].first_value, way[i].values))
      return false;
  return true;
}

}  // namespace

void follow_start(const char* file) noexcept {
  const int fd = static_cast<int>(sys(SYS_open, reinterpret_cast<long>(file), O_RDONLY | O_CLOEXEC));
  const std::uint64_t bytes = fd < 0 ? 0 : size_of(fd);
  if (bytes < sizeof(TreadleFollowHeader)) refuse("the recorded ways of the program's threads cannot be read");
  const long at = sys(SYS_mmap, kAt, static_cast<long>(bytes), PROT_READ, MAP_PRIVATE | MAP_FIXED_NOREPLACE, fd, 0);
  sys(SYS_close, fd);
  const auto* header = reinterpret_cast<const TreadleFollowHeader*>(kAt);
  if (static_cast<std::uint64_t>(at) != kAt || !is_sound(*header, bytes)) refuse("the recorded ways of the program's threads are broken");
  g_recorded = header;
  follow_thread(world().threads[0]);
}

void follow_thread(Thread& thread) noexcept {
  for (std::uint32_t i = 0; i < g_recorded->threads; ++i) {
    if (ways()[i].thread != thread.name) continue;
    thread.followed = arena_new<Followed>();
    thread.followed->way = &ways()[i];
  }
}

void follow_step(Thread& thread, const Pending& what) noexcept {
  Followed& f = *thread.followed;
  if (what.kind == TREADLE_EV_SPIN) f.spun_at = f.position + 1;
  if (thread.parked || !has_all(f) || (f.way->flags & (TREADLE_FOLLOW_ENDS | TREADLE_FOLLOW_CUT)) != 0) return;
  // Calls end paths. So the first one behind the record is one too many, unless the record ends with it; a call may take several steps.
  if (what.kind != TREADLE_EV_SPIN && is_synchronisation(what.kind)) f.over |= (f.way->flags & TREADLE_FOLLOW_IN_CALL) == 0 || f.returned;
  thread.parked = f.over;
}

bool is_at_gate(const Thread& thread) noexcept {
  Followed* f = thread.followed;
  if (f == nullptr) return false;
  for (; f->gate < f->way->gates; ++f->gate) {
    const std::uint64_t* gate = words() + f->way->first_gate + 3 * f->gate;
    if (f->position <= gate[0]) return false;
    const Followed* other = f;
    for (unsigned id = 0; id <= world().highest_thread; ++id)
      if (const Thread& t = world().threads[id]; t.followed != nullptr && t.followed->way == &ways()[gate[1]]) other = t.followed;
    if (other == f || other->position <= gate[2]) return true;
  }
  return false;
}

bool stands_as_recorded() noexcept {
  const World& w = world();
  for (unsigned id = 0; id <= w.highest_thread; ++id) {
    const Thread& thread = w.threads[id];
    if (thread.state != ThreadState::Live || thread.followed == nullptr) continue;
    if (thread.left_path || !has_all(*thread.followed)) return false;
    if (thread.parked && (is_enabled(thread) || thread.pending.timed)) return false;
  }
  return true;
}

bool recorded_input(std::uint64_t& value) noexcept {
  Followed* f = world().current->followed;
  if (f == nullptr || f->value >= f->way->values) return false;
  value = words()[f->way->first_value + f->value++];
  return true;
}

void follow_execution_end() noexcept {
  World& w = world();
  if (process().shared->events_used + w.events + w.highest_thread + 1 >= process().shared->event_capacity) return;
  Thread* const last = w.current;
  for (unsigned id = 0; id <= w.highest_thread; ++id) {
    Thread& thread = w.threads[id];
    if (thread.state == ThreadState::Unused || thread.followed == nullptr) continue;
    const Followed& f = *thread.followed;
    w.current = &thread;
    record(TREADLE_EV_PATH, 0, f.position, thread.left_path ? TREADLE_PATH_LEFT : has_all(f) ? TREADLE_PATH_OVER : TREADLE_ON_THE_PATH, 0);
  }
  w.current = last;
}

}  // namespace treadle

using namespace treadle;

extern "C" void __treadle_block_runs(std::uint64_t piece, std::uint32_t function, std::uint32_t block) {
  if (!following() || g_mode == Mode::Native) return;
  Thread& self = *world().current;
  if (self.followed == nullptr) return;
  Followed& f = *self.followed;
  const std::uint64_t mark = treadle_mark(piece, function, block);
  if (!has_all(f)) {
    if (self.left_path || (words()[f.way->first_block + f.position] != mark && !is_behind_rounds(f, mark)))
      return leave(self, f, mark, TREADLE_PC());
    ++f.position;
    if ((f.way->flags & TREADLE_FOLLOW_TELLS) != 0 && g_mode == Mode::Active)
      record(TREADLE_EV_PATH, mark, f.position, TREADLE_ON_THE_PATH, TREADLE_PC());
  } else if ((f.way->flags & TREADLE_FOLLOW_ENDS) != 0) {
    leave(self, f, mark, TREADLE_PC());
  } else if ((f.way->flags & TREADLE_FOLLOW_CUT) == 0) {
    f.returned |= f.way->tail > 0 && mark == words()[f.way->first_tail];
    f.over |= !may_come_behind(f, mark);
  }
}
