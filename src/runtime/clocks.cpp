// SPDX-License-Identifier: Apache-2.0
#include "runtime/clocks.h"

#include "runtime/race.h"
#include "runtime/scheduler.h"

namespace treadle {

namespace {

bool in_use() noexcept { return active() && world().check_races; }

unsigned entries() noexcept { return world().race->entries; }

}  // namespace

Clock* new_clock() noexcept { return static_cast<Clock*>(arena_allocate(entries() * sizeof(std::uint32_t))); }

void join_clock(Clock& into, const Clock& from) noexcept {
  const unsigned n = entries();
  for (unsigned i = 0; i < n; ++i) into.at[i] = into.at[i] > from.at[i] ? into.at[i] : from.at[i];
}

void copy_clock(Clock& into, const Clock& from) noexcept { __builtin_memcpy(&into, &from, entries() * sizeof(std::uint32_t)); }

void advance_time(Thread& thread) noexcept {
  std::uint32_t& time = thread.clock->at[thread.id];
  if (time == kMaxTime) unsupported("one execution makes too many synchronisation operations to check it for races", 0);
  ++time;
  if (time > process().clock_top) process().clock_top = time;
  refresh_epoch(thread);
}

void hb_release(Clock*& object) noexcept {
  if (!in_use()) return;
  Thread& self = *world().current;
  if (object == nullptr) {
    object = new_clock();
    copy_clock(*object, *self.clock);
  } else {
    join_clock(*object, *self.clock);
  }
  advance_time(self);
}

void hb_release_only(Clock*& object) noexcept {
  if (!in_use()) return;
  Thread& self = *world().current;
  if (object == nullptr) object = new_clock();
  copy_clock(*object, *self.clock);
  advance_time(self);
}

void hb_acquire(const Clock* object) noexcept {
  if (object == nullptr || !in_use()) return;
  join_clock(*world().current->clock, *object);
  ++world().race->order_version;
}

void hb_create(Thread& child) noexcept {
  if (!in_use()) return;
  Thread& self = *world().current;
  child.clock = new_clock();
  copy_clock(*child.clock, *self.clock);
  child.clock->at[child.id] = world().race->base;
  advance_time(child);
  advance_time(self);
  ++world().race->order_version;
}

void hb_join(const Thread& finished) noexcept {
  if (!in_use()) return;
  hb_acquire(finished.clock);
}

}  // namespace treadle
