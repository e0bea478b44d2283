// SPDX-License-Identifier: Apache-2.0
#include "solve/value_bounds.h"

#include <gtest/gtest.h>

#include "solve/causal_formula.h"
#include "trace/made_up_symbolic.h"

namespace treadle {
namespace {

TEST(Bounds, HoldWithAndWithoutSign) {
  Bounds b = Bounds::of(0xff, 8);
  EXPECT_EQ(b.lowest_signed, -1);
  b.include(Bounds::of(1, 8));
  EXPECT_EQ(b.lowest, 1u);
  EXPECT_EQ(b.highest, 0xffu);
  EXPECT_EQ(b.lowest_signed, -1);
  EXPECT_EQ(b.highest_signed, 1);
  EXPECT_TRUE(Bounds::any(8).is_any(8));
  EXPECT_FALSE(b.is_any(8));
}

TEST(Bounds, IncludeNothingOfWhatIsEmpty) {
  Bounds b = Bounds::of(3, 32);
  b.include(Bounds{});
  EXPECT_EQ(b, Bounds::of(3, 32));
  Bounds empty;
  empty.include(b);
  EXPECT_EQ(empty, b);
}

/// What the last read of a made-up trace can be, when every write can be its source.
Bounds of_last_read(const Trace& trace) {
  Units units = units_of(trace, MemoryModel::Sc, Races::Explore);
  const SymbolicTrace symbolic(trace, units, CausalKind::Symbolic, Races::Explore);
  const auto solver = make_acyclic_solver();
  CausalFormula formula(units, std::vector<char>(units.all.size(), 0), nothing, *solver, true);
  const ReadSources sources(formula);
  const CellExpressions expressions(symbolic, sources, formula, Inputs::Kept);
  const ValueBounds bounds(expressions, symbolic, [&](const CellRead& which) {
    const UnitRead& read = units.all[which.unit].reads[which.read];
    const ReadSources::Found found = sources.of(which.unit, read);
    std::vector<Written> all;
    if (found.initial) all.push_back(symbolic.initial(read.cell));
    for (const ReadSources::Writer& writer : found.writers) all.push_back(expressions.written(writer.event, read.cell));
    return all;
  });
  return bounds.of_read(static_cast<std::uint32_t>(expressions.reads().size() - 1));
}

/// Two threads that add 1 to x, `times` each, and one that looks.
Trace counting(unsigned times) {
  MadeUpSymbolicTrace made;
  std::uint64_t x = 5;
  for (unsigned n = 0; n < times; ++n)
    for (const unsigned thread : {1u, 2u}) {
      const ExpressionId more = made.plus(made.read(thread, 0x1000, x), 1);
      made.write(thread, 0x1000, more, x);
      ++x;
    }
  made.note(3, TREADLE_NOTE_BRANCH, made.is(made.read(3, 0x1000, x), x));
  made.end(TREADLE_END_COMPLETED);
  return made.trace;
}

TEST(ValueBounds, OfACounterAreWhatAllIncrementsCanMake) {
  const Bounds bounds = of_last_read(counting(3));
  EXPECT_EQ(bounds.lowest, 5u);
  EXPECT_EQ(bounds.highest, 5u + 6u);
}

TEST(ValueBounds, GiveUpWhereThereIsTooMuchToLookAt) { EXPECT_TRUE(of_last_read(counting(600)).is_any(32)); }

}  // namespace
}  // namespace treadle
