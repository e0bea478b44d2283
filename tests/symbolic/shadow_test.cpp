// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

#include "runtime/symbolic_shadow.h"

namespace treadle {
namespace {

constexpr std::uint32_t kBlocks = 1024;

struct OwnShadow {
  OwnShadow() { begin(); }
  void begin() { shadow.begin({slots.data(), addresses.data(), cells.data(), &generation, kBlocks}); }
  std::vector<ShadowSlot> slots = std::vector<ShadowSlot>(kBlocks * 4);
  std::vector<std::uint64_t> addresses = std::vector<std::uint64_t>(kBlocks);
  std::vector<ByteCell> cells = std::vector<ByteCell>(kBlocks * kShadowBlock);
  std::uint32_t generation = 0;
  ExpressionShadow shadow;
};

Expr at(ExpressionShadow& shadow, std::uint64_t address) {
  const ByteCell* cell = shadow.find(address);
  return cell == nullptr ? 0 : cell->expression;
}

TEST(ExpressionShadow, HoldsWhatWasPutThereAndForgetsWhatIsForgotten) {
  std::mt19937_64 random(1);
  OwnShadow own;
  std::map<std::uint64_t, Expr> expected;
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t address = (random() % 4) * 0x10000000000 + random() % 60000;
    if (random() % 8 != 0) {
      const auto e = static_cast<Expr>(random() % 1000 + 1);
      ByteCell* cell = own.shadow.make(address);
      ASSERT_NE(cell, nullptr);
      cell->expression = expected[address] = e;
    } else {
      const std::uint64_t bytes = random() % 3 == 0 ? random() % 30000 : random() % 600;
      own.shadow.forget(address, bytes);
      expected.erase(expected.lower_bound(address), expected.lower_bound(address + bytes));
    }
    if (i % 1000 != 0) continue;
    for (std::uint64_t base = 0; base < 4; ++base)
      for (std::uint64_t k = 0; k < 60000; ++k) {
        const std::uint64_t a = base * 0x10000000000 + k;
        const auto known = expected.find(a);
        ASSERT_EQ(at(own.shadow, a), known == expected.end() ? 0 : known->second) << a;
      }
  }
}

TEST(ExpressionShadow, OfTheNextExecutionIsEmpty) {
  OwnShadow own;
  own.shadow.make(4711)->expression = 1;
  own.begin();
  EXPECT_EQ(own.shadow.find(4711), nullptr);
  EXPECT_EQ(own.shadow.make(4711)->expression, 0u);
}

TEST(ExpressionShadow, ThatIsFullSaysSo) {
  OwnShadow own;
  for (std::uint64_t i = 0; i < kBlocks; ++i) ASSERT_NE(own.shadow.make(i * kShadowBlock), nullptr);
  EXPECT_EQ(own.shadow.make(kBlocks * kShadowBlock), nullptr);
  EXPECT_NE(own.shadow.make(0), nullptr);
}

}  // namespace
}  // namespace treadle
