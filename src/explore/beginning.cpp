// SPDX-License-Identifier: Apache-2.0
#include "explore/beginning.h"

namespace treadle {
namespace {

/// `a` stops where `b` goes on to what `a` does not.
bool avoids(const Beginning& a, const Beginning& b, std::uint32_t thread, std::size_t common) {
  return a.not_to && a.not_to->first == thread && common == a.ways[thread].size() && common < b.ways[thread].size() &&
         b.ways[thread][common] == a.not_to->second;
}

}  // namespace

bool part(const Beginning& a, const Beginning& b) {
  for (std::uint32_t t = 0; t < a.ways.size() && t < b.ways.size(); ++t) {
    const std::size_t common = common_turns(a.ways[t], b.ways[t]);
    if (common < a.ways[t].size() && common < b.ways[t].size()) return true;
    if (avoids(a, b, t, common) || avoids(b, a, t, common)) return true;
  }
  return false;
}

}  // namespace treadle
