// SPDX-License-Identifier: Apache-2.0
#include "trace/symbolic_check.h"

#include <gtest/gtest.h>

#include "trace/made_up_symbolic.h"

namespace treadle {
namespace {

MadeUpSymbolicTrace good() {
  MadeUpSymbolicTrace made;
  const ExpressionId a = made.read(1, 0x100, 5);
  made.write(1, 0x200, made.plus(a, 2), 0);
  made.note(1, TREADLE_NOTE_BRANCH, made.is(a, 5));
  return made;
}

TEST(SymbolicCheck, IsContentWithWhatTheRunHasDone) { EXPECT_EQ(check_symbolic(good().trace), std::nullopt); }

TEST(SymbolicCheck, NamesASymbolThatItsEventHasNotRead) {
  auto made = good();
  made.trace.events[0].value = 6;
  EXPECT_EQ(check_symbolic(made.trace), "expression 1 has the value 0x5, but event 0 has read 0x6");
}

TEST(SymbolicCheck, NamesAWriteThatLeftSomethingElse) {
  auto made = good();
  made.trace.events[1].value = 8;
  EXPECT_EQ(check_symbolic(made.trace), "note 0 (pc 0) says that event 1 left 0x7, but it left 0x8");
}

TEST(SymbolicCheck, NamesAConditionThatDidNotHold) {
  auto made = good();
  made.note(1, TREADLE_NOTE_PIN, made.is(1, 6), TREADLE_PIN_ADDRESS);
  EXPECT_EQ(check_symbolic(made.trace), "note 2 (pc 0, thread 1) says that expression 7 holds, which it does not");
}

TEST(SymbolicCheck, RefusesSymbolsOfEventsThatReadNothing) {
  auto made = good();
  made.trace.events[0].kind = TREADLE_EV_WRITE;
  EXPECT_EQ(check_symbolic(made.trace), "expression 1 is what event 0 has read, which is a write");
}

}  // namespace
}  // namespace treadle
