// SPDX-License-Identifier: Apache-2.0
#include "trace/names.h"

#include <algorithm>
#include <cstdio>

namespace treadle {
namespace {

constexpr std::uint64_t kFirstHandle = 0x7ead0000, kHandleStep = 0x1000;  // what pthread_create hands to the program

std::string hex(std::uint64_t number) {
  char text[20];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(number));
  return text;
}

/// Which of the slots that begin at `start` holds the address, or -1.
int slot_of(std::uint64_t address, std::uint64_t start, std::uint64_t slot_bytes) {
  if (address < start || address - start >= slot_bytes * TREADLE_MAX_THREADS) return -1;
  return static_cast<int>((address - start) / slot_bytes);
}

}  // namespace

int thread_of_handle(std::uint64_t handle) {
  if (handle < kFirstHandle || handle >= kFirstHandle + kHandleStep * TREADLE_MAX_THREADS || handle % kHandleStep != 0) return -1;
  return static_cast<int>((handle - kFirstHandle) / kHandleStep);
}

Names::Names(const Trace& trace, const SymbolSource* symbols) : trace_(trace), symbols_(symbols) {
  std::uint32_t allocations[256] = {};
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const Event& event = trace.events[i];
    if (event.kind != TREADLE_EV_ALLOC) continue;
    blocks_.push_back({event.address, event.value, i, ++allocations[event.thread]});
    largest_block_ = std::max(largest_block_, event.value);
  }
  std::sort(blocks_.begin(), blocks_.end(),
            [](const Block& a, const Block& b) { return a.address != b.address ? a.address < b.address : a.event < b.event; });
}

/// The newest block over the address that existed at that event. Freed blocks count: they are what a late access meant.
const Names::Block* Names::block_at(std::uint64_t address, std::uint64_t at) const {
  auto after = std::upper_bound(blocks_.begin(), blocks_.end(), address, [](std::uint64_t a, const Block& b) { return a < b.address; });
  const Block* newest = nullptr;
  while (after != blocks_.begin()) {
    --after;
    if (address - after->address > largest_block_) break;
    const bool covers = address - after->address < std::max<std::uint64_t>(after->size, 1);
    if (covers && after->event <= at && (newest == nullptr || after->event > newest->event)) newest = &*after;
  }
  return newest;
}

std::uint64_t Names::allocation_of(std::uint64_t address, std::uint64_t at) const {
  const Block* block = block_at(address, at);
  return block == nullptr ? UINT64_MAX : block->event;
}

std::string Names::heap_name(std::uint64_t address, std::uint64_t at) const {
  if (const Block* block = block_at(address, at)) {
    const ThreadId owner{trace_.events[block->event].thread};
    std::string name = "heap " + thread(owner) + "#" + std::to_string(block->ordinal);
    if (address != block->address) name += "+" + std::to_string(address - block->address);
    return name;
  }
  const int slot = slot_of(address, TREADLE_AT_HEAP, TREADLE_HEAP_SLOT);
  return "heap " + thread(ThreadId{static_cast<std::uint8_t>(slot)}) + "@" + hex((address - TREADLE_AT_HEAP) % TREADLE_HEAP_SLOT);
}

std::string Names::at(std::uint64_t address, std::uint64_t at) const {
  if (const int owner = thread_of_handle(address); owner >= 0) return "thread " + thread(ThreadId{static_cast<std::uint8_t>(owner)});
  if (slot_of(address, TREADLE_AT_HEAP, TREADLE_HEAP_SLOT) >= 0) return heap_name(address, at);
  if (const int owner = slot_of(address, TREADLE_AT_STACKS, TREADLE_STACK_SLOT); owner >= 0) {
    const std::string of = thread(ThreadId{static_cast<std::uint8_t>(owner)});
    const std::uint64_t top = TREADLE_STACK_SLOT - TREADLE_TLS_BYTES;
    const std::uint64_t offset = (address - TREADLE_AT_STACKS) % TREADLE_STACK_SLOT;
    return offset < top ? "stack " + of + "-" + hex(top - offset) : "thread-local " + of + "+" + hex(offset - top);
  }
  if (symbols_ != nullptr)
    if (std::string name = symbols_->data_name(address); !name.empty()) return name;
  return hex(address);
}

std::string Names::object_of(const Event& event, std::uint64_t number) const {
  switch (event.kind) {
    case TREADLE_EV_NONE:
    case TREADLE_EV_FENCE:
    case TREADLE_EV_THREAD_START:
    case TREADLE_EV_THREAD_EXIT:
    case TREADLE_EV_YIELD:
    case TREADLE_EV_SLEEP:
    case TREADLE_EV_CLOCK:
    case TREADLE_EV_REGION_BEGIN:
    case TREADLE_EV_REGION_END:
    case TREADLE_EV_EXCLUSIVE_BEGIN:
    case TREADLE_EV_EXCLUSIVE_END:
    case TREADLE_EV_OPAQUE_ASM:
    case TREADLE_EV_EXIT:
    case TREADLE_EV_FAIL:
      return "";
    case TREADLE_EV_THREAD_CREATE:
    case TREADLE_EV_THREAD_JOIN:
    case TREADLE_EV_THREAD_DETACH:
    case TREADLE_EV_THREAD_CANCEL:
    case TREADLE_EV_SIGNAL_THREAD:
      return "thread " + thread(ThreadId{static_cast<std::uint8_t>(event.value)});
    case TREADLE_EV_FD_READ:
    case TREADLE_EV_FD_WRITE:
    case TREADLE_EV_FD_POLL:
    case TREADLE_EV_FD_CLOSE:
      return "fd " + std::to_string(event.address);
    case TREADLE_EV_OBSERVE:
    case TREADLE_EV_INPUT:
      return event.address < trace_.texts.size() ? trace_.texts[event.address] : "";
    default:
      return at(event.address, number);
  }
}

std::string Names::object_of(const PendingOperation& pending) const {
  switch (pending.kind) {
    case TREADLE_EV_THREAD_JOIN:
      return pending.extra == 0 ? "a thread" : "thread " + thread(ThreadId{static_cast<std::uint8_t>(pending.extra - 1)});
    case TREADLE_EV_FD_READ:
    case TREADLE_EV_FD_WRITE:
    case TREADLE_EV_FD_POLL:
    case TREADLE_EV_FD_CLOSE:
      return "fd " + std::to_string(pending.address);
    default:
      return pending.address == 0 ? "" : at(pending.address);
  }
}

}  // namespace treadle
