// SPDX-License-Identifier: Apache-2.0
// A hash table for one pass over a trace, used again for the next: emptying it costs nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace treadle {

template <class T>
class PassingTable {
 public:
  void clear() {
    ++round_;
    used_.clear();
  }

  std::size_t size() const { return used_.size(); }

  /// Made when there is none. Valid until the next call.
  T& at(std::uint64_t address, std::uint64_t kind = 0) {
    if ((used_.size() + 1) * 2 > slots_.size()) grow();
    Slot& slot = slots_[place_of(address, kind)];
    if (slot.round != round_) {
      slot = {address, kind, round_, T{}};
      used_.push_back(static_cast<std::uint32_t>(&slot - slots_.data()));
    }
    return slot.value;
  }

  T* find(std::uint64_t address, std::uint64_t kind = 0) {
    Slot& slot = slots_[place_of(address, kind)];
    return slot.round == round_ ? &slot.value : nullptr;
  }

  template <class Visit>
  void for_each(Visit visit) {
    for (const std::uint32_t place : used_) visit(slots_[place].address, slots_[place].value);
  }

 private:
  struct Slot {
    std::uint64_t address = 0, kind = 0;
    std::uint64_t round = 0;  // 0: never used
    T value{};
  };

  std::size_t place_of(std::uint64_t address, std::uint64_t kind) const {
    const std::uint64_t hash = (address ^ kind * 0xc4ceb9fe1a85ec53ull) * 0x9e3779b97f4a7c15ull;
    const std::size_t mask = slots_.size() - 1;
    std::size_t place = (hash >> 32) & mask;
    while (slots_[place].round == round_ && (slots_[place].address != address || slots_[place].kind != kind)) place = (place + 1) & mask;
    return place;
  }

  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (std::uint32_t& used : used_) {
      Slot& slot = old[used];
      used = static_cast<std::uint32_t>(place_of(slot.address, slot.kind));
      slots_[used] = std::move(slot);
    }
  }

  std::vector<Slot> slots_ = std::vector<Slot>(64);  // a power of two
  std::vector<std::uint32_t> used_;
  std::uint64_t round_ = 1;
};

}  // namespace treadle
