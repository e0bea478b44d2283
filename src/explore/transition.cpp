// SPDX-License-Identifier: Apache-2.0
#include "explore/transition.h"

namespace treadle {

bool share_object(const Access& a, const Access& b) {
  if (a.space != b.space) return false;
  if (a.space != Space::Memory) return a.address == b.address;
  return a.address < b.address ? b.address - a.address < a.bytes : a.address - b.address < b.bytes;
}

bool conflict(const Access& a, const Access& b) { return (a.writes || b.writes) && share_object(a, b); }

bool dependent(const Action& a, const Action& b) {
  if (a.process == b.process || a.ends || b.ends || a.fails || b.fails) return true;
  const ThreadId thread_a = thread_of(a.process), thread_b = thread_of(b.process);
  // A thread and its own store buffers: what order there is between them comes from the stores, not from what they touch.
  if (thread_a == thread_b) return false;
  if (a.disturbs == index_of(thread_b) || b.disturbs == index_of(thread_a)) return true;
  if (a.disturbs != nobody && a.disturbs == b.disturbs) return true;
  for (std::size_t i = 0; i < a.accesses.size(); ++i)
    for (std::size_t j = 0; j < b.accesses.size(); ++j)
      if (conflict(a.accesses[i], b.accesses[j])) return true;
  return false;
}

void serve_from_buffer(Action& load, const Action& flush) {
  load.store = flush.store;
  load.served = load.accesses[0];
  load.accesses = {};
}

void pass_by(Action& waiting, const Action& done) {
  if (waiting.served.bytes == 0 || !is_flush(done.process) || thread_of(done.process) != thread_of(waiting.process)) return;
  if (done.store < waiting.store) return;  // an older one
  for (std::size_t i = 0; i < done.accesses.size(); ++i)
    if (share_object(done.accesses[i], waiting.served)) {
      waiting.accesses.add(waiting.served);
      waiting.served.bytes = 0;
      return;
    }
}

}  // namespace treadle
