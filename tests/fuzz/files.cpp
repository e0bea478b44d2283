// SPDX-License-Identifier: Apache-2.0
// Files: the envelope as it is, and the payloads behind it (whose checksum no fuzzer guesses). What is read must be what is written again.
#include "trace/files.h"

#include <cstdlib>
#include <string_view>

#include "trace/codec.h"

using namespace treadle;

namespace {

template <class Value>
void round_trip(std::string_view bytes, Value (*get)(ByteReader&)) {
  ByteReader in(bytes);
  const Value value = get(in);
  if (!in.ok()) return;
  ByteWriter out;
  put(out, value);
  ByteReader again(out.bytes());
  get(again);
  if (!again.ok()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 4) {
    case 0:
      (void)decode_any(bytes, "fuzzed");
      break;
    case 1:
      round_trip(bytes, get_schedule);
      break;
    case 2:
      round_trip(bytes, get_witness);
      break;
    case 3:
      round_trip(bytes, get_trace);
      break;
  }
  return 0;
}
