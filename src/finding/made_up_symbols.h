// SPDX-License-Identifier: Apache-2.0
// For tests: pc n is line n of main.c, in function work; pcs from 9000 on are inside a library; addresses below 0x1000 have names.
#pragma once

#include <map>

#include "finding/symbols.h"

namespace treadle {

class MadeUpSymbols final : public Symbols {
 public:
  const std::vector<SourceFrame>& frames_at(std::uint64_t pc, Pc) const override {
    auto& frames = frames_[pc];
    if (!frames.empty()) return frames;
    const auto line = static_cast<unsigned>(pc);
    if (pc == 0)
      frames = {{"??"}};
    else if (pc >= 9000)
      frames = {{"std::mutex::lock()", "/usr/include/c++/12/mutex", line, 1, true}};
    else
      frames = {{"work", "/home/somebody/main.c", line, 1, false}};
    return frames;
  }

  std::string data_name(std::uint64_t address) const override {
    return address >= 'a' && address <= 'z' ? std::string(1, static_cast<char>(address)) : "";
  }

 private:
  mutable std::map<std::uint64_t, std::vector<SourceFrame>> frames_;
};

}  // namespace treadle
