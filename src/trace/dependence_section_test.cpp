// SPDX-License-Identifier: Apache-2.0
#include "trace/dependence_section.h"

#include <gtest/gtest.h>

#include <cstring>

#include "base/bytes.h"

namespace treadle {
namespace {

/// A read at line 7 and a write at line 8 that depends on it; a thread's function; and what holds only if nobody else enters.
std::string one_piece() {
  ByteWriter out;
  out.varint(2), out.text("x"), out.text("");
  out.varint(3);
  for (const int number : {100, 7, int{TREADLE_SITE_READ}, 0, 1, 1, 1, 1}) out.varint(static_cast<std::uint64_t>(number));
  for (const int number : {200, 8, int{TREADLE_SITE_WRITE}, 1, 3, 0, 2, 1}) out.varint(static_cast<std::uint64_t>(number));
  for (const int number : {0, 0, int{TREADLE_SITE_THREAD}, 1, 1, 1, 1, 1}) out.varint(static_cast<std::uint64_t>(number));
  out.varint(1), out.varint(TREADLE_OTHER_ENTERS), out.fixed64(77);
  out.varint(3);
  out.varint(0);
  out.varint(1), out.varint(0);
  out.varint(2), out.varint(0), out.varint(3);
  out.varint(1), out.fixed64(77);
  out.varint(1), out.fixed64(88);
  TreadleDependenceHeader header{TREADLE_DEPENDENCE_MAGIC, TREADLE_DEPENDENCE_VERSION, 0, 1};
  const TreadleDependenceFunction function{-64, 2};
  header.bytes = static_cast<std::uint32_t>(sizeof header + sizeof function + out.bytes().size());
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
  bytes.append(reinterpret_cast<const char*>(&function), sizeof function);
  return bytes + out.bytes();
}

TEST(DependenceSection, IsReadAsItWasWritten) {
  const auto pieces = pieces_in(one_piece());
  ASSERT_TRUE(pieces.has_value());
  ASSERT_EQ(pieces->size(), 1u);
  const DependencePiece& piece = pieces->front();
  ASSERT_EQ(piece.sites.size(), 3u);
  EXPECT_EQ(piece.sites[0].key, 100u);
  EXPECT_EQ(piece.sites[0].line, 7u);
  EXPECT_EQ(piece.texts[piece.sites[0].text], "x");
  EXPECT_EQ(piece.sites[1].kind, TREADLE_SITE_WRITE);
  EXPECT_EQ(piece.sets[piece.sites[1].control], (std::vector<std::uint32_t>{0, 3}));
  EXPECT_EQ(piece.sites[1].way, DependencePiece::everything);
  EXPECT_EQ(piece.sets[piece.sites[1].data], (std::vector<std::uint32_t>{0}));
  EXPECT_TRUE(piece.sets[piece.sites[1].carried].empty());
  ASSERT_EQ(piece.functions.size(), 1u);
  EXPECT_EQ(piece.functions[0].offset, sizeof(TreadleDependenceHeader) - 64u);
  EXPECT_EQ(piece.others[0].name, 77u);
  EXPECT_EQ(piece.referenced, std::vector<std::uint64_t>{88});
}

TEST(DependenceSection, OfSeveralFilesIsPaddedByTheLinker) {
  std::string two = one_piece();
  two.resize((two.size() + 3) / 4 * 4 + 8);
  two += one_piece();
  const auto pieces = pieces_in(two);
  ASSERT_TRUE(pieces.has_value());
  EXPECT_EQ(pieces->size(), 2u);
}

TEST(DependenceSection, ThatIsCutOffAnywhereIsRefused) {
  const std::string whole = one_piece();
  for (std::size_t size = 4; size < whole.size(); ++size) EXPECT_FALSE(pieces_in(whole.substr(0, size)).has_value()) << size;
}

TEST(DependenceSection, OfAnotherVersionIsRefused) {
  std::string bytes = one_piece();
  ++bytes[4];
  EXPECT_FALSE(pieces_in(bytes).has_value());
}

TEST(DependenceSection, WithAnyByteChangedIsReadOrRefused) {
  const std::string whole = one_piece();
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (const int change : {1, 0x7f, 0x80, 0xff}) {
      std::string bytes = whole;
      bytes[at] = static_cast<char>(bytes[at] ^ change);
      const auto pieces = pieces_in(bytes);
      if (!pieces) continue;
      for (const DependencePiece& piece : *pieces)
        for (const auto& set : piece.sets)
          for (const std::uint32_t member : set) EXPECT_LT(member, piece.sites.size() + piece.others.size());
    }
}

}  // namespace
}  // namespace treadle
