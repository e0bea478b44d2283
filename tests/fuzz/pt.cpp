// SPDX-License-Identifier: Apache-2.0
// Intel PT: packets of a processor, the file with the side band, and the kernel's records. The code that the packets lead through is this
// program's own.
#include <string>
#include <string_view>

#include "record/perf_side_band.h"
#include "record/pt_decode.h"

using namespace treadle;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 3) {
    case 0:
      (void)decode_side_band(bytes, "pt");
      break;
    case 1: {
      PerfSideBand side_band(1, {1000, 512, 10});
      side_band.use_copy_of_vdso("/vdso");
      (void)side_band.add(bytes);
      (void)side_band.side_band(data[1] % 8);
      break;
    }
    case 2: {  // a place to begin, and what the fuzzer makes of it
      PtSideBand side_band;
      side_band.cores = 1;
      side_band.code.push_back({"/proc/self/exe", 0, 64 << 10, 0x400000});
      side_band.switches = {{0, 1, 0}, {0, 2, data[1]}};
      const std::string begin("\x02\x82\x02\x82\x02\x82\x02\x82\x02\x82\x02\x82\x02\x82\x02\x82\x02\x23", 18);
      const std::string packets = begin + std::string(bytes);
      (void)decode_pt(side_band, {packets}, BlockMap{});
      break;
    }
  }
  return 0;
}
