// SPDX-License-Identifier: Apache-2.0
#include "finding/inputs.h"

namespace treadle {

std::vector<InputValue> inputs_of(const Trace& trace) {
  std::vector<InputValue> inputs;
  for (const Event& event : trace.events) {
    if (event.kind != TREADLE_EV_INPUT) continue;
    const auto value = event.size == 4 ? static_cast<std::int32_t>(event.value) : static_cast<std::int64_t>(event.value);
    const std::string name = event.address < trace.texts.size() ? trace.texts[event.address] : "";
    inputs.push_back({name_of(ThreadId{event.thread}, trace.threads), name, value});
  }
  return inputs;
}

}  // namespace treadle
