// SPDX-License-Identifier: Apache-2.0
#include "explore/touch_table.h"

namespace treadle {

std::uint32_t PartialOrder::head_of(Space space, std::uint64_t name) {
  if (heads_.size() * 2 >= table_.size()) {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> larger(std::max<std::size_t>(1024, table_.size() * 2));
    const std::size_t mask = larger.size() - 1;
    for (const auto& entry : table_) {
      if (entry.second == 0) continue;
      std::size_t at = (entry.first * 0x9e3779b97f4a7c15ull) >> 32 & mask;
      while (larger[at].second != 0) at = (at + 1) & mask;
      larger[at] = entry;
    }
    table_ = std::move(larger);
  }
  const std::uint64_t key = name << 4 | static_cast<std::uint64_t>(space);
  const std::size_t mask = table_.size() - 1;
  std::size_t at = (key * 0x9e3779b97f4a7c15ull) >> 32 & mask;
  while (table_[at].second != 0 && table_[at].first != key) at = (at + 1) & mask;
  if (table_[at].second == 0) {
    heads_.push_back(none);
    table_[at] = {key, static_cast<std::uint32_t>(heads_.size())};
  }
  return table_[at].second - 1;
}

void PartialOrder::push_touch(const Access& access, std::uint32_t transition, std::uint32_t made_by) {
  const auto push = [&](std::uint32_t head) {
    const std::uint32_t below = heads_[head];
    const std::uint32_t write_below = below == none || touches_[below].access.writes ? below : touches_[below].write_below;
    touches_.push_back({access, transition, made_by, below, write_below, head});
    heads_[head] = static_cast<std::uint32_t>(touches_.size() - 1);
  };
  if (access.space != Space::Memory) return push(head_of(access.space, access.address));
  if (access.bytes > widest_listed) {
    wide_.push_back(static_cast<std::uint32_t>(touches_.size()));
    touches_.push_back({access, transition, made_by, none, none, none});
    return;
  }
  for (std::uint64_t word = access.address >> 3; word <= (access.address + access.bytes - 1) >> 3; ++word)
    push(head_of(Space::Memory, word));
}

void PartialOrder::pop_touches(std::uint32_t size) {
  // A forwarded load is listed only when its store is flushed, so the transitions of the list do not ascend strictly.
  while (!touches_.empty() && touches_.back().made_by >= size) {
    const Touch& t = touches_.back();
    if (t.head != none)
      heads_[t.head] = t.below;
    else
      wide_.pop_back();
    touches_.pop_back();
  }
}

}  // namespace treadle
