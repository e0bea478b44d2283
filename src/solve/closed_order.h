// SPDX-License-Identifier: Apache-2.0
// Which of a few things come before which, kept closed: whatever follows from what was said is known at once.
#pragma once

#include <array>
#include <cstdint>

namespace treadle {

class ClosedOrder {
 public:
  static constexpr std::uint32_t most = 64;
  enum class Said : std::uint8_t { Known, New, Contradiction };

  void clear() { size_ = 0; }
  std::uint32_t size() const { return size_; }
  /// One more, which comes neither before nor after anything yet; up to `most`.
  std::uint32_t add() {
    before_[size_] = 0;
    return size_++;
  }

  bool comes_before(std::uint32_t a, std::uint32_t b) const { return (before_[b] >> a & 1) != 0; }
  /// One bit for each that comes before it.
  std::uint64_t before(std::uint32_t b) const { return before_[b]; }

  Said say(std::uint32_t a, std::uint32_t b) {
    if (comes_before(a, b)) return Said::Known;
    if (a == b || comes_before(b, a)) return Said::Contradiction;
    const std::uint64_t earlier = before_[a] | bit(a);
    before_[b] |= earlier;
    for (std::uint32_t later = 0; later < size_; ++later)
      if (comes_before(b, later)) before_[later] |= earlier;
    return Said::New;
  }

  static constexpr std::uint64_t bit(std::uint32_t one) { return std::uint64_t{1} << one; }

 private:
  std::uint32_t size_ = 0;
  std::array<std::uint64_t, most> before_;
};

}  // namespace treadle
