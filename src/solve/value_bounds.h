// SPDX-License-Identifier: Apache-2.0
// Between which bounds the values of reads must lie. A read finds what was there at the start or what somebody wrote, which was made of
// reads that came before: nobody's write takes part in its own value. So after as many rounds as there are writes that compute something
// every value there can be has been thought of, also of a counter that would count for ever if it were alone.
//
// A solver finds the same out by trying the orders of the writes one after another.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "solve/cell_expressions.h"

namespace treadle {

/// Values of some width, as numbers without and with a sign: both hold.
struct Bounds {
  std::uint64_t lowest = 0, highest = 0;
  std::int64_t lowest_signed = 0, highest_signed = 0;
  bool empty = true;  // no value yet

  static Bounds of(std::uint64_t value, unsigned bits);
  static Bounds any(unsigned bits);
  bool is_any(unsigned bits) const;
  void include(const Bounds& other);
  bool operator==(const Bounds&) const = default;
};

class ValueBounds {
 public:
  /// What a read can find, besides its bounds. Nothing: nobody knows.
  using Sources = std::function<std::vector<Written>(const CellRead&)>;

  ValueBounds(const CellExpressions& expressions, const SymbolicTrace& symbolic, const Sources& sources);

  /// Of a READ of the expressions.
  const Bounds& of_read(std::uint32_t read) const { return reads_[read]; }

 private:
  void count_rounds();
  bool round(std::uint32_t number);
  Bounds apply(const Expression& e) const;
  void give_up();

  const CellExpressions& expressions_;
  const SymbolicTrace& symbolic_;
  std::vector<std::vector<Written>> sources_;  // by read
  std::vector<std::uint32_t> rounds_;          // by read
  std::vector<Bounds> reads_, values_;         // by read, by expression
};

}  // namespace treadle
