// SPDX-License-Identifier: Apache-2.0
// The locks that a thread holds at each event, and which of them keep two events apart. Sets are numbered: there are few of them.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "trace/trace.h"

namespace treadle {

struct HeldLock {
  std::uint64_t object = 0;
  bool shared = false;  // by a reader
  auto operator<=>(const HeldLock&) const = default;
};

using LockSetId = std::uint32_t;  // 0: none held

class LockSets {
 public:
  /// __VERIFIER_atomic_* keeps everybody else out, as if there were one lock for all of them.
  static constexpr std::uint64_t exclusive_section = UINT64_MAX;

  explicit LockSets(const Trace& trace);

  /// Held by its thread when the event happens: by an unlock still, by a lock not yet.
  LockSetId at(std::uint32_t event) const { return at_[event]; }
  std::span<const HeldLock> locks(LockSetId set) const { return sets_[set]; }

  /// Two threads cannot hold both at once.
  bool exclude(LockSetId a, LockSetId b) const;

 private:
  LockSetId number(std::vector<HeldLock> set);

  std::vector<LockSetId> at_;
  std::vector<std::vector<HeldLock>> sets_{{}};
  std::map<std::vector<HeldLock>, LockSetId> numbers_{{{}, 0}};
};

}  // namespace treadle
