// SPDX-License-Identifier: Apache-2.0
#include "predict/lock_rings.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace treadle {
namespace {

constexpr std::size_t most_alike = 16;   // edges that differ only in when they came about
constexpr std::size_t most_rings = 256;  // at the same places
constexpr std::uint64_t most_steps = 10'000'000;

/// A thread that holds `from` asks for `to`.
struct Edge {
  HeldLock from;
  HeldLock to;
  std::uint8_t thread = 0;
  std::uint32_t event = 0;
  LockSetId held = 0;
  std::uint64_t pc = 0;
};

bool wants_shared(const Event& event) { return event.kind == TREADLE_EV_RDLOCK; }

/// Waits for as long as it takes. An initialiser that runs once is waited for as well.
bool waits_forever(const Event& event) {
  switch (event.kind) {
    case TREADLE_EV_LOCK:
    case TREADLE_EV_RDLOCK:
    case TREADLE_EV_WRLOCK:
    case TREADLE_EV_SPIN_LOCK:
    case TREADLE_EV_ONCE_BEGIN:
      return true;
    default:
      return false;
  }
}

bool blocks(const HeldLock& holder, const HeldLock& wanted) { return holder.object == wanted.object && !(holder.shared && wanted.shared); }

class RingSearch {
 public:
  RingSearch(const Trace& trace, const ThreadOrder& order, const LockSets& locks) : trace_(trace), order_(order), locks_(locks) {}

  RingCandidates find() {
    find_edges();
    // A ring is found once: from its edge with the lowest thread number.
    for (const Edge& edge : edges_) {
      path_.assign(1, &edge);
      extend();
    }
    for (auto& [pcs, rings] : groups_) out_.groups.push_back({pcs, std::move(rings)});
    return std::move(out_);
  }

 private:
  void find_edges() {
    using Kind = std::tuple<std::uint64_t, bool, std::uint64_t, std::uint8_t, LockSetId, std::uint64_t, std::uint32_t>;
    std::map<Kind, std::size_t> alike;
    for (std::uint32_t i = 0; i < trace_.events.size(); ++i) {
      const Event& event = trace_.events[i];
      if (!waits_forever(event)) continue;
      const LockSetId held = locks_.at(i);
      const HeldLock wanted{event.address, wants_shared(event)};
      const auto has = [&](const HeldLock& lock) { return lock.object == event.address; };
      if (std::ranges::any_of(locks_.locks(held), has)) continue;  // taken again: need not wait
      for (const HeldLock& lock : locks_.locks(held)) {
        if (lock.object == LockSets::exclusive_section) continue;
        if (++alike[{lock.object, lock.shared, event.address, event.thread, held, event.pc, order_.segment(i)}] > most_alike) {
          ++out_.left_out;
          continue;
        }
        edges_.push_back({lock, wanted, event.thread, i, held, event.pc});
      }
    }
    for (const Edge& edge : edges_) holders_[edge.from.object].push_back(&edge);
  }

  void extend() {
    if (++steps_ > most_steps) return void(++out_.left_out);
    const Edge& last = *path_.back();
    if (path_.size() > 1 && blocks(path_.front()->from, last.to)) return take();
    const auto next = holders_.find(last.to.object);
    if (next == holders_.end()) return;
    for (const Edge* edge : next->second) {
      if (edge->thread <= path_.front()->thread || !blocks(edge->from, last.to) || !goes_with_all(*edge)) continue;
      path_.push_back(edge);
      extend();
      path_.pop_back();
    }
  }

  bool goes_with_all(const Edge& edge) const {
    return std::all_of(path_.begin(), path_.end(), [&](const Edge* other) {
      return other->thread != edge.thread && !locks_.exclude(other->held, edge.held) && !order_.ordered(other->event, edge.event);
    });
  }

  void take() {
    std::vector<std::uint64_t> pcs;
    LockRing ring;
    for (const Edge* edge : path_) {
      pcs.push_back(edge->pc);
      ring.waits.push_back(edge->event);
    }
    std::sort(pcs.begin(), pcs.end());
    auto& rings = groups_[pcs];
    if (rings.size() < most_rings)
      rings.push_back(std::move(ring));
    else
      ++out_.left_out;
  }

  const Trace& trace_;
  const ThreadOrder& order_;
  const LockSets& locks_;
  std::vector<Edge> edges_;
  std::map<std::uint64_t, std::vector<const Edge*>> holders_;  // by the lock held
  std::vector<const Edge*> path_;
  std::map<std::vector<std::uint64_t>, std::vector<LockRing>> groups_;
  std::uint64_t steps_ = 0;
  RingCandidates out_;
};

}  // namespace

RingCandidates lock_rings(const Trace& trace, const ThreadOrder& order, const LockSets& locks) {
  return RingSearch(trace, order, locks).find();
}

}  // namespace treadle
