// SPDX-License-Identifier: Apache-2.0
// Expressions compiled by two threads at once: the table of characters behind them is libstdc++'s affair, the shared expression is ours.
// CHECK: strategy=optimal verdict=bugs among=data-race,crash,use-after-free,out-of-bounds,double-free,invalid-free
// CHECK: strategy=optimal verdict=clean flags=-DFIXED
// GARBAGE: states of the automaton are unions, copied whole
#include <cassert>
#include <regex>
#include <thread>

#ifndef FIXED
static std::regex shared;
#endif

static void match(const char* text) {
#ifdef FIXED
  std::regex own(text);
  assert(std::regex_match("aab", own));
#else
  shared = std::regex(text);
#endif
}

int main() {
  std::jthread first(match, "a+b");
  std::jthread second(match, "[a-c]*");
}
