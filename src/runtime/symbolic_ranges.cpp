// SPDX-License-Identifier: Apache-2.0
// memcpy, memmove, memset: byte by byte. The source's symbols are those of its RANGE_READ, or what memory holds; the target's RANGE_WRITE
// is told byte for byte what it left, since its event does not say.
#include <cerrno>

#include "abi/symbolic_hooks.h"
#include "runtime/code.h"
#include "runtime/heap.h"
#include "runtime/symbolic.h"
#include "runtime/sys.h"

namespace treadle {

namespace {

constexpr unsigned kLookBack = 256;

bool is_range(const TreadleEvent& event, TreadleEventKind kind, std::uint64_t address, std::uint64_t bytes) noexcept {
  return event.thread == world().current->id && event.kind == kind && event.address == address && event.extra == bytes;
}

bool changes(const TreadleEvent& event, std::uint64_t address, std::uint64_t bytes) noexcept {
  std::uint64_t size = event.size;
  switch (event.kind) {
    case TREADLE_EV_RANGE_WRITE:
      size = event.extra;
      break;
    case TREADLE_EV_WRITE:
    case TREADLE_EV_ATOMIC_WRITE:
    case TREADLE_EV_RMW:
    case TREADLE_EV_CAS_OK:
    case TREADLE_EV_FLUSH:
      break;
    default:
      return false;
  }
  return event.address < address + bytes && address < event.address + size;
}

/// The event that announced reading the source. Other threads may have run since, before the target was announced: if they have changed it,
/// nothing is known.
std::uint64_t source_event(std::uint64_t from, std::uint64_t bytes) noexcept {
  const World& w = world();
  for (std::uint64_t i = 1; i <= w.events && i <= kLookBack; ++i) {
    const TreadleEvent& event = event_at(w.events - i);
    if (is_range(event, TREADLE_EV_RANGE_READ, from, bytes)) return w.events - i;
    if (event.thread != w.current->id && changes(event, from, bytes)) return kNoEvent;
  }
  return kNoEvent;
}

/// The target is announced last.
std::uint64_t target_event(std::uint64_t to, std::uint64_t bytes) noexcept {
  const World& w = world();
  return w.events > 0 && is_range(event_at(w.events - 1), TREADLE_EV_RANGE_WRITE, to, bytes) ? w.events - 1 : kNoEvent;
}

/// Tells of all the bytes that the target's event left, in as large pieces as they come in.
void note_left(SymbolicState& s, std::uint64_t event, const std::uint8_t* bytes, std::uint64_t count, std::uint64_t pc) noexcept {
  const auto base = reinterpret_cast<std::uint64_t>(bytes);
  for (std::uint64_t i = 0; i < count;) {
    const ByteCell* cell = s.shadow.find(base + i);
    const bool symbolic = cell != nullptr && cell->expression != 0;
    unsigned length = 1;
    if (symbolic && cell->part == 0) length = s.table.bits(cell->expression) / 8;
    if (!symbolic)
      while (length < 8 && i + length < count) {
        const ByteCell* next = s.shadow.find(base + i + length);
        if (next != nullptr && next->expression != 0) break;
        ++length;
      }
    if (i + length > count) length = 1;
    std::uint64_t value = 0;
    __builtin_memcpy(&value, bytes + i, length);
    Expr e = held_by_memory(s, base + i, length, value);
    if (e == 0) e = s.table.constant(value, length * 8);
    note(s, TREADLE_NOTE_WRITE, world().current->id, event, e, static_cast<unsigned>(i), 0, pc);
    i += length;
  }
}

/// Whatever memory holds there, without a symbol for each byte that was read.
void pin_held(SymbolicState& s, std::uint64_t from, std::uint64_t end, std::uint64_t pc) noexcept {
  for (std::uint64_t at = from; at < end;) {
    const ByteCell* cell = s.shadow.find(at);
    if (cell == nullptr) {
      at = (at / kShadowBlock + 1) * kShadowBlock;
      continue;
    }
    const bool still_there = cell->expression != 0 && *reinterpret_cast<const std::uint8_t*>(at) == cell->value;
    if (still_there) pin(s, cell->expression, s.table.value(cell->expression), TREADLE_PIN_CALL, pc);
    ++at;
  }
}

/// Whoever looks at what is not there crashes, in his own place and not here. The kernel takes the mask before it finds that it knows no
/// such request.
bool can_be_read(std::uint64_t address) noexcept {
  constexpr long kNoRequest = ~0;
  return address >= 8 && sys(SYS_rt_sigprocmask, kNoRequest, static_cast<long>(address & ~7ull), 0, 8) != -EFAULT;
}

bool can_be_read(std::uint64_t from, std::uint64_t bytes) noexcept { return can_be_read(from) && can_be_read(from + bytes - 1); }

}  // namespace

void symbolic_copied(void* to, const void* from, std::size_t bytes, std::uint32_t private_, std::uint64_t pc) noexcept {
  SymbolicState* s = symbolic();
  if (s == nullptr || bytes == 0) return;
  const auto target = reinterpret_cast<std::uint64_t>(to), source = reinterpret_cast<std::uint64_t>(from);
  const auto* left = static_cast<const std::uint8_t*>(to);
  const std::uint64_t read = (private_ & 1) != 0 ? kNoEvent : source_event(source, bytes);
  const std::uint64_t written = (private_ & 2) != 0 ? kNoEvent : target_event(target, bytes);
  if (read != kNoEvent && bytes > kMostCopied) {  // the event keeps its value, which then is a way of its own
    pin_held(*s, source, source + bytes, pc);
    s->shadow.forget(target, bytes);
    return;
  }
  const bool backwards = target > source && target - source < bytes;
  const bool nothing_known = read == kNoEvent && s->shadow.is_empty();
  for (std::uint64_t k = 0; k < bytes && !nothing_known; ++k) {
    const std::uint64_t i = backwards ? bytes - 1 - k : k;
    ByteCell copy{};
    if (read != kNoEvent) {
      copy = {s->table.leaf(TREADLE_OP_READ, static_cast<std::uint32_t>(read), static_cast<unsigned>(i), 8, left[i]), 0, left[i], 0};
    } else if (const ByteCell* cell = s->shadow.find(source + i)) {
      copy = *cell;
      if (copy.value != left[i]) copy = ByteCell{};
    }
    ByteCell* there = copy.expression == 0 ? s->shadow.find(target + i) : s->shadow.make(target + i);
    if (there != nullptr)
      *there = copy;
    else if (copy.expression != 0)
      pin(*s, s->table.extract(copy.expression, copy.part * 8u, 8), copy.value, TREADLE_PIN_FULL, pc);
  }
  if (written != kNoEvent && bytes <= kMostCopied) note_left(*s, written, left, bytes, pc);
  handed_out(*s, 0, pc);
}

/// Each byte that a recorded read of a range has seen is a symbol like any other, and the value that it had a way of its own: whoever
/// looked at it went on accordingly.
void symbolic_seen(const void* from, std::size_t bytes, std::uint32_t private_, unsigned reason, std::uint64_t pc) noexcept {
  SymbolicState* s = symbolic();
  if (s == nullptr || bytes == 0) return;
  const auto source = reinterpret_cast<std::uint64_t>(from);
  const auto* seen = static_cast<const std::uint8_t*>(from);
  const std::uint64_t read = (private_ & 1) == 0 ? source_event(source, bytes) : kNoEvent;
  if ((read == kNoEvent && s->shadow.is_empty()) || !can_be_read(source, bytes)) return;
  if (read != kNoEvent && bytes > kMostCopied) return pin_held(*s, source, source + bytes, pc);
  Expr before = 0;
  for (std::uint64_t i = 0; i < bytes && (read != kNoEvent || !s->shadow.is_empty()); ++i) {
    if (read != kNoEvent) {
      pin(*s, s->table.leaf(TREADLE_OP_READ, static_cast<std::uint32_t>(read), static_cast<unsigned>(i), 8, seen[i]), seen[i], reason, pc);
      continue;
    }
    const ByteCell* cell = s->shadow.find(source + i);
    if (cell == nullptr || cell->expression == before || cell->value != seen[i]) continue;
    before = cell->expression;
    pin(*s, before, s->table.value(before), reason, pc);
  }
  handed_out(*s, 0, pc);
}

// How far an object reaches is known of blocks only. On the stack and among globals it is taken to reach as far as something symbolic lies
// close to the last that did.
void symbolic_lent(const void* object, std::uint64_t pc) noexcept {
  constexpr std::uint64_t kFarthest = 64;
  SymbolicState* s = symbolic();
  if (s == nullptr || object == nullptr || s->shadow.is_empty()) return;
  auto from = reinterpret_cast<std::uint64_t>(object);
  const Block* block = heap_find(from);
  std::uint64_t end = from + kFarthest;
  if (block != nullptr && from - block->address() < block->size) {
    from = block->address();
    end = from + block->size;
  } else {
    for (std::uint64_t at = from; at < end && at - from < kMostCopied; ++at)
      if (const ByteCell* cell = s->shadow.find(at); cell != nullptr && cell->expression != 0) end = at + kFarthest;
  }
  pin_held(*s, from, end, pc);
  s->shadow.forget(from, end - from);
  handed_out(*s, 0, pc);
}

}  // namespace treadle

