// SPDX-License-Identifier: Apache-2.0
// Values to bytes and back. A ByteReader treats its bytes as foreign: it never reads beyond them, and after the first thing that cannot
// be there it stays failed and gives zeros, so that a decoder is written straight down and asks ok() at the end.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace treadle {

/// Small numbers of either sign become small unsigned ones: 0 -1 1 -2 2 … to 0 1 2 3 4 …
constexpr std::uint64_t zigzag(std::uint64_t difference) { return (difference << 1) ^ (0 - (difference >> 63)); }
constexpr std::uint64_t unzigzag(std::uint64_t coded) { return (coded >> 1) ^ (0 - (coded & 1)); }

class ByteWriter {
 public:
  void byte(std::uint8_t value) { bytes_.push_back(static_cast<char>(value)); }

  void fixed64(std::uint64_t value) {
    for (int i = 0; i < 8; ++i) byte(static_cast<std::uint8_t>(value >> (8 * i)));
  }

  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) byte(static_cast<std::uint8_t>(value | 0x80));
    byte(static_cast<std::uint8_t>(value));
  }

  void text(std::string_view value) {
    varint(value.size());
    bytes_.append(value);
  }

  const std::string& bytes() const { return bytes_; }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  bool ok() const { return ok_; }
  bool at_end() const { return rest_.empty(); }
  std::size_t left() const { return rest_.size(); }
  void fail() {
    ok_ = false;
    rest_ = {};
  }

  std::uint8_t byte() {
    if (rest_.empty()) return fail(), std::uint8_t{0};
    const auto value = static_cast<std::uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    return value;
  }

  std::uint64_t fixed64() {
    std::uint64_t value = 0;
    for (int i = 0; i < 8; ++i) value |= std::uint64_t{byte()} << (8 * i);
    return ok_ ? value : 0;
  }

  /// Only the shortest form is accepted: a value has one encoding.
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const std::uint8_t part = byte();
      if (!ok_) return 0;
      if (shift == 63 && part > 1) break;
      value |= std::uint64_t{part & 0x7fu} << shift;
      if (part < 0x80) {
        if (part == 0 && shift > 0) break;
        return value;
      }
    }
    fail();
    return 0;
  }

  /// A number that must not exceed `most`.
  std::uint64_t up_to(std::uint64_t most) {
    const std::uint64_t value = varint();
    if (value > most) return fail(), std::uint64_t{0};
    return value;
  }

  /// How many elements follow, each of at least `bytes_each`: never more than the bytes that are left can hold.
  std::size_t count(std::size_t bytes_each) { return up_to(rest_.size() / bytes_each); }

  std::string_view text() {
    const std::size_t size = count(1);
    if (!ok_ || size > rest_.size()) return fail(), std::string_view{};
    const std::string_view value = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return value;
  }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace treadle
