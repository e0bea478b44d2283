// SPDX-License-Identifier: Apache-2.0
#include "solve/unit_clocks.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "solve/made_up_run.h"

namespace treadle {
namespace {

TEST(UnitClocks, SayExactlyWhatMustComeFirst) {
  for (const MemoryModel model : {MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso})
    for (unsigned seed = 1; seed <= 40; ++seed) {
      std::mt19937 random(seed);
      std::vector<std::vector<MadeUpOp>> threads(3);
      for (auto& ops : threads)
        for (unsigned i = 0; i < 6; ++i) ops.push_back({static_cast<MadeUpOp::Kind>(random() % 3), random() % 3, random() % 3});
      MadeUpRun run(threads, model, random);
      const Units units = units_of(run.trace(), model, Races::Stop);
      const UnitClocks clocks(units);
      std::vector<std::vector<char>> past(units.all.size(), std::vector<char>(units.all.size(), 0));
      for (UnitId u = 0; u < units.all.size(); ++u)
        for (const UnitId m : units.all[u].must) {
          past[u][m] = 1;
          for (UnitId v = 0; v < units.all.size(); ++v) past[u][v] = past[u][v] || past[m][v];
        }
      for (UnitId a = 0; a < units.all.size(); ++a)
        for (UnitId b = 0; b < units.all.size(); ++b) EXPECT_EQ(clocks.must_precede(a, b), past[b][a] != 0) << "seed " << seed;
    }
}

}  // namespace
}  // namespace treadle
