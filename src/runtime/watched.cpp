// SPDX-License-Identifier: Apache-2.0
#include "runtime/watched.h"

#include <sys/mman.h>

#include "runtime/start.h"
#include "runtime/sys.h"
#include "runtime/world.h"

namespace treadle {

namespace {

struct Range {
  std::uint64_t from, to;
  std::uint64_t image;  // where its pages were saved
};

struct Page {
  std::uint64_t at, image;
};

constexpr unsigned kMostRanges = 64;
constexpr unsigned kMostPages = 4096;

/// Outlives executions.
struct Watch {
  unsigned range_count, page_count, written;
  bool on;
  Range ranges[kMostRanges];
  Page pages[kMostPages];  // written ones
};
static_assert(sizeof(Watch) < 0x400000);

Watch& state() noexcept { return *reinterpret_cast<Watch*>(TREADLE_AT_ARENA - 0x400000ull); }

void protect(std::uint64_t from, std::uint64_t to, int protection) noexcept {
  sys(SYS_mprotect, static_cast<long>(from), static_cast<long>(to - from), protection);
}

bool is_written(std::uint64_t page) noexcept {
  const Watch& w = state();
  for (unsigned i = 0; i < w.written; ++i)
    if (w.pages[i].at == page) return true;
  return false;
}

}  // namespace

void watch(std::uint64_t from, std::uint64_t to) noexcept {
  Watch& w = state();
  from &= ~(kWatchedPage - 1);
  to = (to + kWatchedPage - 1) & ~(kWatchedPage - 1);
  const auto pages = static_cast<unsigned>((to - from) / kWatchedPage);
  if (w.range_count == kMostRanges || w.page_count + pages > kMostPages)
    refuse("the system's libraries have more data than can be watched");
  w.page_count += pages;
  w.ranges[w.range_count++] = {from, to, 0};
}

void save_watched(std::uint64_t& cursor) noexcept {
  Watch& w = state();
  cursor = (cursor + 63) & ~63ull;
  for (unsigned i = 0; i < w.range_count; ++i) {
    Range& r = w.ranges[i];
    r.image = cursor;
    __builtin_memcpy(reinterpret_cast<void*>(cursor), reinterpret_cast<const void*>(r.from), r.to - r.from);
    cursor += r.to - r.from;
    protect(r.from, r.to, PROT_READ);
  }
  w.on = true;
}

bool watched_fault(std::uint64_t address) noexcept {
  Watch& w = state();
  if (process().shared == nullptr || !w.on) return false;
  const std::uint64_t page = address & ~(kWatchedPage - 1);
  for (unsigned i = 0; i < w.range_count; ++i) {
    const Range& r = w.ranges[i];
    if (page < r.from || page >= r.to || is_written(page)) continue;
    protect(page, page + kWatchedPage, PROT_READ | PROT_WRITE);
    w.pages[w.written++] = {page, r.image + (page - r.from)};
    return true;
  }
  return false;
}

void expect_writes(std::uint64_t from, std::uint64_t to) noexcept {
  for (std::uint64_t page = from & ~(kWatchedPage - 1); page < to; page += kWatchedPage) watched_fault(page);
}

void change_watched(std::uint64_t at, const char* from, std::uint64_t bytes) noexcept {
  const Watch& w = state();
  for (unsigned i = 0; i < w.range_count; ++i) {
    const Range& r = w.ranges[i];
    if (at < r.from || at + bytes > r.to) continue;
    __builtin_memcpy(reinterpret_cast<void*>(r.image + (at - r.from)), from, bytes);
    const std::uint64_t last = (at + bytes + kWatchedPage - 1) & ~(kWatchedPage - 1);
    for (std::uint64_t page = at & ~(kWatchedPage - 1); page < last; page += kWatchedPage) {
      if (is_written(page)) continue;  // a reset brings it
      const std::uint64_t begin = page > at ? page : at, end = page + kWatchedPage < at + bytes ? page + kWatchedPage : at + bytes;
      protect(page, page + kWatchedPage, PROT_READ | PROT_WRITE);
      __builtin_memcpy(reinterpret_cast<void*>(begin), from + (begin - at), end - begin);
      protect(page, page + kWatchedPage, PROT_READ);
    }
    return;
  }
}

unsigned written_pages() noexcept { return state().written; }
std::uint64_t written_page(unsigned index) noexcept { return state().pages[index].at; }

void restore_written(unsigned first) noexcept {
  const Watch& w = state();
  for (unsigned i = first; i < w.written; ++i)
    __builtin_memcpy(reinterpret_cast<void*>(w.pages[i].at), reinterpret_cast<const void*>(w.pages[i].image), kWatchedPage);
}

}  // namespace treadle
