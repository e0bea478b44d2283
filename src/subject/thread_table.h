// SPDX-License-Identifier: Apache-2.0
// What thread numbers mean in one session with a program. Names (paths in the spawn tree) are the same in every run; numbers are handed out
// as names are first seen. A Schedule from elsewhere (a witness) brings its own table and is translated.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "trace/schedule.h"

namespace treadle {

class ThreadTable {
 public:
  ThreadTable() = default;
  explicit ThreadTable(std::vector<ThreadName> names) : names_(std::move(names)) {}

  const std::vector<ThreadName>& names() const { return names_; }

  /// New names that an execution has appended.
  void learn(const std::vector<ThreadName>& seen);

  /// Numbers of this session for the numbers of `foreign`; nothing: they are the same.
  std::optional<std::vector<std::uint8_t>> translation(const std::vector<ThreadName>& foreign);

 private:
  std::uint16_t number_of(ThreadName name);
  std::vector<ThreadName> names_{ThreadName{}};
};

}  // namespace treadle
