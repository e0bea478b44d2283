// SPDX-License-Identifier: Apache-2.0
#include "tests/races/stand_in.h"

#include <sys/mman.h>
#include <sys/personality.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "runtime/clocks.h"
#include "runtime/scheduler.h"
#include "runtime/snapshot.h"
#include "runtime/spin.h"
#include "runtime/start.h"
#include "runtime/sys.h"

namespace treadle {

std::vector<Reported> g_reported;
Mode g_mode = Mode::Native;

namespace {

std::uint64_t g_arena_at_start;

[[noreturn]] void give_up(const char* why) {
  std::fprintf(stderr, "%s\n", why);
  std::abort();
}

}  // namespace

void* arena_allocate(std::size_t bytes) noexcept {
  World& w = world();
  const std::uint64_t at = (w.arena_used + 15) & ~15ull;
  w.arena_used = at + bytes;
  return std::memset(reinterpret_cast<void*>(TREADLE_AT_ARENA + at), 0, bytes);
}

std::uint64_t record(TreadleEventKind kind, std::uint64_t address, std::uint64_t, std::uint64_t extra, std::uint64_t, unsigned size,
                     unsigned) noexcept {
  if (kind != TREADLE_EV_RACE) give_up("the race detector records something that is no race");
  auto access = [&](unsigned writes, unsigned atomic) {
    return static_cast<Access>(((extra & writes) != 0 ? 1 : 0) + ((extra & atomic) != 0 ? 2 : 0));
  };
  g_reported.push_back({address, size, static_cast<unsigned>(extra >> 8) & 0xff,
                        access(TREADLE_RACE_EARLIER_WRITES, TREADLE_RACE_EARLIER_ATOMIC),
                        access(TREADLE_RACE_LATER_WRITES, TREADLE_RACE_LATER_ATOMIC)});
  return 0;
}

void end_execution(TreadleEnding, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t, const char* text) noexcept {
  give_up(text == nullptr ? "the execution ends" : text);
}
void unsupported(const char* sentence, std::uint64_t) noexcept { give_up(sentence); }
void refuse(const char* sentence) noexcept { give_up(sentence); }
void drop_snapshots() noexcept { give_up("there are no snapshots here"); }
bool spin_logs(const Thread&) noexcept { return false; }
void note_code() noexcept {}
bool has_hooks(std::uint64_t) noexcept { return true; }
std::uint64_t full_pc(std::uint64_t low_bits, std::uint64_t) noexcept { return low_bits; }

void without_randomisation(char** argv) {
  const int now = ::personality(0xffffffff);
  if ((now & ADDR_NO_RANDOMIZE) != 0) return;
  ::personality(static_cast<unsigned long>(now) | ADDR_NO_RANDOMIZE);
  ::execv("/proc/self/exe", argv);
  give_up("cannot start again with fixed addresses");
}

void prepare(unsigned threads) {
  constexpr std::uint64_t process_bytes = 0x1000000;
  if (map_fixed(TREADLE_AT_ARENA - process_bytes, process_bytes + (1ull << 32), PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE) == 0)
    give_up("no room for the World");
  world().arena_used = (sizeof(World) + 63) & ~63ull;
  process().prepared_threads = threads;
  race_start();
  g_arena_at_start = world().arena_used;
}

void begin() {
  World& w = world();
  for (unsigned id = 0; id < process().prepared_threads; ++id) {
    w.threads[id] = Thread{};
    w.threads[id].id = static_cast<std::uint8_t>(id);
  }
  w.arena_used = g_arena_at_start;
  w.highest_thread = 0;
  w.live_threads = 1;
  w.check_races = true;
  w.threads[0].state = ThreadState::Live;
  run(0);
  g_mode = Mode::Active;
  race_execution_begin();
  g_reported.clear();
}

void create(unsigned thread) {
  World& w = world();
  w.threads[thread].state = ThreadState::Live;
  if (thread > w.highest_thread) w.highest_thread = thread;
  ++w.live_threads;
  hb_create(w.threads[thread]);
}

void finish() {
  world().current->state = ThreadState::Finished;
  --world().live_threads;
}

std::vector<char> save() {
  const auto* from = reinterpret_cast<const char*>(TREADLE_AT_ARENA);
  return {from, from + world().arena_used};
}

void restore(const std::vector<char>& saved) { std::memcpy(reinterpret_cast<void*>(TREADLE_AT_ARENA), saved.data(), saved.size()); }

}  // namespace treadle
