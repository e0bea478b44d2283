// SPDX-License-Identifier: Apache-2.0
// The state of a search: the checkpoint behind its checksum, and what each strategy makes of its part. What a strategy has loaded it must
// be able to go on from, and to save so that it loads again.
#include "explore/checkpoint.h"

#include <cstdlib>
#include <memory>

#include "explore/strategies.h"
#include "trace/files.h"

using namespace treadle;

namespace {

std::unique_ptr<Strategy> make(const StrategyEntry& entry) {
  StrategyOptions options;
  options.schedule.max_steps = 1000;
  return entry.make(options);
}

void go_on_from(const StrategyEntry& entry, std::string_view bytes) {
  const auto strategy = make(entry);
  if (!strategy->load(bytes)) return;
  for (int i = 0; i < 8; ++i)
    if (const auto item = strategy->next(); item && item->schedule.prefix.size() > 1000) std::abort();
  if (!make(entry)->load(strategy->save())) std::abort();
  strategy->covers();
  strategy->estimate();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t which = data[0] % (strategies().size() + 1);
  if (which < strategies().size()) {
    go_on_from(strategies()[which], bytes);
    return 0;
  }
  const auto checkpoint = decode_checkpoint(encode_search(std::string(bytes)), "fuzzed");
  if (checkpoint && !decode_checkpoint(encode(*checkpoint), "again")) std::abort();
  return 0;
}
