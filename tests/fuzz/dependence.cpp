// SPDX-License-Identifier: Apache-2.0
// The section of a binary that tells about dependence: read or refused; what was read refers only to what is there.
#include <cstdlib>
#include <string_view>

#include "trace/dependence_section.h"

using namespace treadle;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto pieces = pieces_in({reinterpret_cast<const char*>(data), size});
  if (!pieces) return 0;
  for (const DependencePiece& piece : *pieces) {
    for (const auto& site : piece.sites) {
      if (site.text >= piece.texts.size()) std::abort();
      for (const std::uint32_t set : {site.control, site.way, site.data})
        if (set != DependencePiece::everything && set >= piece.sets.size()) std::abort();
    }
    for (const auto& set : piece.sets)
      for (const std::uint32_t member : set)
        if (member >= piece.sites.size() + piece.others.size()) std::abort();
    for (const auto& function : piece.functions)
      if (function.site >= piece.sites.size()) std::abort();
  }
  return 0;
}
