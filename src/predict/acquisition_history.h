// SPDX-License-Identifier: Apache-2.0
// Can two threads stand at two points at once, as far as locks go? (Kahlon, Ivancic and Gupta 2005: exact for nested locks and nothing
// else.) They cannot if they would hold a common lock, nor if each has taken, since it took one that it holds, one that the other holds.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "trace/trace.h"

namespace treadle {

class AcquisitionHistory {
 public:
  explicit AcquisitionHistory(const Trace& trace);

  /// Just before event `b` of its thread, and anywhere between `a` and `c` of another one.
  bool can_meet(std::uint32_t a, std::uint32_t c, std::uint32_t b) const;

 private:
  struct Lock {
    std::uint64_t object = 0;
    bool shared = false;
    std::vector<std::uint64_t> since;  // taken by the same thread since, not as a reader; in ascending order
    auto operator<=>(const Lock&) const = default;
  };
  using State = std::vector<Lock>;
  using StateId = std::uint32_t;
  struct Change {
    std::uint32_t event;  // from behind it on
    StateId state;
  };

  void note(std::size_t thread, std::uint32_t event, const State& state);
  StateId state_before(std::uint32_t event) const;
  static bool compatible(const State& a, const State& b);

  const Trace& trace_;
  std::vector<State> states_{{}};
  std::map<State, StateId> numbers_{{{}, 0}};
  std::vector<std::vector<Change>> changes_;  // by thread
};

}  // namespace treadle
