// SPDX-License-Identifier: Apache-2.0
#include "trace/happens_before.h"

#include <algorithm>
#include <optional>
#include <span>

#include "base/check.h"

namespace treadle {
namespace {

constexpr std::uint64_t kWide = 64;  // bytes from which a write is kept in the list of wide ones instead of by address

std::uint64_t low_bytes(std::uint64_t value, std::uint64_t bytes) { return bytes >= 8 ? value : value & ((1ull << (8 * bytes)) - 1); }

/// New or freed memory: nothing written before counts.
bool starts_afresh(const Event& event) { return event.kind == TREADLE_EV_ALLOC || event.kind == TREADLE_EV_FREE; }

std::uint64_t extent(const Event& event) { return starts_afresh(event) ? std::max<std::uint64_t>(event.value, 1) : bytes_of(event); }

bool touch(const Event& a, const Event& b) {
  return a.address < b.address ? b.address - a.address < extent(a) : a.address - b.address < extent(b);
}

/// Removes and returns the greatest number in ascending lists.
std::optional<std::uint64_t> take_last(std::vector<std::span<const std::uint64_t>>& lists) {
  std::optional<std::uint64_t> last;
  for (const auto& list : lists)
    if (!list.empty() && (!last || list.back() > *last)) last = list.back();
  for (auto& list : lists)
    if (!list.empty() && list.back() == last) list = list.first(list.size() - 1);
  return last;
}

bool is_range(const Event& event) { return event.kind == TREADLE_EV_RANGE_READ || event.kind == TREADLE_EV_RANGE_WRITE; }

}  // namespace

std::uint64_t bytes_of(const Event& event) { return std::max<std::uint64_t>(is_range(event) ? event.extra : event.size, 1); }

bool overlap(const Event& a, const Event& b) { return touch(a, b); }

std::uint64_t value_read(const Event& event) { return low_bytes(event.value, bytes_of(event)); }

std::uint64_t value_written(const Event& event) {
  const bool exchanges = event.kind == TREADLE_EV_RMW || event.kind == TREADLE_EV_CAS_OK;
  return low_bytes(exchanges ? event.extra : event.value, bytes_of(event));
}

ReadsFrom::ReadsFrom(const Trace& trace) : trace_(trace) {
  weak_ = std::any_of(trace.choices.begin(), trace.choices.end(), [](const Choice& c) { return c.taken.kind == DecisionKind::Flush; });
  for (std::uint64_t i = 0; i < trace.events.size(); ++i) {
    const Event& event = trace.events[i];
    if (!writes_memory(static_cast<EventKind>(event.kind)) && !starts_afresh(event)) continue;
    if (extent(event) >= kWide) {
      wide_.push_back(i);
      continue;
    }
    for (std::uint64_t granule = event.address / 8; granule <= (event.address + extent(event) - 1) / 8; ++granule)
      writes_in_[granule].push_back(i);
  }
}

/// Can this write have left what the read saw, in the bytes that both touch? Ranges carry no value and may always have.
bool ReadsFrom::agree(const Event& write, const Event& read) const {
  if (is_range(write) || is_range(read) || write.size > 8 || read.size > 8) return true;
  const std::uint64_t first = std::max(write.address, read.address);
  const std::uint64_t last = std::min(write.address + bytes_of(write), read.address + bytes_of(read));
  const std::uint64_t left = value_written(write) >> (8 * (first - write.address));
  const std::uint64_t seen = value_read(read) >> (8 * (first - read.address));
  return low_bytes(left, last - first) == low_bytes(seen, last - first);
}

Source ReadsFrom::of(std::uint64_t number) const {
  check(number < trace_.events.size(), "reads-from is asked for an event of the trace");
  const Event& read = trace_.events[number];
  check(reads_memory(static_cast<EventKind>(read.kind)), "reads-from is asked for an event that reads");

  // Backwards through the few lists that can hold overlapping writes, merged as we go: the answer is nearly always the first.
  std::vector<std::span<const std::uint64_t>> lists;
  const auto consider = [&](const std::vector<std::uint64_t>& writes) {
    const auto earlier = std::lower_bound(writes.begin(), writes.end(), number) - writes.begin();
    lists.push_back(std::span(writes).first(static_cast<std::size_t>(earlier)));
  };
  for (std::uint64_t granule = read.address / 8; granule <= (read.address + bytes_of(read) - 1) / 8; ++granule)
    if (const auto found = writes_in_.find(granule); found != writes_in_.end()) consider(found->second);
  consider(wide_);

  while (const auto candidate = take_last(lists)) {
    const Event& write = trace_.events[*candidate];
    if (!touch(write, read)) continue;
    if (starts_afresh(write)) break;
    if (agree(write, read)) return {Source::Kind::Write, *candidate};
    // A thread never sees less than its own newest store; another's may still be in its buffer.
    if (!weak_ || write.thread == read.thread) return {Source::Kind::Unknown, UINT64_MAX};
  }
  return {Source::Kind::Initial, UINT64_MAX};
}

}  // namespace treadle