using namespace treadle;

extern "C" {

void __treadle_sym_copied(void* to, const void* from, size_t bytes, uint32_t private_) noexcept {
  symbolic_copied(to, from, bytes, private_, TREADLE_PC());
}

void __treadle_sym_pin_memory(const void* from, size_t bytes, uint32_t private_, uint32_t reason) noexcept {
  symbolic_seen(from, bytes, private_, reason, TREADLE_PC());
}

void __treadle_sym_lent(const void* object, const void* to) noexcept {
  if (to == nullptr || !has_hooks(reinterpret_cast<std::uint64_t>(to))) symbolic_lent(object, TREADLE_PC());
}

void __treadle_sym_filled(void* to, TreadleExpr byte, uint8_t value, size_t bytes, uint32_t private_) noexcept {
  SymbolicState* s = symbolic();
  if (s == nullptr || bytes == 0) return;
  const std::uint64_t pc = TREADLE_PC();
  const auto target = reinterpret_cast<std::uint64_t>(to);
  const Expr e = fitted(*s, byte, 8);
  if (e == 0)
    s->shadow.forget(target, bytes);
  else
    for (std::uint64_t i = 0; i < bytes; ++i) memory_holds(*s, target + i, 1, e, value, pc);
  const std::uint64_t written = (private_ & 2) != 0 ? kNoEvent : target_event(target, bytes);
  if (written != kNoEvent && bytes <= kMostCopied) note_left(*s, written, static_cast<const std::uint8_t*>(to), bytes, pc);
  handed_out(*s, 0, pc);
}
}
