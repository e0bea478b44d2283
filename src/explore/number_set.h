// SPDX-License-Identifier: Apache-2.0
// A set of numbers that only grows, and is emptied as a whole: hash keys of states, pairs of places. Eight bytes a number and no allocation
// for each, which is what looking up states costs in a walk over many.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace treadle {

class NumberSet {
 public:
  std::size_t size() const { return used_ + (has_zero_ ? 1 : 0); }
  bool contains(std::uint64_t number) const { return number == 0 ? has_zero_ : slots_[place_of(number)] == number; }

  /// True: it was not there.
  bool insert(std::uint64_t number) {
    if (number == 0) return !has_zero_ && (has_zero_ = true);
    if ((used_ + 1) * 2 > slots_.size()) grow();
    std::uint64_t& slot = slots_[place_of(number)];
    if (slot == number) return false;
    slot = number;
    ++used_;
    return true;
  }

  void clear() {
    slots_.assign(slots_.size(), 0);
    used_ = 0;
    has_zero_ = false;
  }

  template <class Holds>
  bool any_of(Holds holds) const {
    for (const std::uint64_t number : slots_)
      if (number != 0 && holds(number)) return true;
    return has_zero_ && holds(0);
  }

 private:
  std::size_t place_of(std::uint64_t number) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t place = (number * 0x9e3779b97f4a7c15ull >> 32) & mask;
    while (slots_[place] != 0 && slots_[place] != number) place = (place + 1) & mask;
    return place;
  }

  void grow() {
    std::vector<std::uint64_t> old(slots_.size() * 2);
    old.swap(slots_);
    for (const std::uint64_t number : old)
      if (number != 0) slots_[place_of(number)] = number;
  }

  std::vector<std::uint64_t> slots_ = std::vector<std::uint64_t>(256);  // a power of two; 0: free
  std::size_t used_ = 0;
  bool has_zero_ = false;
};

}  // namespace treadle
