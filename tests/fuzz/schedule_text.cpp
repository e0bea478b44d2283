// SPDX-License-Identifier: Apache-2.0
// A Schedule typed by hand: read or refused, and what was read is written so that it reads the same.
#include <cstdlib>
#include <string_view>

#include "trace/text.h"

using namespace treadle;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto schedule = parse_schedule({reinterpret_cast<const char*>(data), size});
  if (!schedule) return 0;
  const auto again = parse_schedule(text_of(*schedule));
  if (!again || !(*again == *schedule)) std::abort();
  return 0;
}
