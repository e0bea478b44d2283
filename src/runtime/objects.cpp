// SPDX-License-Identifier: Apache-2.0
#include "runtime/objects.h"

#include <initializer_list>

#include "runtime/heap.h"
#include "runtime/store_buffer.h"
#include "runtime/thread_sync.h"
#include "runtime/time.h"

// Left by the pass in what it takes for a task of a verifier.
extern "C" const char __treadle_verifier_task[] __attribute__((weak));

namespace treadle {

namespace {

constexpr std::uint32_t kFirstBuckets = 64;

SyncState& state() noexcept { return *world().sync; }

std::uint32_t bucket_of(std::uint64_t address, ObjectKind kind) noexcept {
  const std::uint64_t mixed = (address + static_cast<std::uint64_t>(kind)) * 0x9e3779b97f4a7c15ull;
  return static_cast<std::uint32_t>(mixed >> 40) & (state().bucket_count - 1);
}

void link_into_bucket(Object& object) noexcept {
  Object*& head = state().buckets[bucket_of(object.address, object.kind)];
  object.next_in_bucket = head;
  head = &object;
}

void grow() noexcept {
  SyncState& s = state();
  s.bucket_count *= 2;
  s.buckets = arena_new<Object*>(s.bucket_count);
  for (Object* object = s.first; object != nullptr; object = object->next) link_into_bucket(*object);
}

std::size_t bytes_of(ObjectKind kind) noexcept {
  switch (kind) {
    case ObjectKind::Mutex:
      return sizeof(Mutex);
    case ObjectKind::RwLock:
      return sizeof(RwLock);
    case ObjectKind::Condition:
      return sizeof(Condition);
    case ObjectKind::Barrier:
      return sizeof(Barrier);
    case ObjectKind::Semaphore:
      return sizeof(Semaphore);
    case ObjectKind::Spinlock:
      return sizeof(Spinlock);
    case ObjectKind::Once:
      return sizeof(Once);
    case ObjectKind::Futex:
      return sizeof(Futex);
  }
  __builtin_unreachable();
}

void forget_at(std::uint64_t address) noexcept {
  for (auto kind : {ObjectKind::Mutex, ObjectKind::RwLock, ObjectKind::Condition, ObjectKind::Barrier, ObjectKind::Semaphore,
                    ObjectKind::Spinlock, ObjectKind::Once, ObjectKind::Futex})
    if (Object* object = find_object(kind, address)) forget_object(*object);
}

}  // namespace

Object* find_object(ObjectKind kind, std::uint64_t address) noexcept {
  Object* object = state().buckets[bucket_of(address, kind)];
  while (object != nullptr && (object->address != address || object->kind != kind)) object = object->next_in_bucket;
  return object;
}

void add_object(Object& object) noexcept {
  SyncState& s = state();
  object.previous = s.last;
  (s.last == nullptr ? s.first : s.last->next) = &object;
  s.last = &object;
  s.in_heap += in_heap(object.address);
  if (++s.count > s.bucket_count)
    grow();
  else
    link_into_bucket(object);
}

/// The memory stays: a thread may still be waiting on it.
void forget_object(Object& object) noexcept {
  SyncState& s = state();
  Object** link = &s.buckets[bucket_of(object.address, object.kind)];
  while (*link != &object) link = &(*link)->next_in_bucket;
  *link = object.next_in_bucket;
  (object.previous == nullptr ? s.first : object.previous->next) = object.next;
  (object.next == nullptr ? s.last : object.next->previous) = object.previous;
  --s.count;
  s.in_heap -= in_heap(object.address);
}

void sync_forget_range(std::uint64_t address, std::uint64_t bytes) noexcept {
  if (world().sync == nullptr || state().in_heap == 0) return;
  if (bytes * 2 < state().count) {  // cheaper to look at each place in the block than at each object
    for (std::uint64_t at = address; at < address + bytes; at += 4) forget_at(at);
    return;
  }
  for (Object* object = state().first; object != nullptr;) {
    Object* const next = object->next;
    if (object->address - address < bytes) forget_object(*object);
    object = next;
  }
}

std::uint64_t object_behind(const void* state_word) noexcept {
  for (const Object* object = state().first; object != nullptr; object = object->next)
    if (address_of(state_word) - address_of(object) < bytes_of(object->kind)) return object->address;
  return 0;
}

void report_uninitialised(Object& object, TreadleMisuse what, std::uint64_t pc) noexcept {
  if (object.reported) return;
  object.reported = true;
  misuse(what, object.address, 0, pc);
}

Grant await(const Pending& what) noexcept {
  if (active()) return step(what);
  Thread& me = self();
  me.pending = what;
  if (what.enabled == nullptr || what.enabled(me)) return {TREADLE_STEP, 0};
  if (what.timed) return {TREADLE_TIMEOUT, 0};
  unsupported("the program waits for another thread before main is called", what.pc);
}

void expect_memory(std::uint64_t address, std::uint64_t pc) noexcept {
  if (active()) heap_check(address, 4, false, pc);
}

void expect_alive(const Object& object, std::uint64_t pc) noexcept {
  expect_memory(object.address, pc);
  if (object.destroyed) misuse(TREADLE_MISUSE_DESTROYED_OBJECT, object.address, 0, pc);
}

void await(TreadleEventKind kind, Object& object, std::uint64_t pc, bool (*would_fail)(const Thread&)) noexcept {
  Pending what;
  what.kind = kind;
  what.address = object.address;
  what.pc = pc;
  what.object = &object;
  what.would_fail = would_fail;
  step(what);
  expect_alive(object, pc);
}

timespec Deadline::as_seen() const noexcept {
  timespec seen;
  copy_as_seen(&seen, at, sizeof seen);
  return seen;
}

bool Deadline::valid() const noexcept {
  if (at == nullptr) return true;
  const timespec limit = as_seen();
  return limit.tv_nsec >= 0 && limit.tv_nsec < 1'000'000'000 && (clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC);
}

void Deadline::put_into(Pending& what) const noexcept {
  if (at == nullptr) return;
  what.timed = true;
  const timespec limit = as_seen();
  what.deadline = limit.tv_sec < 0 ? 0 : virtual_deadline(clock, &limit);
}

void let_time_pass(const Pending& what) noexcept { advance_clock_to(what.deadline); }

void Queue::push(Waiter& waiter) noexcept {
  Waiter** link = &first;
  while (*link != nullptr) link = &(*link)->next;
  waiter.next = nullptr;
  waiter.queued = true;
  *link = &waiter;
}

void Queue::remove(Waiter& waiter) noexcept {
  for (Waiter** link = &first; *link != nullptr; link = &(*link)->next) {
    if (*link != &waiter) continue;
    *link = waiter.next;
    waiter.queued = false;
    return;
  }
}

unsigned Queue::count() const noexcept {
  unsigned waiting = 0;
  for (const Waiter* waiter = first; waiter != nullptr; waiter = waiter->next) ++waiting;
  return waiting;
}

bool leftovers_matter() noexcept { return __treadle_verifier_task == nullptr || (world().job->flags & TREADLE_CHECK_LEAKS) != 0; }

void sync_start() noexcept {
  world().sync = arena_new<SyncState>();
  state().bucket_count = kFirstBuckets;
  state().buckets = arena_new<Object*>(kFirstBuckets);
}

void sync_execution_end() noexcept {
  if (!leftovers_matter()) return;
  for (Object* object = state().first; object != nullptr; object = object->next)
    if (object->by_init && !object->destroyed) misuse(TREADLE_MISUSE_NOT_DESTROYED, object->address, 0, object->init_pc);
  for (unsigned id = 1; id <= world().highest_thread; ++id) {
    const Thread& thread = world().threads[id];
    if (thread.state == ThreadState::Finished && !thread.joined && !thread.detached)
      misuse(TREADLE_MISUSE_THREAD_NOT_JOINED, handle_of(thread), id, sync_of(thread).created_at);
  }
}

}  // namespace treadle
