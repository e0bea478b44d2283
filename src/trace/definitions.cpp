// SPDX-License-Identifier: Apache-2.0
#include "trace/definitions.h"

#include <algorithm>

#include "trace/happens_before.h"

namespace treadle {
namespace {

constexpr unsigned kThreads = 256;

bool is_definition(const Event& event) {
  const auto kind = static_cast<EventKind>(event.kind);
  return (writes_memory(kind) && kind != TREADLE_EV_FLUSH) || change_of_semaphore(event) != 0;
}

bool meet(const Event& a, const Event& b) {
  const bool semaphores = change_of_semaphore(a) != 0;
  if (semaphores != (change_of_semaphore(b) != 0)) return false;
  return semaphores ? a.address == b.address : overlap(a, b);
}

bool covers(const Event& a, const Event& b) {
  if (change_of_semaphore(a) != 0) return true;
  return a.address <= b.address && a.address + bytes_of(a) >= b.address + bytes_of(b);
}

}  // namespace

int change_of_semaphore(const Event& event) {
  switch (event.kind) {
    case TREADLE_EV_LOCK:
    case TREADLE_EV_TRYLOCK:
    case TREADLE_EV_TIMEDLOCK:
    case TREADLE_EV_SPIN_LOCK:
    case TREADLE_EV_SPIN_TRYLOCK:
    case TREADLE_EV_SEM_WAIT:
    case TREADLE_EV_SEM_TRYWAIT:
    case TREADLE_EV_SEM_TIMEDWAIT:
      return event.extra == 0 ? -1 : 0;
    case TREADLE_EV_UNLOCK:
    case TREADLE_EV_SPIN_UNLOCK:
    case TREADLE_EV_SEM_POST:
      return event.extra == 0 ? 1 : 0;
    default:
      return 0;
  }
}

Definitions::Definitions(const Trace& trace) : trace_(trace), place_(trace.events.size()), knows_(trace.events.size()) {
  clocks_.emplace_back(kThreads);
  std::vector<std::uint32_t> now(kThreads), made(kThreads), created_with(kThreads);
  std::map<std::uint64_t, unsigned> count_at;
  auto merged = [&](std::uint32_t a, const std::vector<std::uint32_t>& other, unsigned thread, std::uint32_t upto) {
    std::vector<std::uint32_t> clock = clocks_[a];
    for (unsigned t = 0; t < kThreads; ++t) clock[t] = std::max(clock[t], other[t]);
    clock[thread] = std::max(clock[thread], upto);
    clocks_.push_back(std::move(clock));
    return static_cast<std::uint32_t>(clocks_.size() - 1);
  };
  for (std::uint64_t i = 0; i < trace.events.size(); ++i) {
    const Event& event = trace.events[i];
    const unsigned self = event.thread;
    if (made[self] == 0) now[self] = created_with[self];
    const auto other = static_cast<unsigned>(event.value % kThreads);
    if (event.kind == TREADLE_EV_THREAD_JOIN && event.extra == 0) now[self] = merged(now[self], clocks_[now[other]], other, made[other]);
    place_[i] = ++made[self];
    knows_[i] = now[self];
    if (event.kind == TREADLE_EV_THREAD_CREATE) created_with[other] = merged(now[self], clocks_[now[self]], self, made[self]);
    if (!is_definition(event)) continue;
    defining_.push_back(i);
    numbers_[i] = ++count_at[event.address];
  }
}

bool Definitions::must_precede(std::uint64_t a, std::uint64_t b) const {
  const unsigned thread = trace_.events[a].thread;
  if (thread == trace_.events[b].thread) return a < b;
  return clocks_[knows_[b]][thread] >= place_[a];
}

unsigned Definitions::number_of(std::uint64_t event) const {
  const auto known = numbers_.find(event);
  return known == numbers_.end() ? 0 : known->second;
}

std::vector<std::uint64_t> Definitions::seen_by(std::uint64_t event) const {
  const Event& use = trace_.events[event];
  std::vector<std::uint64_t> seen;
  std::vector<std::uint64_t> latest(kThreads, kInitial);  // of each thread, of those that surely come before
  for (const std::uint64_t d : defining_) {
    const Event& definition = trace_.events[d];
    if (d == event || !meet(definition, use) || must_precede(event, d)) continue;
    if (must_precede(d, event) && covers(definition, use)) latest[definition.thread] = d;
    seen.push_back(d);
  }
  auto is_hidden = [&](std::uint64_t d) {
    return std::any_of(latest.begin(), latest.end(),
                       [&](std::uint64_t later) { return later != kInitial && later != d && (d == kInitial || must_precede(d, later)); });
  };
  std::erase_if(seen, is_hidden);
  if (!is_hidden(kInitial)) seen.insert(seen.begin(), kInitial);
  return seen;
}

}  // namespace treadle
