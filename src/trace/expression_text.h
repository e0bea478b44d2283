// SPDX-License-Identifier: Apache-2.0
// Expressions for people: infix, with the fewest parentheses that C needs.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "trace/trace.h"

namespace treadle {

/// What a READ or INPUT is called.
using LeafName = std::function<std::string(const Expression& leaf)>;

class ExpressionText {
 public:
  ExpressionText(const Trace& trace, LeafName name) : trace_(trace), name_(std::move(name)) {}

  /// What lies deeper than a reader would follow is called e17, and remembered.
  std::string of(ExpressionId id);

  /// A line "  e17 = …" for each of those.
  std::string deeper_ones();

 private:
  struct Part {
    std::string text;
    int binds;  // how tightly its outermost operator does; 100: not to be parted
  };
  Part part(ExpressionId id, unsigned depth);
  Part binary(const Expression& e, unsigned depth);
  std::string operand(ExpressionId id, unsigned depth, int binds);

  const Trace& trace_;
  LeafName name_;
  std::set<ExpressionId> deeper_;
};

/// A value of so many bits as the program is likely to mean it: -1, 17, 0x7ffff7f87680.
std::string value_text(std::uint64_t value, unsigned bits);

}  // namespace treadle
