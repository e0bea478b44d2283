// SPDX-License-Identifier: Apache-2.0
// Names of operations, and of stores that are on their way to memory.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "machine.h"

namespace oracle {

using Name = std::uint16_t;  // thread and how-manieth, from 1; 0 is none

inline Name name_of(int thread, std::uint8_t number) { return Name(thread << 8 | number); }

inline void append(std::string& text, Name name) { text += char(name), text += char(name >> 8); }
inline void append(std::string& text, const std::string& part) {
  append(text, Name(part.size()));
  text += part;
}

/// Which stores are in the threads' buffers.
class BufferedNames {
 public:
  void put(int thread, int variable, Name name) { stores_[thread] += char(variable), append(stores_[thread], name); }

  /// What the thread would read of its own.
  std::optional<Name> newest(int thread, int variable) const {
    const std::string& own = stores_[thread];
    for (int i = int(own.size()) - 3; i >= 0; i -= 3)
      if (own[i] == char(variable)) return name_at(own, i + 1);
    return std::nullopt;
  }

  Name take_oldest(int thread, int variable) {
    std::string& own = stores_[thread];
    std::size_t i = 0;
    while (own.at(i) != char(variable)) i += 3;
    const Name name = name_at(own, i + 1);
    own.erase(i, 3);
    return name;
  }

  void append_to(std::string& text) const {
    for (const std::string& own : stores_) append(text, own);
  }

 private:
  static Name name_at(const std::string& text, std::size_t i) { return Name(std::uint8_t(text[i]) | std::uint8_t(text[i + 1]) << 8); }

  std::array<std::string, kMaxThreads> stores_;  // variable and name, the oldest first
};

}  // namespace oracle
