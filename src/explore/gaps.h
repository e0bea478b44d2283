// SPDX-License-Identifier: Apache-2.0
// What a search could not do, each said once.
#pragma once

#include <set>
#include <string>

namespace treadle {

class Gaps {
 public:
  void tell(std::string gap) { gaps_.insert(std::move(gap)); }
  void add(const Gaps& others) { gaps_.insert(others.gaps_.begin(), others.gaps_.end()); }

  /// Half a sentence: what comes first, then the gaps. Empty when there are none, whatever would have come first.
  std::string text(const std::string& begin = {}) const {
    std::string all;
    for (const std::string& gap : gaps_) all += (all.empty() ? begin : ", ") + gap;
    return all;
  }

 private:
  std::set<std::string> gaps_;
};

}  // namespace treadle
