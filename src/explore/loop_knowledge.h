// SPDX-License-Identifier: Apache-2.0
// What executions have shown of spin loops: which values, read one after another in one iteration, lead nowhere. And what memory held at
// the start, for locations that nothing else tells about.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>

namespace treadle {

class LoopKnowledge {
 public:
  struct Next {
    std::uint64_t address = 0;
    std::uint8_t size = 0;  // 0: a step that reads nothing (a yield, a fence)
  };

  /// `iteration`: hash of where it began and of what it has read so far (iteration_after in partial_order.h).
  std::optional<Next> next(std::uint64_t iteration) const {
    const auto found = next_.find(iteration);
    return found == next_.end() ? std::nullopt : std::optional(found->second);
  }
  bool leads_nowhere(std::uint64_t iteration) const { return nowhere_.contains(iteration); }
  std::optional<std::uint64_t> at_first(std::uint64_t address, std::uint8_t size) const {
    const auto found = first_.find(address * 8 + size % 8);
    return found == first_.end() ? std::nullopt : std::optional(found->second);
  }

  void goes_on_with(std::uint64_t iteration, Next next) { next_.emplace(iteration, next); }
  void led_nowhere(std::uint64_t iteration) { nowhere_.insert(iteration); }
  void held(std::uint64_t address, std::uint8_t size, std::uint64_t value) { first_.emplace(address * 8 + size % 8, value); }

 private:
  std::unordered_map<std::uint64_t, Next> next_;
  std::unordered_set<std::uint64_t> nowhere_;
  std::unordered_map<std::uint64_t, std::uint64_t> first_;  // by address and size
};

}  // namespace treadle
