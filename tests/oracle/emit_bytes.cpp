// SPDX-License-Identifier: Apache-2.0
#include "emit_bytes.h"

#include "emit_words.h"

namespace oracle {
namespace {

constexpr const char* kBytes = R"(typedef uint8_t __attribute__((may_alias)) bytes1;
typedef uint16_t __attribute__((may_alias)) bytes2;
typedef uint32_t __attribute__((may_alias)) bytes4;
static inline bytes4 spread(int v) { return (v & 15) | (v >> 4 & 15) << 8 | (v >> 8 & 15) << 16 | (bytes4)(v >> 12 & 15) << 24; }
static inline int16_t joined(bytes4 b) { return (b & 15) | (b >> 8 & 15) << 4 | (b >> 16 & 15) << 8 | (b >> 24 & 15) << 12; }
)";

std::string type_of(int size) { return "bytes" + num(size); }
std::string bytes_at(const std::string& prefix, int variable, int size) {
  return "(" + type_of(size) + "*)(" + prefix + "x + " + num(variable) + ")";
}
std::string spread(const Value& value) { return "spread(" + text_of(value) + ")"; }

}  // namespace

std::string bytes_load(const Load& s, const std::string& prefix) {
  const std::string from = bytes_at(prefix, s.variable, s.size);
  const std::string read = s.order == Order::Plain ? "*" + from : "__atomic_load_n(" + from + ", " + order_name(s.order) + ")";
  return "r" + num(s.reg) + " = joined(" + read + ");";
}

std::string bytes_store(const Store& s, const std::string& prefix) {
  const std::string to = bytes_at(prefix, s.variable, s.size);
  if (s.order == Order::Plain) return "*" + to + " = " + spread(s.value) + ";";
  return "__atomic_store_n(" + to + ", " + spread(s.value) + ", " + order_name(s.order) + ");";
}

std::string bytes_exchange(const Exchange& s, const std::string& prefix) {
  return "r" + num(s.reg) + " = joined(__atomic_exchange_n(" + bytes_at(prefix, s.variable, s.size) + ", " + spread(s.value) + ", " +
         order_name(s.order) + "));";
}

std::string bytes_compare_exchange(const CompareExchange& s, const std::string& prefix) {
  return "{ " + type_of(s.size) + " seen = " + spread(s.expected) + "; __atomic_compare_exchange_n(" +
         bytes_at(prefix, s.variable, s.size) + ", &seen, " + spread(s.desired) + ", 0, " + order_name(s.order) + ", " +
         order_name(failure_order(s.order)) + "); r" + num(s.reg) + " = joined(seen); }";
}

const char* parts_for(const std::string& text) { return text.find("bytes1") != std::string::npos ? kBytes : ""; }

}  // namespace oracle
