// SPDX-License-Identifier: Apache-2.0
// Which variable to decide next: the one that took part in most recent conflicts (VSIDS), from a binary heap.
#pragma once

#include <cstdint>
#include <vector>

#include "solve/trail.h"

namespace treadle {

class DecisionHeap {
 public:
  void add_variable();

  bool is_empty() const { return heap_.empty(); }
  Variable pop();
  /// Back into the heap, unless it is there.
  void insert(Variable variable);

  void bump(Variable variable);
  void decay() { increment_ *= 1 / 0.95; }

 private:
  static constexpr std::uint32_t absent = 0xffffffff;

  bool precedes(Variable a, Variable b) const { return activity_[a] > activity_[b]; }
  void rise(std::uint32_t place);
  void sink(std::uint32_t place);
  void put(Variable variable, std::uint32_t place) {
    heap_[place] = variable;
    place_[variable] = place;
  }

  std::vector<double> activity_;
  std::vector<std::uint32_t> place_;
  std::vector<Variable> heap_;
  double increment_ = 1;
};

}  // namespace treadle
