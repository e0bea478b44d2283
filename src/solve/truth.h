// SPDX-License-Identifier: Apache-2.0
// A literal or a constant. What is known beforehand is a constant and never reaches the solver.
#pragma once

#include <cstdint>

#include "solve/order_solver.h"

namespace treadle {

class Truth {
 public:
  Truth(bool constant) : kind_(constant ? Kind::Yes : Kind::No) {}  // NOLINT: a constant is a truth
  Truth(Literal literal) : kind_(Kind::Open), literal_(literal) {}  // NOLINT
  bool is_true() const { return kind_ == Kind::Yes; }
  bool is_false() const { return kind_ == Kind::No; }
  bool is_open() const { return kind_ == Kind::Open; }
  Literal literal() const { return literal_; }
  Truth operator~() const { return is_open() ? Truth(~literal_) : Truth(is_false()); }
  bool operator==(const Truth&) const = default;

 private:
  enum class Kind : std::uint8_t { No, Yes, Open } kind_;
  Literal literal_{};
};

}  // namespace treadle
