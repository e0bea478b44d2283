// SPDX-License-Identifier: Apache-2.0
#include "solve/unit_pasts.h"

#include <algorithm>

namespace treadle {

UnitPasts::UnitPasts(const Units& units, const std::vector<char>& prefix)
    : words_((units.all.size() + 63) / 64), past_(words_ * units.all.size(), 0) {
  std::vector<std::uint64_t> all_prefix(words_, 0);
  for (UnitId u = 0; u < units.all.size(); ++u) {
    std::uint64_t* past = &past_[static_cast<std::size_t>(u) * words_];
    for (const UnitId m : units.all[u].must) {
      const std::uint64_t* earlier = &past_[static_cast<std::size_t>(m) * words_];
      for (std::size_t w = 0; w < words_; ++w) past[w] |= earlier[w];
      past[m / 64] |= 1ull << (m % 64);
    }
    if (prefix[u] == 0) continue;
    for (std::size_t w = 0; w < words_; ++w) past[w] |= all_prefix[w];  // those in front of it
    all_prefix[u / 64] |= 1ull << (u % 64);
  }
  for (UnitId u = 0; u < units.all.size(); ++u)
    if (prefix[u] == 0)
      for (std::size_t w = 0; w < words_; ++w) past_[static_cast<std::size_t>(u) * words_ + w] |= all_prefix[w];
}

}  // namespace treadle
