// SPDX-License-Identifier: Apache-2.0
// The program's half of the shared block, written over with anything: a Trace in which every number is in range, or a refusal.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "subject/decode.h"

using namespace treadle;

namespace {

SharedMemory& memory() {
  static SharedMemory block = *SharedMemory::create();
  return block;
}

/// Copies the next piece of the input over `bytes` bytes at `to`.
void spread(const std::uint8_t*& data, std::size_t& size, void* to, std::size_t bytes) {
  const std::size_t now = std::min(size, bytes);
  std::memcpy(to, data, now);
  data += now;
  size -= now;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  TreadleSharedBlock& block = memory().block();
  TreadleResult& result = block.results[0];
  std::memset(&result, 0, sizeof result);
  result.ending = TREADLE_END_ASSERTION;
  result.thread_names = 3;
  result.event_count = 4;
  result.choice_words = 8;
  result.expression_count = 4;
  result.note_count = 2;
  auto* base = reinterpret_cast<char*>(&block);
  spread(data, size, base + block.events_at, 4 * sizeof(TreadleEvent));
  spread(data, size, base + block.choices_at, 32);
  spread(data, size, base + block.expressions_at, 4 * sizeof(TreadleExpression));
  spread(data, size, base + block.notes_at, 2 * sizeof(TreadleNote));
  spread(data, size, block.names, 12);
  spread(data, size, block.pending, 2 * sizeof(TreadlePending));
  spread(data, size, &result, sizeof result);
  // Within the capacity any number is legal, and a million garbage events take their time.
  if (result.event_count < memory().events().size()) result.event_count %= 64;
  if (result.choice_words < memory().choices().size()) result.choice_words %= 64;
  if (result.expression_count < memory().expressions().size()) result.expression_count %= 64;
  if (result.note_count < memory().notes().size()) result.note_count %= 64;
  Trace trace;
  if (!decode(memory(), 0, true, trace)) return 0;
  for (const Event& event : trace.events)
    if (event.kind >= TREADLE_EV_COUNT || event.thread >= trace.threads.size()) std::abort();
  for (const Choice& choice : trace.choices)
    if (choice.first_alternative + choice.alternatives > trace.alternatives.size()) std::abort();
  for (const Note& note : trace.notes)
    if (note.expression >= trace.expressions.size() || note.event > trace.events.size()) std::abort();
  static_cast<void>(evaluate(trace.expressions));
  return 0;
}
