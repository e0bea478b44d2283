// SPDX-License-Identifier: Apache-2.0
#include "finding/wait_for.h"

#include <algorithm>

namespace treadle {
namespace {

bool is_read_lock(EventKind kind) { return kind == TREADLE_EV_RDLOCK || kind == TREADLE_EV_TIMEDRDLOCK; }

void add_holders(const PendingOperation& waiter, const std::vector<Held>& held, std::vector<Wait>& out) {
  const std::size_t before = out.size();
  const auto add = [&](bool shared) {
    for (const Held& h : held)
      if (h.object == waiter.address && h.shared == shared) out.push_back({&waiter, h.thread, h.event});
  };
  add(false);
  // Readers stand in the way of writers; of other readers only while a writer waits.
  if (!is_read_lock(waiter.kind) || out.size() == before) add(true);
  // Taken before main began, or by a thread that is known only to the runtime.
  if (out.size() == before && waiter.extra != 0 && waiter.extra <= TREADLE_MAX_THREADS)
    out.push_back({&waiter, ThreadId{static_cast<std::uint8_t>(waiter.extra - 1)}, UINT64_MAX});
}

}  // namespace

WaitForGraph::WaitForGraph(const Trace& trace) : held(locks_held(trace)) {
  for (const PendingOperation& pending : trace.pending)
    if (pending.state == TREADLE_THREAD_BLOCKED || (pending.state == TREADLE_THREAD_READY && !pending.enabled)) blocked.push_back(&pending);
  std::sort(blocked.begin(), blocked.end(), [](const auto* a, const auto* b) { return a->thread < b->thread; });
  for (const PendingOperation* waiter : blocked) {
    if (waits_for_holder(waiter->kind)) add_holders(*waiter, held, waits);
    if (waiter->kind == TREADLE_EV_THREAD_JOIN && waiter->extra != 0 && waiter->extra <= TREADLE_MAX_THREADS)
      waits.push_back({waiter, ThreadId{static_cast<std::uint8_t>(waiter->extra - 1)}, UINT64_MAX});
  }
}

std::vector<std::vector<Wait>> WaitForGraph::cycles() const {
  enum : std::uint8_t { New, OnPath, Done };
  std::uint8_t state[256] = {};
  std::vector<std::vector<Wait>> found;
  std::vector<Wait> path;

  // Depth first; the graph has at most a few hundred nodes. A wait back into the path closes a ring.
  const auto visit = [&](const auto& self, unsigned thread) -> void {
    state[thread] = OnPath;
    for (const Wait& wait : waits) {
      if (index_of(wait.waiter->thread) != thread) continue;
      const unsigned next = index_of(wait.for_thread);
      path.push_back(wait);
      if (state[next] == OnPath) {
        const auto start = std::find_if(path.begin(), path.end(), [&](const Wait& w) { return index_of(w.waiter->thread) == next; });
        std::vector<Wait> ring(start, path.end());
        const auto lowest =
            std::min_element(ring.begin(), ring.end(), [](const Wait& a, const Wait& b) { return a.waiter->thread < b.waiter->thread; });
        std::rotate(ring.begin(), lowest, ring.end());
        const bool meets_another = std::any_of(found.begin(), found.end(), [&](const std::vector<Wait>& other) {
          return std::any_of(other.begin(), other.end(), [&](const Wait& w) {
            return std::any_of(ring.begin(), ring.end(), [&](const Wait& r) { return r.waiter->thread == w.waiter->thread; });
          });
        });
        if (!meets_another) found.push_back(std::move(ring));
      } else if (state[next] == New) {
        self(self, next);
      }
      path.pop_back();
    }
    state[thread] = Done;
  };
  for (const PendingOperation* waiter : blocked)
    if (state[index_of(waiter->thread)] == New) visit(visit, index_of(waiter->thread));
  return found;
}

}  // namespace treadle
