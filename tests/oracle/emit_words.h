// SPDX-License-Identifier: Apache-2.0
// Numbers, values, conditions and memory orders as C.
#pragma once

#include <cstdlib>
#include <string>

#include "program.h"

namespace oracle {

inline std::string num(int n) { return std::to_string(n); }

inline const char* order_name(Order order) {
  switch (order) {
    case Order::Relaxed:
      return "memory_order_relaxed";
    case Order::Acquire:
      return "memory_order_acquire";
    case Order::Release:
      return "memory_order_release";
    case Order::AcqRel:
      return "memory_order_acq_rel";
    default:
      return "memory_order_seq_cst";
  }
}

// A failed compare-exchange is a load and cannot release.
inline Order failure_order(Order order) {
  if (order == Order::AcqRel) return Order::Acquire;
  return order == Order::Release ? Order::Relaxed : order;
}

inline std::string text_of(const Value& value) {
  if (value.reg < 0) return num(value.add);
  return "r" + num(value.reg) + (value.add == 0 ? "" : (value.add < 0 ? " - " : " + ") + num(std::abs(value.add)));
}
inline std::string text_of(const Condition& condition) {
  if (condition.reg < 0) return "0";
  const Value with{condition.other, condition.constant};
  return "r" + num(condition.reg) + (condition.equal ? " == " : " != ") + text_of(with);
}

}  // namespace oracle
