// SPDX-License-Identifier: Apache-2.0
#include "predict/triples.h"

#include <algorithm>
#include <set>
#include <utility>

namespace treadle {
namespace {

constexpr std::size_t most_triples = 50'000;

/// Two accesses of a region that somebody else's can come between.
struct Pairs {
  std::vector<std::pair<const MemoryAccess*, const MemoryAccess*>>
      neighbours;                                                           // a write that comes between others comes between two of these
  std::vector<std::pair<const MemoryAccess*, const MemoryAccess*>> writes;  // next to each other but for reads: what a read must not see
};

Pairs pairs_of(const Location& location, std::span<const Region> regions) {
  std::set<std::pair<const MemoryAccess*, const MemoryAccess*>> neighbours, writes;  // regions lie within others
  for (const Region& region : regions) {
    const MemoryAccess *before = nullptr, *written = nullptr;
    auto access = std::ranges::lower_bound(location, region.begin, {}, &MemoryAccess::event);
    for (; access != location.end() && access->event < region.end; ++access) {
      if (access->thread != region.thread) continue;
      if (before != nullptr) neighbours.emplace(before, &*access);
      if (access->writes && written != nullptr) writes.emplace(written, &*access);
      before = &*access;
      if (access->writes) written = before;
    }
  }
  return {{neighbours.begin(), neighbours.end()}, {writes.begin(), writes.end()}};
}

bool same_accesses(const Location& a, const Location& b) {
  return std::ranges::equal(a, b, {}, &MemoryAccess::event, &MemoryAccess::event);
}

class TripleSearch {
 public:
  TripleSearch(const ThreadOrder& order, const AcquisitionHistory& locks) : order_(order), locks_(locks) {}

  void look_at(const Location& location, std::span<const Region> regions) {
    const Pairs pairs = pairs_of(location, regions);
    for (const MemoryAccess& remote : location)
      for (const auto& [first, last] : remote.writes ? pairs.neighbours : pairs.writes)
        if (remote.thread != first->thread) look_at({first->event, remote.event, last->event});
  }

  TripleCandidates take() { return std::move(out_); }

 private:
  void look_at(const Triple& triple) {
    ++out_.counts.all;
    if (order_.comes_before(triple.remote, triple.first) || order_.comes_before(triple.last, triple.remote)) return;
    ++out_.counts.happens_before;
    if (!locks_.can_meet(triple.first, triple.last, triple.remote)) return;
    if (!known_.insert(triple).second) return;
    ++out_.counts.locks;
    if (out_.triples.size() < most_triples)
      out_.triples.push_back(triple);
    else
      ++out_.counts.left_out;
  }

  const ThreadOrder& order_;
  const AcquisitionHistory& locks_;
  std::set<Triple> known_;
  TripleCandidates out_;
};

}  // namespace

TripleCandidates triples_of(std::span<const Region> regions, std::span<const Location> locations, const ThreadOrder& order,
                            const AcquisitionHistory& locks) {
  TripleSearch search(order, locks);
  for (std::size_t i = 0; i < locations.size(); ++i)  // an access to several locations counts once
    if (i == 0 || !same_accesses(locations[i - 1], locations[i])) search.look_at(locations[i], regions);
  return search.take();
}

}  // namespace treadle
