// SPDX-License-Identifier: Apache-2.0
// A 64-bit hash that is the same on every machine and in every version: it stands in files and fingerprints. Not for keeping secrets.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace treadle {

class Hash {
 public:
  /// Every step is a bijection of the state, so two inputs that differ in one word never collide there.
  Hash& add(std::uint64_t word) {
    state_ ^= word;
    state_ *= 0xff51afd7ed558ccdull;
    state_ ^= state_ >> 32;
    state_ *= 0xc4ceb9fe1a85ec53ull;
    state_ ^= state_ >> 29;
    return *this;
  }

  /// The length is part of it: ("ab", "c") and ("a", "bc") differ.
  Hash& add(std::string_view bytes) {
    add(bytes.size());
    while (bytes.size() >= 8) {
      add(word_of(bytes.substr(0, 8)));
      bytes.remove_prefix(8);
    }
    if (!bytes.empty()) add(word_of(bytes));
    return *this;
  }

  std::uint64_t value() const { return state_; }

 private:
  static std::uint64_t word_of(std::string_view bytes) {  // little endian, as all machines that we run on
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), bytes.size());
    return word;
  }

  std::uint64_t state_ = 0x9e3779b97f4a7c15ull;
};

inline std::uint64_t hash_of(std::string_view bytes) { return Hash{}.add(bytes).value(); }

}  // namespace treadle
