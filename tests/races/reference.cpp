// SPDX-License-Identifier: Apache-2.0
#include "tests/races/reference.h"

#include <algorithm>

namespace treadle {

namespace {

void join(Reference::Times& into, const Reference::Times& from) {
  if (into.size() < from.size()) into.resize(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) into[i] = std::max(into[i], from[i]);
}

bool writes(Access a) { return a == Access::Write || a == Access::AtomicWrite; }
bool atomic(Access a) { return a == Access::AtomicRead || a == Access::AtomicWrite; }
bool conflict(Access a, Access b) { return (writes(a) || writes(b)) && !(atomic(a) && atomic(b)); }

bool acquires(int order) { return order == 1 || order == 2 || order == 4 || order == 5; }
bool releases(int order) { return order == 3 || order == 4 || order == 5; }

}  // namespace

Reference::Reference(unsigned threads) : now_(threads, Times(threads)), published_(threads), to_acquire_(threads) { now_[0][0] = 1; }

std::set<Reference::Race> Reference::access(unsigned thread, std::uint64_t address, unsigned size, Access kind) {
  std::set<Race> races;
  first_ = false;
  for (std::uint64_t byte = address; byte < address + size; ++byte) {
    bool here = false;
    for (const Done& done : history_[byte]) {
      if (done.thread == thread || !conflict(done.kind, kind) || done.time <= now_[thread][done.thread]) continue;
      races.emplace(byte, done.thread, done.kind);
      here = true;
    }
    if (here && raced_.insert(byte).second) first_ = true;
    history_[byte].push_back({thread, now_[thread][thread], kind});
  }
  return races;
}

void Reference::atomic(unsigned thread, std::uint64_t address, unsigned size, bool reads, bool writes, int order) {
  if (reads) {
    Times seen;
    for (std::uint64_t byte = address; byte < address + size; ++byte) treadle::join(seen, carried_[byte]);
    treadle::join(acquires(order) ? now_[thread] : to_acquire_[thread], seen);
  }
  if (!writes) return;
  const Times& published = releases(order) ? now_[thread] : published_[thread];
  // A wide object is as many objects as it has granules; what they carry is told apart only when accesses of different sizes are mixed.
  for (std::uint64_t from = address; from < address + size; from = (from | 7) + 1) {
    const std::uint64_t to = std::min((from | 7) + 1, address + size);
    Times carried = published;
    for (std::uint64_t byte = from; reads && byte < to; ++byte) treadle::join(carried, carried_[byte]);
    for (std::uint64_t byte = from; byte < to; ++byte) carried_[byte] = carried;
  }
  if (releases(order)) ++now_[thread][thread];
}

void Reference::fence(unsigned thread, int order) {
  if (acquires(order)) treadle::join(now_[thread], to_acquire_[thread]);
  if (!releases(order)) return;
  published_[thread] = now_[thread];
  ++now_[thread][thread];
}

void Reference::acquire(unsigned thread, unsigned lock) { treadle::join(now_[thread], locks_[lock]); }

void Reference::release(unsigned thread, unsigned lock, bool only) {
  if (only) locks_[lock].clear();
  treadle::join(locks_[lock], now_[thread]);
  ++now_[thread][thread];
}

void Reference::create(unsigned thread, unsigned child) {
  now_[child] = now_[thread];
  now_[child][child] = 1;
  ++now_[thread][thread];
}

void Reference::join(unsigned thread, unsigned finished) { treadle::join(now_[thread], now_[finished]); }

void Reference::forget(std::uint64_t address, unsigned size) {
  for (std::uint64_t byte = address; byte < address + size; ++byte) {
    history_.erase(byte);
    carried_.erase(byte);
    raced_.erase(byte);
  }
}

}  // namespace treadle
