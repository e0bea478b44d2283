// SPDX-License-Identifier: Apache-2.0
#include "base/bytes.h"

#include <gtest/gtest.h>

#include <random>

#include "base/hash.h"

namespace treadle {
namespace {

TEST(Bytes, EveryNumberComesBackAsItWas) {
  std::mt19937_64 random(7);
  for (int bits = 0; bits <= 64; ++bits) {
    const std::uint64_t number = bits == 0 ? 0 : random() >> (64 - bits);
    ByteWriter out;
    out.varint(number);
    out.fixed64(number);
    out.varint(zigzag(number));
    ByteReader in(out.bytes());
    EXPECT_EQ(in.varint(), number);
    EXPECT_EQ(in.fixed64(), number);
    EXPECT_EQ(unzigzag(in.varint()), number);
    EXPECT_TRUE(in.ok() && in.at_end());
  }
}

TEST(Bytes, SmallDifferencesOfEitherSignTakeOneByte) {
  for (const std::uint64_t difference : {std::uint64_t{0}, std::uint64_t{63}, ~std::uint64_t{0}, ~std::uint64_t{63}}) {
    ByteWriter out;
    out.varint(zigzag(difference));
    EXPECT_EQ(out.bytes().size(), 1u);
  }
}

TEST(Bytes, AReaderNeverLeavesItsBytesAndStaysFailed) {
  ByteReader in("\x85");
  EXPECT_EQ(in.varint(), 0u);
  EXPECT_FALSE(in.ok());
  EXPECT_EQ(in.byte(), 0);
  EXPECT_EQ(in.fixed64(), 0u);
  EXPECT_EQ(in.text(), "");
  EXPECT_FALSE(in.ok());
}

TEST(Bytes, ANumberHasOneEncodingOnly) {
  using namespace std::string_view_literals;
  for (const std::string_view bytes :
       {"\x80\x00"sv, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"sv, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"sv}) {
    ByteReader in(bytes);
    in.varint();
    EXPECT_FALSE(in.ok());
  }
}

TEST(Bytes, ACountIsNeverMoreThanTheBytesCanHold) {
  ByteWriter out;
  out.varint(1'000'000'000);
  out.text("abc");
  ByteReader in(out.bytes());
  EXPECT_EQ(in.count(4), 0u);
  EXPECT_FALSE(in.ok());
}

TEST(Hash, DependsOnWhereOneTextEndsAndTheNextBegins) {
  EXPECT_NE(Hash{}.add("ab").add("c").value(), Hash{}.add("a").add("bc").value());
  EXPECT_NE(hash_of(""), hash_of(std::string_view("\0", 1)));
}

TEST(Hash, StaysTheSameFromVersionToVersion) { EXPECT_EQ(hash_of("treadle"), 6603890478382799785u); }

}  // namespace
}  // namespace treadle
