// SPDX-License-Identifier: Apache-2.0
#include "runtime/store_buffer.h"

#include "runtime/heap.h"
#include "runtime/race.h"
#include "runtime/scheduler.h"

namespace treadle {

namespace {

constexpr int kRelease = 3, kAcquireRelease = 4, kSequential = 5;

bool is_pso() noexcept { return world().job->model == TREADLE_MODEL_PSO; }

bool overlap(std::uint64_t a, std::uint64_t a_bytes, std::uint64_t b, std::uint64_t b_bytes) noexcept {
  return a < b + b_bytes && b < a + a_bytes;
}

std::uint64_t slot_of(std::uint64_t address, unsigned size) noexcept { return (address ^ size) * 0x9e3779b97f4a7c15ull >> 32; }

QueueTable::Entry& find_queue(const QueueTable& table, std::uint64_t address, unsigned size) noexcept {
  for (std::uint64_t at = slot_of(address, size);; ++at) {
    QueueTable::Entry& entry = table.entries[at & (table.capacity - 1)];
    if (entry.size == 0 || (entry.size == size && entry.address == address)) return entry;
  }
}

void grow(QueueTable& table) noexcept {
  const QueueTable old = table;
  table.capacity = old.capacity == 0 ? 16 : old.capacity * 2;
  table.entries = arena_new<QueueTable::Entry>(table.capacity);
  for (unsigned i = 0; i < old.capacity; ++i)
    if (old.entries[i].size != 0) find_queue(table, old.entries[i].address, old.entries[i].size) = old.entries[i];
}

/// In the order in which the thread first stores to each location, and never again another one: hosts know a queue by its number.
std::uint16_t queue_number(QueueTable& table, std::uint64_t address, unsigned size, std::uint64_t pc) noexcept {
  if (table.count * 2 >= table.capacity) grow(table);
  QueueTable::Entry& entry = find_queue(table, address, size);
  if (entry.size == 0) {
    if (table.count == UINT16_MAX) unsupported("one thread stores to more than 65535 locations, which PSO's queues cannot number", pc);
    entry = {address, static_cast<std::uint16_t>(size), static_cast<std::uint16_t>(table.count++)};
  }
  return entry.number;
}

/// Calls visit(store, byte of the store, byte of the range) for each byte in common, older stores first.
template <class Visit>
void for_common_bytes(StoreBuffer& buffer, std::uint64_t address, std::uint64_t bytes, Visit visit) noexcept {
  for (unsigned i = 0; i < buffer.count; ++i) {
    BufferedStore& s = buffer.stores[i];
    if (!overlap(s.address, s.size, address, bytes)) continue;
    const std::uint64_t from = s.address > address ? s.address : address;
    const std::uint64_t s_end = s.address + s.size, end = s_end < address + bytes ? s_end : address + bytes;
    for (std::uint64_t at = from; at < end; ++at) visit(s, static_cast<unsigned>(at - s.address), at - address);
  }
}

char& byte_of(BufferedStore& s, unsigned index) noexcept { return reinterpret_cast<char*>(index < 8 ? &s.low : &s.high)[index & 7]; }

void write_to_memory(BufferedStore& s) noexcept {
  if (s.lost == 0) {
    heap_check_range(s.address, s.size, true, s.pc);  // somebody else may have freed it since
    const std::uint64_t words[] = {s.low, s.high};
    __builtin_memcpy(reinterpret_cast<void*>(s.address), words, s.size);
    return;
  }
  for (unsigned i = 0; i < s.size; ++i)
    if ((s.lost >> i & 1) == 0) reinterpret_cast<char*>(s.address)[i] = byte_of(s, i);
}

/// The slots behind move up; the memory of the slot's clock goes to the end.
void remove(StoreBuffer& buffer, unsigned position) noexcept {
  Clock* const spare = buffer.stores[position].published;
  --buffer.count;
  for (unsigned i = position; i < buffer.count; ++i) buffer.stores[i] = buffer.stores[i + 1];
  buffer.stores[buffer.count].published = spare;
}

}  // namespace

bool may_flush(const StoreBuffer& buffer, unsigned position) noexcept {
  if (!is_pso()) return position == 0;
  const BufferedStore& s = buffer.stores[position];
  if (s.is_atomic && (s.order == kRelease || s.order == kAcquireRelease)) return position == 0;
  for (unsigned i = 0; i < position; ++i) {
    const BufferedStore& older = buffer.stores[i];
    if (older.fences < s.fences || overlap(older.address, older.size, s.address, s.size)) return false;
  }
  return true;
}

void add_flushes_of(const Thread& thread, Alternatives& out) noexcept {
  for_each_flushable(thread, [&](const BufferedStore& s) { out.add(TREADLE_FLUSH, thread.id, s.number); });
}

void buffer_store(const NewStore& what) noexcept {
  Thread& self = *world().current;
  if (self.stores == nullptr) self.stores = arena_new<StoreBuffer>();
  StoreBuffer& buffer = *self.stores;
  BufferedStore& s = buffer.stores[buffer.count];
  Clock* const clock = s.published;
  s = {what.address, what.low, what.high, what.event, what.pc, clock, buffer.fences, 0, 0, what.size, what.order, what.is_atomic, false};
  if (is_pso()) s.number = queue_number(buffer.queues, what.address, what.size, what.pc);
  if (what.is_atomic && world().check_races) s.carries = race_atomic_store(what.address, what.size, what.order & 7, what.pc, s.published);
  if (buffer.count++ == 0) refresh_epoch(self);  // from now on plain accesses have to look into the buffer
}

void flush_store(Thread& owner, std::uint16_t number) noexcept {
  World& w = world();
  StoreBuffer& buffer = *owner.stores;
  unsigned position = 0;
  while (buffer.stores[position].number != number) ++position;
  BufferedStore s = buffer.stores[position];
  Thread* const decides = w.current;
  w.current = &owner;
  w.flushing = true;
  write_to_memory(s);
  if (s.is_atomic && w.check_races) race_store_reaches_memory(s.address, s.size, s.carries ? s.published : nullptr, s.pc);
  record(TREADLE_EV_FLUSH, s.address, s.low, s.event, s.pc, s.size, s.order);
  w.flushing = false;
  w.current = decides;
  remove(buffer, position);
  if (buffer.count == 0) refresh_epoch(owner);
}

void fence_stores() noexcept {
  const Thread& self = *world().current;
  if (stores_under_way(self)) ++self.stores->fences;
}

std::uint64_t overlay_own_stores(const Thread& thread, std::uint64_t address, void* bytes, std::size_t size) noexcept {
  std::uint64_t replaced = 0;
  for_common_bytes(*thread.stores, address, size, [&](BufferedStore& s, unsigned from, std::uint64_t to) {
    if ((s.lost >> from & 1) != 0) return;
    static_cast<char*>(bytes)[to] = byte_of(s, from);
    if (to < 64) replaced |= 1ull << to;
  });
  return replaced;
}

bool has_stores_to(const Thread& thread, std::uint64_t address, std::uint64_t bytes) noexcept {
  bool found = false;
  if (stores_under_way(thread))
    for_common_bytes(*thread.stores, address, bytes, [&](BufferedStore&, unsigned, std::uint64_t) { found = true; });
  return found;
}

void copy_as_seen(void* to, const void* from, std::size_t bytes) noexcept {
  __builtin_memcpy(to, from, bytes);
  const Thread* self = world().current;
  if (self != nullptr && stores_under_way(*self)) overlay_own_stores(*self, reinterpret_cast<std::uint64_t>(from), to, bytes);
}

void store_past_buffer(std::uint64_t address, const void* bytes, unsigned size) noexcept {
  const auto* value = static_cast<const char*>(bytes);
  BufferedStore* newest[8] = {};
  unsigned index[8];
  for_common_bytes(*world().current->stores, address, size, [&](BufferedStore& s, unsigned in_store, std::uint64_t here) {
    if ((s.lost >> in_store & 1) != 0) return;
    newest[here] = &s;
    index[here] = in_store;
  });
  for (unsigned i = 0; i < size; ++i)
    (newest[i] != nullptr ? byte_of(*newest[i], index[i]) : reinterpret_cast<char*>(address)[i]) = value[i];
}

void forget_own_stores(std::uint64_t address, std::uint64_t bytes) noexcept {
  const Thread* self = world().current;
  if (self == nullptr || !stores_under_way(*self)) return;
  for_common_bytes(*self->stores, address, bytes,
                   [](BufferedStore& s, unsigned index, std::uint64_t) { s.lost |= static_cast<std::uint16_t>(1u << index); });
}

void wait_for_own_stores(std::uint64_t pc) noexcept {
  if (!active() || !stores_under_way(*world().current)) return;
  step(TREADLE_EV_FENCE, 0, pc);
  record(TREADLE_EV_FENCE, 0, 0, 1, pc, 0, kSequential);
}

}  // namespace treadle
