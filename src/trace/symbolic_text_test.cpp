// SPDX-License-Identifier: Apache-2.0
#include "trace/symbolic_text.h"

#include <gtest/gtest.h>

#include "trace/made_up_symbolic.h"

namespace treadle {
namespace {

constexpr std::uint64_t x = 0x100, y = 0x200, l = 0x300;

class LettersOnly : public SymbolSource {
 public:
  std::string data_name(std::uint64_t address) const override { return address == x ? "x" : address == y ? "y" : address == l ? "l" : ""; }
  std::string place_of(std::uint64_t) const override { return ""; }
};

/// Fig. 1 of Wang, Kundu, Ganai and Gupta, FM 2009. Their b is a constant.
MadeUpSymbolicTrace figure_1() {
  MadeUpSymbolicTrace made;
  auto acquire = [&](unsigned thread) { made.event(thread, TREADLE_EV_LOCK, l, 1); };
  auto release = [&](unsigned thread) { made.event(thread, TREADLE_EV_UNLOCK, l, 0); };
  const ExpressionId a = made.read(1, x, 0);
  acquire(1);
  made.write(1, x, made.plus(a, 2), 0);
  release(1);
  made.write(1, y, made.plus(a, 1), 0);
  acquire(1);
  made.write(1, x, made.plus(a, 1), 2);
  release(1);
  acquire(2);
  made.note(2, TREADLE_NOTE_BRANCH, made.is_less(made.number(0), made.read(2, x, 1)));
  made.asserts(2, made.is(made.read(2, y, 1), 1));
  release(2);
  made.end(TREADLE_END_COMPLETED);
  return made;
}

TEST(SymbolicText, IsFigureTwoOfThePaper) {
  const LettersOnly symbols;
  EXPECT_EQ(symbolic_text(figure_1().trace, SymbolicForm::GuardedAssignments, &symbols),
            "t0: <0, (assume(true), {x := 0, l := 1, y := 0})>\n"
            "t1: <0.1, (assume(true), {r1 := x})>\n"
            "t2: <0.1, (assume(l > 0), {l := l - 1})>\n"
            "t3: <0.1, (assume(true), {x := r1 + 2})>\n"
            "t4: <0.1, (assume(true), {l := l + 1})>\n"
            "t5: <0.1, (assume(true), {y := r1 + 1})>\n"
            "t6: <0.1, (assume(l > 0), {l := l - 1})>\n"
            "t7: <0.1, (assume(true), {x := r1 + 1})>\n"
            "t8: <0.1, (assume(true), {l := l + 1})>\n"
            "t9: <0.2, (assume(l > 0), {l := l - 1})>\n"
            "t10: <0.2, (assume(0 < x), {})>\n"
            "t11: <0.2, (assert(y == 1))>                                              # assertion\n"
            "t12: <0.2, (assume(true), {l := l + 1})>\n");
}

TEST(SymbolicText, IsFigureThreeOfThePaper) {
  const LettersOnly symbols;
  EXPECT_EQ(symbolic_text(figure_1().trace, SymbolicForm::StaticSingleAssignment, &symbols),
            "t0: <0, (assume(true), {x_0 := 0, l_0 := 1, y_0 := 0})>\n"
            "t1: <0.1, (assume(true), {r1 := pi1})> where pi1 <- pi(x_0)\n"
            "t2: <0.1, (assume(pi2 > 0), {l_1 := pi2 - 1})> where pi2 <- pi(l_0, l_5, l_6)\n"
            "t3: <0.1, (assume(true), {x_1 := r1 + 2})>\n"
            "t4: <0.1, (assume(true), {l_2 := pi3 + 1})> where pi3 <- pi(l_1, l_5, l_6)\n"
            "t5: <0.1, (assume(true), {y_1 := r1 + 1})>\n"
            "t6: <0.1, (assume(pi4 > 0), {l_3 := pi4 - 1})> where pi4 <- pi(l_2, l_5, l_6)\n"
            "t7: <0.1, (assume(true), {x_2 := r1 + 1})>\n"
            "t8: <0.1, (assume(true), {l_4 := pi5 + 1})> where pi5 <- pi(l_3, l_5, l_6)\n"
            "t9: <0.2, (assume(pi6 > 0), {l_5 := pi6 - 1})> where pi6 <- pi(l_0, l_1, l_2, l_3, l_4)\n"
            "t10: <0.2, (assume(0 < pi7), {})> where pi7 <- pi(x_0, x_1, x_2)\n"
            "t11: <0.2, (assert(pi8 == 1))> where pi8 <- pi(y_0, y_1)                  # assertion\n"
            "t12: <0.2, (assume(true), {l_6 := pi9 + 1})> where pi9 <- pi(l_1, l_2, l_3, l_4, l_5)\n");
}

TEST(SymbolicText, WhatOneThreadHasWrittenBeforeItCreatedTheOtherHidesWhatWasThere) {
  MadeUpSymbolicTrace made;
  made.write(0, x, made.number(3), 0);
  made.event(0, TREADLE_EV_THREAD_CREATE, 0, 1);
  made.event(1, TREADLE_EV_THREAD_START);
  made.note(1, TREADLE_NOTE_BRANCH, made.is(made.read(1, x, 3), 3));
  made.write(0, x, made.number(4), 3);
  const LettersOnly symbols;
  const std::string text = symbolic_text(made.trace, SymbolicForm::StaticSingleAssignment, &symbols);
  EXPECT_NE(text.find("(assume(pi1 == 3), {})> where pi1 <- pi(x_1, x_2)"), std::string::npos) << text;
}

}  // namespace
}  // namespace treadle
