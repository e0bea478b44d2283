// SPDX-License-Identifier: Apache-2.0
// Memory, store buffers (as runtime/store_buffer.cpp) and what spin loops watch (as runtime/spin.cpp).
#include <algorithm>

#include "base/hash.h"
#include "explore/rehearsal.h"
#include "trace/happens_before.h"
#include "trace/store_buffers.h"

namespace treadle {
namespace {

bool overlap(std::uint64_t a, std::uint64_t a_bytes, std::uint64_t b, std::uint64_t b_bytes) { return a < b + b_bytes && b < a + a_bytes; }

constexpr std::uint64_t most_hashed = 4096;

}  // namespace

/// Through the thread's own stores under way. `own`: all of it comes from them.
std::optional<std::uint64_t> Rehearsal::see(const Actor& actor, std::uint64_t address, unsigned size, Writer& from, bool& own) const {
  own = false;
  if (actor.buffer.stores.empty()) return memory_.read(address, size, from);
  std::uint64_t value = 0;
  unsigned replaced = 0;
  from = 0;
  for (unsigned i = 0; i < size; ++i) {
    Writer writer = 0;
    std::optional<std::uint8_t> byte;
    for (auto s = actor.buffer.stores.rbegin(); s != actor.buffer.stores.rend() && !byte; ++s) {
      const std::uint64_t at = address + i - s->address;
      if (at >= s->size || (s->lost >> at & 1) != 0) continue;
      byte = static_cast<std::uint8_t>(s->value >> at * 8);
      writer = s->writer;
      ++replaced;
    }
    if (!byte) byte = memory_.read_byte(address + i, writer);
    if (!byte) return std::nullopt;
    value |= static_cast<std::uint64_t>(*byte) << i * 8;
    from = i == 0 ? writer : from == writer ? from : (from ^ writer) * 0x9e3779b97f4a7c15ull;
  }
  own = replaced == size;
  return value;
}

/// As long as nobody else has been created, what is read is determined by what the thread has seen before, be it known or not: an argument
/// of the program, for instance.
std::optional<std::uint64_t> Rehearsal::hash_range(std::uint64_t address, std::uint64_t bytes) const {
  if (highest_ == 0) return 0;
  if (bytes > most_hashed) return std::nullopt;
  Hash hash;
  hash.add(bytes);
  for (std::uint64_t i = 0; i < bytes; ++i) {
    Writer from;
    const auto byte = memory_.read_byte(address + i, from);
    if (!byte) return std::nullopt;
    hash.add(*byte);
  }
  return hash.value();
}

/// What most steps are, in one go: an access to memory that no store buffer has a part in. The same as outcome(), fill_in() and apply().
Rehearsal::Short Rehearsal::access_memory(Actor& actor, unsigned id) {
  const Place& place = *actor.at;
  const Event& next = place.next;
  if (!actor.buffer.stores.empty() || !freed_.empty() || place.by_itself) return Short::TakeTheLongWay;
  bool reads = true, writes = true;
  switch (static_cast<EventKind>(next.kind)) {
    case TREADLE_EV_READ:
    case TREADLE_EV_ATOMIC_READ:
      writes = false;
      break;
    case TREADLE_EV_WRITE:
      if (races_ != Races::Explore) return Short::TakeTheLongWay;
      [[fallthrough]];
    case TREADLE_EV_ATOMIC_WRITE:
      if (is_buffered(next)) return Short::TakeTheLongWay;
      reads = false;
      break;
    case TREADLE_EV_RMW:
      break;
    default:
      return Short::TakeTheLongWay;
  }
  const Memory::Cell cell = memory_.cell(next.address, next.size);
  if (cell.value == nullptr) return Short::TakeTheLongWay;
  const std::uint64_t before = cell.get();
  const Place::Branch* branch = place.branch(reads ? before : 0);
  if (branch == nullptr) return Short::Unknown;
  actor.at = branch->after;
  record(branch->event, id);
  Event& event = trace_.events.back();
  event.order &= static_cast<std::uint8_t>(~TREADLE_ORDER_BUFFERED);
  const std::uint64_t after = reads ? event.extra : event.value;  // of one that writes
  if (!reads) event.extra = before;
  if (reads) actor.rf = (actor.rf ^ *cell.writer ^ actor.rf >> 29) * 0xbf58476d1ce4e5b9ull;
  if (writes) {
    const Writer writer = (static_cast<std::uint64_t>(id) + 1) << 40 | ++actor.writes;
    *cell.value = (*cell.value & ~(cell.mask << cell.shift)) | (after & cell.mask) << cell.shift;
    for (unsigned i = 0; i < event.size; ++i) cell.writer[i] = writer;
  }
  if (!writes || before == after)
    if (next.kind != TREADLE_EV_READ || races_ == Races::Explore) watch(actor, event, event.value);
  return Short::Done;
}

void Rehearsal::store(Actor& actor, unsigned id, const Event& event) {
  const Writer writer = (static_cast<std::uint64_t>(id) + 1) << 40 | ++actor.writes;
  if (is_buffered(event)) {
    StoreUnderWay s;
    s.address = event.address;
    s.value = event.value;
    s.event = trace_.events.size() - 1;
    s.pc = event.pc;
    s.writer = writer;
    s.place = actor.from;
    s.owner = id;
    s.step = step_;
    s.fences = actor.buffer.fences;
    s.size = event.size;
    s.order = event.order & static_cast<std::uint8_t>(~TREADLE_ORDER_BUFFERED);
    s.is_atomic = event.kind == TREADLE_EV_ATOMIC_WRITE;
    if (model_ == MemoryModel::Pso) {
      const std::pair<std::uint64_t, std::uint8_t> location{event.address, event.size};
      auto& queues = actor.buffer.queues;
      const auto found = std::ranges::find(queues, location);
      s.number = static_cast<std::uint16_t>(found - queues.begin());
      if (found == queues.end()) queues.push_back(location);
    }
    actor.buffer.stores.push_back(s);
    return;
  }
  const std::uint64_t value = event.kind == TREADLE_EV_RMW || event.kind == TREADLE_EV_CAS_OK ? event.extra : event.value;
  if (event.kind == TREADLE_EV_WRITE && races_ != Races::Explore && !actor.buffer.stores.empty()) {
    // No scheduling point: it changes the bytes still under way instead of memory.
    for (unsigned i = 0; i < event.size; ++i) {
      const auto byte = static_cast<std::uint8_t>(value >> i * 8);
      bool under_way = false;
      for (auto s = actor.buffer.stores.rbegin(); s != actor.buffer.stores.rend() && !under_way; ++s) {
        const std::uint64_t at = event.address + i - s->address;
        if (at >= s->size || (s->lost >> at & 1) != 0) continue;
        s->value = (s->value & ~(0xffull << at * 8)) | static_cast<std::uint64_t>(byte) << at * 8;
        s->writer = writer;
        under_way = true;
      }
      if (!under_way) memory_.write_byte(event.address + i, byte, writer);
    }
    return;
  }
  memory_.write(event.address, event.size, value, writer);
}

bool Rehearsal::may_flush(const Buffer& buffer, std::size_t position) const {
  if (model_ != MemoryModel::Pso) return position == 0;
  const StoreUnderWay& s = buffer.stores[position];
  if (s.is_atomic && ((s.order & 7) == 3 || (s.order & 7) == 4)) return position == 0;
  for (std::size_t i = 0; i < position; ++i) {
    const StoreUnderWay& older = buffer.stores[i];
    if (older.fences < s.fences || overlap(older.address, older.size, s.address, s.size)) return false;
  }
  return true;
}

bool Rehearsal::flush(unsigned id, std::uint16_t number) {
  auto& stores = actors_[id].buffer.stores;
  const auto s = std::ranges::find_if(stores, [&](const StoreUnderWay& other) { return other.number == number; });
  if (s == stores.end()) return false;
  Event event{};
  event.kind = TREADLE_EV_FLUSH;
  event.size = s->size;
  event.order = s->order;
  event.pc = s->pc;
  event.address = s->address;
  event.value = s->value;
  event.extra = s->event;
  const bool all_lost = s->lost == (1u << s->size) - 1;  // its own thread has freed what it was for
  if (!all_lost && touches_freed(event)) {
    if (s->place->lost_store == nullptr) return false;
    end_as(*s->place->lost_store);
    return true;
  }
  for (unsigned i = 0; i < s->size; ++i)
    if ((s->lost >> i & 1) == 0) memory_.write_byte(s->address + i, static_cast<std::uint8_t>(s->value >> i * 8), s->writer);
  stores.erase(s);
  record(event, id);
  return true;
}

/// The runtime would complain: let it.
bool Rehearsal::touches_freed(const Event& event) const {
  if (freed_.empty()) return false;
  const auto kind = static_cast<EventKind>(event.kind);
  const bool frees = kind == TREADLE_EV_FREE;
  if (!frees && kind != TREADLE_EV_FLUSH && !reads_memory(kind) && !writes_memory(kind)) return false;
  const std::uint64_t bytes = frees ? 1 : bytes_of(event);
  return std::ranges::any_of(freed_, [&](const auto& block) { return overlap(block.first, block.second, event.address, bytes); });
}

void Rehearsal::watch(Actor& actor, const Event& event, std::uint64_t value) {
  if (actor.iteration == nullptr) return;
  if (actor.first_at == UINT32_MAX) actor.first_at = step_ - 1;
  if (event.kind == TREADLE_EV_FENCE) return;
  const Watch watch{static_cast<EventKind>(event.kind), event.address, event.size, value};
  const bool known = std::ranges::any_of(actor.watched, [&](const Watch& other) {
    return other.address == watch.address && other.size == watch.size && other.value == watch.value;
  });
  if (!known) actor.watched.push_back(watch);
}

std::uint64_t Rehearsal::watched_value(const Actor& actor, const Watch& watch) const {
  switch (watch.kind) {
    case TREADLE_EV_TRYLOCK:
    case TREADLE_EV_TIMEDLOCK:
    case TREADLE_EV_SPIN_TRYLOCK: {
      const auto found = locks_.find(watch.address);
      return found == locks_.end() ? 0 : found->second.owner;
    }
    case TREADLE_EV_TRYRDLOCK:
    case TREADLE_EV_TRYWRLOCK:
    case TREADLE_EV_TIMEDRDLOCK:
    case TREADLE_EV_TIMEDWRLOCK: {
      const auto found = locks_.find(watch.address);
      return found == locks_.end() ? 0 : found->second.owner | static_cast<std::uint64_t>(found->second.readers) << 32;
    }
    case TREADLE_EV_SEM_TRYWAIT:
    case TREADLE_EV_SEM_TIMEDWAIT:
    case TREADLE_EV_SEM_GETVALUE: {
      const auto found = semaphores_.find(watch.address);
      return found == semaphores_.end() ? 0 : found->second;
    }
    case TREADLE_EV_COND_SIGNAL:
    case TREADLE_EV_COND_BROADCAST:
    case TREADLE_EV_FUTEX_WAKE: {
      const auto found = waiters_.find(watch.address);
      return found == waiters_.end() || found->second.empty() ? 0 : 1;
    }
    case TREADLE_EV_ONCE_BEGIN: {
      const auto found = locks_.find(watch.address);
      return found == locks_.end() ? 0 : found->second.owner;
    }
    default: {
      Writer from;
      bool own;
      return see(actor, watch.address, watch.size, from, own).value_or(~watch.value);
    }
  }
}

const Rehearsal::Watch* Rehearsal::changed(const Actor& actor) const {
  for (const Watch& watch : actor.watched)
    if (watched_value(actor, watch) != watch.value) return &watch;
  return nullptr;
}

}  // namespace treadle
