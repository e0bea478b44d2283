// SPDX-License-Identifier: Apache-2.0
#include "explore/stage.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace treadle {
namespace {

TEST(Memory, KnowsWhatWasWrittenUntilItIsCleared) {
  Memory memory;
  Writer from;
  EXPECT_FALSE(memory.read(0x1000, 4, from));
  memory.write(0x1000, 4, 0x11223344, 7);
  EXPECT_EQ(memory.read(0x1000, 4, from), 0x11223344u);
  EXPECT_EQ(from, 7u);
  EXPECT_EQ(memory.read(0x1001, 2, from), 0x2233u);
  EXPECT_FALSE(memory.read(0x1002, 4, from)) << "two of its bytes were never written";
  memory.clear();
  EXPECT_FALSE(memory.read(0x1000, 4, from));
}

TEST(Memory, KeepsWhatWasFoundBeforeAnythingWasWritten) {
  Memory memory;
  Writer from = 1;
  memory.found(0x2000, 5);
  memory.write(0x2000, 1, 6, 3);
  EXPECT_EQ(memory.read(0x2000, 1, from), 6u);
  memory.clear();
  EXPECT_EQ(memory.read(0x2000, 1, from), 5u);
  EXPECT_EQ(from, 0u);
}

TEST(Memory, ABlockIsWhatItsPlaceKnowsOfIt) {
  LearnedProgram program;
  Place& place = program.new_place(1);
  Memory memory;
  Writer from;
  memory.write(0x3000, 8, 1, 2);
  memory.begin_block(0x3000, 16, place, 9);
  EXPECT_FALSE(memory.read(0x3000, 1, from));
  memory.found(0x3004, 0);
  memory.clear();
  memory.begin_block(0x5000, 16, place, 9);  // the same past, another address
  EXPECT_EQ(memory.read(0x5004, 1, from), 0u);
  memory.write(0x5004, 1, 8, 4);
  EXPECT_EQ(memory.read(0x5004, 1, from), 8u);
}

TEST(Memory, IsBytesWhateverTheSizes) {
  std::mt19937_64 random(1);
  Memory memory;
  for (int round = 0; round < 50; ++round) {
    memory.clear();
    std::map<std::uint64_t, std::pair<std::uint8_t, Writer>> bytes;
    for (Writer n = 1; n < 200; ++n) {
      const unsigned size = 1u << random() % 4;
      const std::uint64_t address = 0x7000 + random() % 64;
      if (random() % 2 == 0) {
        const std::uint64_t value = random();
        memory.write(address, size, value, n);
        for (unsigned i = 0; i < size; ++i) bytes[address + i] = {static_cast<std::uint8_t>(value >> i * 8), n};
        continue;
      }
      std::optional<std::uint64_t> expected = 0;
      bool one_writer = true;
      for (unsigned i = 0; i < size && expected; ++i) {
        const auto byte = bytes.find(address + i);
        if (byte == bytes.end()) {
          expected.reset();
          break;
        }
        *expected |= static_cast<std::uint64_t>(byte->second.first) << i * 8;
        one_writer &= byte->second.second == bytes.at(address).second;
      }
      Writer from;
      EXPECT_EQ(memory.read(address, size, from), expected);
      if (const auto cell = memory.cell(address, size); cell.value != nullptr) EXPECT_EQ(cell.get(), expected);
      if (expected && one_writer) EXPECT_EQ(from, bytes.at(address).second);
    }
  }
}

}  // namespace
}  // namespace treadle
