// SPDX-License-Identifier: Apache-2.0
#include "predict/interference.h"

#include <algorithm>
#include <optional>
#include <set>

#include "trace/happens_before.h"

namespace treadle {
namespace {

using Value = std::optional<std::uint64_t>;

EventKind kind_of(const Event& event) { return static_cast<EventKind>(event.kind); }
bool is_scalar(const Event& event) {
  return event.kind != TREADLE_EV_RANGE_READ && event.kind != TREADLE_EV_RANGE_WRITE && event.size >= 1 && event.size <= 8;
}
bool same_bytes(const Event& a, const Event& b) { return is_scalar(a) && is_scalar(b) && a.address == b.address && a.size == b.size; }

std::uint64_t low_bytes(std::uint64_t value, unsigned bytes) { return bytes >= 8 ? value : value & ((1ull << (8 * bytes)) - 1); }

Value left(const Event& event) {
  if (!is_scalar(event)) return std::nullopt;
  return writes_memory(kind_of(event)) ? value_written(event) : value_read(event);
}

/// A plain access that others could come in front of: then its record says what it overwrote.
bool is_own_step(const Trace& trace, std::uint32_t event) {
  for (std::uint32_t i = event; i > 0 && trace.events[i - 1].step == trace.events[event].step; --i)
    if (is_visible(kind_of(trace.events[i - 1]), Races::Explore)) return false;
  return true;
}

/// What was there before it wrote, unless a buffer held it back.
Value overwritten(const Trace& trace, std::uint32_t number) {
  const Event& event = trace.events[number];
  if (!is_scalar(event)) return std::nullopt;
  if (reads_memory(kind_of(event))) return value_read(event);
  if ((event.order & TREADLE_ORDER_BUFFERED) != 0) return std::nullopt;
  if (event.kind == TREADLE_EV_WRITE && !is_own_step(trace, number)) return std::nullopt;
  return low_bytes(event.extra, event.size);
}

bool differ(Value a, Value b) { return !a || !b || *a != *b; }

struct Three {
  const Event &first, &remote, &last;
  bool comparable() const { return same_bytes(first, remote) && same_bytes(remote, last); }
};

Three events_of(const Trace& trace, const Triple& triple) {
  return {trace.events[triple.first], trace.events[triple.remote], trace.events[triple.last]};
}

}  // namespace

std::vector<char> open_values(const Trace& trace) {
  std::vector<char> open(trace.events.size(), 0);
  for (std::size_t i = 0; i < trace.events.size(); ++i) open[i] = reads_memory(kind_of(trace.events[i])) ? 1 : 0;
  for (const Note& note : trace.notes)
    if (note.kind == TREADLE_NOTE_WRITE && note.event < open.size()) open[note.event] = 1;
  return open;
}

bool same_bytes(const Trace& trace, const Triple& triple) { return events_of(trace, triple).comparable(); }

bool could_interfere(const Trace& trace, const Triple& triple, const std::vector<char>& open) {
  const Three three = events_of(trace, triple);
  if (!three.comparable() || !writes_memory(kind_of(three.remote)) || open[triple.remote]) return true;
  if (!open[triple.first] && !differ(left(three.first), left(three.remote))) return false;
  return open[triple.last] || reads_memory(kind_of(three.last)) || differ(left(three.last), left(three.remote));
}

bool interferes(const Trace& trace, const Triple& triple) {
  const Three three = events_of(trace, triple);
  if (!three.comparable()) return true;
  if (!writes_memory(kind_of(three.remote)))  // it must not see what is about to be overwritten
    return differ(overwritten(trace, triple.first), left(three.first)) && differ(left(three.remote), left(three.last));
  if (!could_interfere(trace, triple, std::vector<char>(trace.events.size(), 0))) return false;
  return writes_memory(kind_of(three.last)) || differ(overwritten(trace, triple.remote), left(three.remote));
}

std::vector<Triple> interferences(const Trace& trace, std::span<const Region> regions, std::span<const Location> locations) {
  std::set<Triple> found;
  for (const Location& location : locations)
    for (const Region& region : regions) {
      const MemoryAccess *before = nullptr, *written = nullptr;
      std::vector<const MemoryAccess*> since_access, since_write;  // of others
      auto access = std::ranges::lower_bound(location, region.begin, {}, &MemoryAccess::event);
      for (; access != location.end() && access->event < region.end; ++access) {
        if (access->thread != region.thread) {
          since_access.push_back(&*access);
          since_write.push_back(&*access);
          continue;
        }
        const auto look_at = [&](const MemoryAccess* first, const std::vector<const MemoryAccess*>& remotes, bool writers) {
          for (const MemoryAccess* remote : remotes)
            if (const Triple triple{first->event, remote->event, access->event}; remote->writes == writers && interferes(trace, triple))
              found.insert(triple);
        };
        if (before != nullptr) look_at(before, since_access, true);
        if (written != nullptr && access->writes) look_at(written, since_write, false);
        before = &*access;
        since_access.clear();
        if (access->writes) written = before, since_write.clear();
      }
    }
  return {found.begin(), found.end()};
}

}  // namespace treadle
