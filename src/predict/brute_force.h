// SPDX-License-Identifier: Apache-2.0
// All interleavings of a made-up trace, one after the other, for tests only: each thread along its own events as long as it reads what it
// read, and one read further. What the predictions are compared with.
#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "trace/happens_before.h"
#include "trace/trace.h"

namespace treadle {

class BruteForce {
 public:
  using Events = std::set<std::vector<std::uint32_t>>;

  explicit BruteForce(const Trace& trace) : trace_(trace), at_(8, 0), events_(8), stopped_(8, 0) {
    for (std::uint32_t i = 0; i < trace.events.size(); ++i)
      if (trace.events[i].thread > 0) events_[trace.events[i].thread].push_back(i);
    go();
  }

  Events races, rings, triples;

 private:
  const Event& event(std::uint32_t i) const { return trace_.events[i]; }
  bool has_next(unsigned t) const { return !stopped_[t] && at_[t] < events_[t].size(); }
  std::uint32_t next(unsigned t) const { return events_[t][at_[t]]; }
  static bool is_plain(const Event& e) { return e.kind == TREADLE_EV_READ || e.kind == TREADLE_EV_WRITE; }
  static bool is_write(const Event& e) { return e.kind == TREADLE_EV_WRITE; }
  static bool conflict(const Event& a, const Event& b) {
    return is_plain(a) && is_plain(b) && a.address == b.address && (is_write(a) || is_write(b));
  }

  void go() {
    look_around();
    for (unsigned t = 1; t < events_.size(); ++t)
      if (has_next(t)) step(t);
  }

  void look_around() {
    for (unsigned a = 1; a < events_.size(); ++a)
      for (unsigned b = a + 1; b < events_.size(); ++b)
        if (has_next(a) && has_next(b) && conflict(event(next(a)), event(next(b))))
          races.insert({std::min(next(a), next(b)), std::max(next(a), next(b))});
    for (unsigned t = 1; t < events_.size(); ++t) {
      find_ring(t);
      if (has_next(t)) find_triples(next(t));
    }
  }

  void find_ring(unsigned first) {
    std::vector<std::uint32_t> waits;
    for (unsigned t = first;;) {
      if (!has_next(t) || event(next(t)).kind != TREADLE_EV_LOCK || !owner_.contains(event(next(t)).address)) return;
      waits.push_back(next(t));
      t = owner_.at(event(next(t)).address);
      if (t == first) break;
      if (waits.size() > events_.size()) return;
    }
    std::sort(waits.begin(), waits.end());
    if (waits.size() > 1) rings.insert(waits);
  }

  /// `last` is about to be made: has anybody come between it and an earlier access of its thread?
  void find_triples(std::uint32_t last) {
    if (!is_plain(event(last))) return;
    for (std::size_t i = 0; i < made_.size(); ++i)
      for (std::size_t k = i + 1; k < made_.size(); ++k) {
        const Event &a = event(made_[i]), &b = event(made_[k]), &c = event(last);
        if (a.thread != c.thread || b.thread == c.thread || !is_plain(a) || !is_plain(b)) continue;
        if (a.address != c.address || b.address != c.address) continue;
        if (is_write(b) || (is_write(a) && is_write(c))) triples.insert({made_[i], made_[k], last});
      }
  }

  void step(unsigned t) {
    const std::uint32_t number = next(t);
    const Event& e = event(number);
    const auto memory = memory_;
    const auto owner = owner_;
    const auto semaphores = semaphores_;
    bool as_recorded = true;
    switch (e.kind) {
      case TREADLE_EV_READ:
        as_recorded = memory_[e.address] == e.value;
        break;
      case TREADLE_EV_RMW:
        if (memory_[e.address] != e.value) return;
        memory_[e.address] = e.extra;
        break;
      case TREADLE_EV_WRITE:
        memory_[e.address] = e.value;
        break;
      case TREADLE_EV_LOCK:
        if (owner_.contains(e.address)) return;
        owner_[e.address] = t;
        break;
      case TREADLE_EV_TRYLOCK:
        if (owner_.contains(e.address) == (e.extra == 0)) return;
        if (e.extra == 0) owner_[e.address] = t;
        break;
      case TREADLE_EV_UNLOCK:
        owner_.erase(e.address);
        break;
      case TREADLE_EV_SEM_WAIT:
        if (semaphores_[e.address] == 0) return;
        --semaphores_[e.address];
        break;
      case TREADLE_EV_SEM_POST:
        ++semaphores_[e.address];
        break;
      default:
        return;
    }
    made_.push_back(number);
    ++at_[t];
    if (!as_recorded) stopped_[t] = 1;
    go();
    stopped_[t] = 0;
    --at_[t];
    made_.pop_back();
    memory_ = memory;
    owner_ = owner;
    semaphores_ = semaphores;
  }

  const Trace& trace_;
  std::vector<std::size_t> at_;
  std::vector<std::vector<std::uint32_t>> events_;
  std::vector<char> stopped_;
  std::vector<std::uint32_t> made_;
  std::map<std::uint64_t, std::uint64_t> memory_, semaphores_;
  std::map<std::uint64_t, unsigned> owner_;
};

}  // namespace treadle
