// SPDX-License-Identifier: Apache-2.0
// Loads and the stores of their own thread that are still in its buffer.
#include "explore/partial_order.h"
#include "trace/happens_before.h"
#include "trace/store_buffers.h"

namespace treadle {

/// The newest store of the thread, from transition `from` back, to any byte that the load reads, when that store has all of them: the load
/// was served from the buffer then. A load that got its bytes from several stores, or some from memory, counts as one that reads memory.
std::uint32_t PartialOrder::serving_store(const Trace& trace, const Event& load, std::uint32_t from) const {
  for (std::uint32_t s = from; s != none; s = transitions_[s].before) {
    if (transitions_[s].event == none) continue;
    const Event& store = trace.events[transitions_[s].event];
    if (!is_buffered(store) || !writes_memory(transitions_[s].kind) || !overlap(store, load)) continue;
    return store.address <= load.address && load.address + load.size <= store.address + store.size ? s : none;
  }
  return none;
}

/// Loads behind the store that is flushed with transition i have read some of it, and the rest from elsewhere. Like those that it has
/// served, they come before what overwrites it later.
void PartialOrder::read_in_part(const Trace& trace, std::uint32_t i) {
  const Event& flush = trace.events[transitions_[i].event];
  const std::uint32_t slot = slot_of(Process{index_of(thread_of(transitions_[i].action.process))});
  for (std::uint32_t l = last_[slot]; l != none && transitions_[l].event != flush.extra; l = transitions_[l].before) {
    if (transitions_[l].event == none || !passes_buffers(trace.events[transitions_[l].event])) continue;
    const Event& load = trace.events[transitions_[l].event];
    const bool in_part = reads_memory(transitions_[l].kind) && transitions_[l].action.served.bytes == 0 && overlap(flush, load);
    if (in_part) push_touch({load.address, load.size, Space::Memory, false}, l, i);
  }
}

}  // namespace treadle
