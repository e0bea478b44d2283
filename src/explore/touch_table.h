// SPDX-License-Identifier: Apache-2.0
// Lists of who touched what, by object: the part of PartialOrder that has to be fast.
#pragma once

#include "explore/partial_order.h"

namespace treadle {

constexpr std::uint32_t widest_listed = 64;  // bytes of a range that stands in the lists of its words

template <class F>
void PartialOrder::each_touch(const Access& access, F f) const {
  const auto walk = [&](std::uint64_t name, std::uint64_t begin, std::uint64_t end) {
    const std::uint64_t key = name << 4 | static_cast<std::uint64_t>(access.space);
    const std::size_t mask = table_.size() - 1;
    std::size_t at = (key * 0x9e3779b97f4a7c15ull) >> 32 & mask;
    while (table_[at].second != 0 && table_[at].first != key) at = (at + 1) & mask;
    if (table_[at].second == 0) return;
    // Reads do not depend on reads: a loop that reads a location thousands of times looks at its writes only.
    std::uint32_t i = heads_[table_[at].second - 1];
    if (i != none && !access.writes && !touches_[i].access.writes) i = touches_[i].write_below;
    for (; i != none; i = access.writes ? touches_[i].below : touches_[i].write_below) {
      const Touch& t = touches_[i];
      if (access.space == Space::Memory && (t.access.address >= end || t.access.address + t.access.bytes <= begin)) continue;
      if (!f(t, access.space != Space::Memory || (t.access.address <= begin && t.access.address + t.access.bytes >= end))) return;
    }
  };
  if (access.space != Space::Memory) return walk(access.address, 0, 0);
  const std::uint64_t end = access.address + access.bytes;
  if (access.bytes > widest_listed) {
    for (std::size_t i = touches_.size(); i-- > 0;)
      if (share_object(touches_[i].access, access) && !f(touches_[i], false)) return;
    return;
  }
  for (std::uint64_t word = access.address >> 3; word <= (end - 1) >> 3; ++word)
    walk(word, std::max(access.address, word << 3), std::min(end, (word + 1) << 3));
  for (std::size_t i = wide_.size(); i-- > 0;)
    if (share_object(touches_[wide_[i]].access, access) && !f(touches_[wide_[i]], false)) return;
}

}  // namespace treadle
