// SPDX-License-Identifier: Apache-2.0
#include "subject/program_branches.h"

#include <gtest/gtest.h>

#include <cstring>

namespace treadle {
namespace {

template <class T>
void append(std::string& bytes, const T& what) {
  bytes.append(reinterpret_cast<const char*>(&what), sizeof what);
}

/// One branch with two ways.
std::string piece() {
  const std::string texts = std::string("a.c\0main\0", 9) + std::string(7, '\0');
  const std::uint32_t at = sizeof(TreadleBranchesHeader) + 2 * sizeof(TreadleBranchWay);
  std::string bytes;
  append(bytes, TreadleBranchesHeader{TREADLE_BRANCHES_MAGIC, TREADLE_BRANCHES_VERSION, at + static_cast<std::uint32_t>(texts.size()), 2, -64});
  append(bytes, TreadleBranchWay{7, 3, 8, TREADLE_WAY_TRUE, 0, 0, 0, at, at + 4});
  append(bytes, TreadleBranchWay{7, 3, 0, TREADLE_WAY_FALSE, 0, 0, 0, at, at + 4});
  return bytes + texts;
}

TEST(ProgramBranches, ArePiecesOneAfterTheOther) {
  const auto ways = branches_in_section(piece() + piece(), 0x1000);
  ASSERT_EQ(ways.size(), 4u);
  EXPECT_EQ(ways[0].file, "a.c");
  EXPECT_EQ(ways[0].function, "main");
  EXPECT_EQ(ways[0].line, 7u);
  EXPECT_EQ(ways[0].to_line, 8u);
  EXPECT_EQ(ways[1].way, TREADLE_WAY_FALSE);
  EXPECT_EQ(ways[0].address, 0x1000u - 64);
  EXPECT_EQ(ways[1].address, 0x1000u - 63);
  EXPECT_EQ(ways[2].address, 0x1000u + piece().size() - 64);
}

TEST(ProgramBranches, OfForeignBytesAreThoseThatMakeSense) {
  EXPECT_TRUE(branches_in_section("", 0).empty());
  EXPECT_TRUE(branches_in_section("nonsense that is longer than a header", 0).empty());
  const std::string whole = piece();
  for (std::size_t size = 0; size < whole.size(); ++size) EXPECT_TRUE(branches_in_section(whole.substr(0, size), 0).empty()) << size;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string wrong = whole;
    wrong[i] = static_cast<char>(0xff);
    branches_in_section(wrong, 0);  // whatever it says, it does not crash
  }
}

}  // namespace
}  // namespace treadle
