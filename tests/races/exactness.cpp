// SPDX-License-Identifier: Apache-2.0
// Random histories of a few threads on a few bytes: plain accesses of all sizes and alignments, ranges, atomics of all orders, fences,
// locks, creation, joining, freeing. The detector must report a race exactly when the reference sees one on a byte that had none before,
// and never a pair that the reference does not know. Executions follow each other without clearing anything; now and then one is
// taken back to its middle and must go on to the same end; now and then its clocks run out.
//
//   race_exactness [SEED [HISTORIES]]
#include <cstdio>
#include <cstdlib>
#include <random>

#include "runtime/clocks.h"
#include "runtime/race_cell.h"
#include "tests/races/reference.h"
#include "tests/races/stand_in.h"

using namespace treadle;

namespace {

constexpr unsigned kThreads = 8;
alignas(64) char g_memory[64];

struct History {
  std::mt19937_64 random;
  unsigned threads, bytes, style, step = 0;
  std::uint64_t pc = 0x1000;  // all different, so that no race is taken for one already reported
  Reference reference;
  std::vector<bool> created, finished;
  Clock* locks[3] = {};

  unsigned below(unsigned n) { return static_cast<unsigned>(random() % n); }
};

std::uint64_t g_accesses, g_races;
std::uint64_t g_seed, g_history;

void fail(const History& h, const char* what) {
  std::printf("%s: seed %lu, history %lu, step %u\n", what, g_seed, g_history, h.step);
  std::exit(1);
}

/// What was reported for this access is what the reference has.
void compare(History& h, unsigned thread, std::uint64_t address, unsigned size, Access kind, std::size_t reported_before) {
  const auto races = h.reference.access(thread, address, size, kind);
  ++g_accesses;
  g_races += h.reference.is_first();
  if (h.reference.is_first() && g_reported.size() == reported_before) fail(h, "a race was missed");
  for (std::size_t i = reported_before; i < g_reported.size(); ++i) {
    const Reported& r = g_reported[i];
    bool known = r.later == kind;
    bool same_byte = false;
    for (std::uint64_t byte = r.address; byte < r.address + r.size; ++byte)
      same_byte |= races.contains({byte, r.earlier_thread, r.earlier});
    known &= same_byte;
    if (!known) fail(h, "a race was invented");
  }
}

/// As the hooks do it.
void plain_access(History& h, unsigned thread, std::uint64_t address, unsigned size, bool writes) {
  const std::size_t before = g_reported.size();
  const Access kind = writes ? Access::Write : Access::Read;
  Cell& cell = cell_of(address);
  const bool aligned = (address & (size - 1)) == 0 && (size & (size - 1)) == 0;
  const bool short_way =
      aligned && size <= 8 && agrees(writes ? cell.write : cell.read, world().current->whole_granule, bytes_of(address, size));
  if (!short_way && size <= 8)
    writes ? race_check_first<Access::Write>(address, size, h.pc) : race_check_first<Access::Read>(address, size, h.pc);
  else if (!short_way)
    race_check_range({address, size, kind, h.pc}, size);
  compare(h, thread, address, size, kind, before);
}

void random_plain_access(History& h, unsigned thread) {
  const auto start = reinterpret_cast<std::uint64_t>(g_memory);
  if (h.below(12) == 0) return plain_access(h, thread, start + h.below(h.bytes / 2), 1 + h.below(h.bytes / 2), h.below(3) == 0);
  const unsigned size = h.style == 0 ? 4 : h.style == 1 ? 8 : 1u << h.below(4);
  std::uint64_t address = start + h.below(h.bytes);
  if (h.style != 3 || h.below(4) != 0) address &= ~(size - 1ull);
  if (address + size > start + h.bytes) address = start;
  plain_access(h, thread, address, size, h.below(3) == 0);
}

void random_atomic(History& h, unsigned thread) {
  const auto start = reinterpret_cast<std::uint64_t>(g_memory);
  constexpr unsigned sizes[] = {1, 4, 8, 16};
  unsigned size = h.style == 1 ? 8 : sizes[h.below(4)];
  if (size > h.bytes) size = 8;
  std::uint64_t address = (start + h.below(h.bytes)) & ~(size - 1ull);
  if (address + size > start + h.bytes) address = start;
  constexpr int of_loads[] = {0, 1, 2, 5}, of_stores[] = {0, 3, 5}, of_both[] = {0, 2, 3, 4, 5};
  const unsigned what = h.below(3);
  const bool reads = what != 1, writes = what != 0;
  const int order = reads && writes ? of_both[h.below(5)] : reads ? of_loads[h.below(4)] : of_stores[h.below(3)];
  const std::size_t before = g_reported.size();
  race_atomic(address, size, reads, writes, order, h.pc);
  compare(h, thread, address, size, writes ? Access::AtomicWrite : Access::AtomicRead, before);
  h.reference.atomic(thread, address, size, reads, writes, order);
}

void random_lock(History& h, unsigned thread) {
  const unsigned lock = h.below(3);
  if (h.below(2) == 0) {
    hb_acquire(h.locks[lock]);
    h.reference.acquire(thread, lock);
    return;
  }
  const bool only = h.below(4) == 0;
  only ? hb_release_only(h.locks[lock]) : hb_release(h.locks[lock]);
  h.reference.release(thread, lock, only);
}

void random_thread_operation(History& h, unsigned thread) {
  unsigned alive = 0, none = 0, ended = 0;
  for (unsigned t = 0; t < h.threads; ++t) {
    alive += h.created[t] && !h.finished[t];
    if (!h.created[t]) none = t;
    if (h.finished[t]) ended = t;
  }
  const unsigned what = h.below(3);
  if (what == 0 && none != 0) {
    create(none);
    h.reference.create(thread, none);
    h.created[none] = true;
  } else if (what == 1 && ended != 0) {
    hb_join(world().threads[ended]);
    h.reference.join(thread, ended);
  } else if (what == 2 && thread != 0 && alive > 1 && h.below(3) == 0) {
    finish();
    h.finished[thread] = true;
  }
}

void random_free(History& h, unsigned thread) {
  const std::uint64_t address = reinterpret_cast<std::uint64_t>(g_memory) + 8 * h.below(h.bytes / 8);
  const std::size_t before = g_reported.size();
  race_free(address, 8, h.pc);
  compare(h, thread, address, 8, Access::Write, before);
  h.reference.forget(address, 8);
}

void make_step(History& h) {
  unsigned thread;
  do thread = h.below(h.threads);
  while (!h.created[thread] || h.finished[thread]);
  run(thread);
  h.pc += 1 + h.below(1000);
  const unsigned what = h.below(100);
  if (what < 52) {
    random_plain_access(h, thread);
  } else if (what < 72) {
    random_atomic(h, thread);
  } else if (what < 78) {
    const int order = 2 + static_cast<int>(h.below(4));
    race_fence(order);
    h.reference.fence(thread, order);
  } else if (what < 90) {
    random_lock(h, thread);
  } else if (what < 98) {
    random_thread_operation(h, thread);
  } else {
    random_free(h, thread);
  }
  ++h.step;
}

History new_history(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto threads = static_cast<unsigned>(2 + random() % 5);
  constexpr unsigned sizes[] = {8, 16, 48};
  const unsigned bytes = sizes[random() % 3];
  const auto style = static_cast<unsigned>(random() % 4);
  History h{random, threads, bytes, style, 0, 0x1000, Reference(threads), std::vector<bool>(threads), std::vector<bool>(threads), {}};
  h.created[0] = true;
  return h;
}

void run_history(std::uint64_t seed) {
  History h = new_history(seed);
  const unsigned steps = 20 + h.below(120), middle = h.below(steps);
  const bool comes_back = h.below(3) == 0;
  begin();
  while (h.step < middle) make_step(h);
  if (!comes_back) {
    while (h.step < steps) make_step(h);
    return;
  }
  const History at_middle = h;
  const std::vector<char> memory = save();
  const std::uint64_t mark = race_mark();
  const std::size_t reported = g_reported.size();
  process().snapshots_live = 1;
  while (h.step < steps) make_step(h);
  const std::vector<Reported> first_time(g_reported.begin() + static_cast<long>(reported), g_reported.end());
  restore(memory);
  race_undo_to(mark);
  g_reported.resize(reported);
  h = at_middle;
  while (h.step < steps) make_step(h);
  process().snapshots_live = 0;
  if (!std::equal(first_time.begin(), first_time.end(), g_reported.begin() + static_cast<long>(reported), g_reported.end()))
    fail(h, "going back to the middle led to another end");
}

}  // namespace

int main(int argc, char** argv) {
  without_randomisation(argv);
  g_seed = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1;
  const std::uint64_t histories = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 20'000;
  prepare(kThreads);
  for (g_history = 0; g_history < histories; ++g_history) {
    if (g_history % 97 == 96) process().clock_top = std::max<std::uint64_t>(process().clock_top, kMaxTime - 1'000'000);
    run_history(g_seed * 1'000'003 + g_history);
  }
  std::printf("%lu accesses, %lu of them the first race on some byte: all as the reference has it\n", g_accesses, g_races);
}
