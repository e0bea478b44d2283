// SPDX-License-Identifier: Apache-2.0
#include "trace/trace.h"

#include "base/check.h"

namespace treadle {
namespace {

constexpr const char* kEventTexts[] = {
#define X(name, text, class_) text,
    TREADLE_EVENT_KINDS(X)
#undef X
};

constexpr const char* kEndingTexts[] = {
#define X(name, text) text,
    TREADLE_ENDINGS(X)
#undef X
};

}  // namespace

const char* text_of(EventKind kind) {
  check(kind < TREADLE_EV_COUNT, "an event's kind is in the catalogue");
  return kEventTexts[kind];
}

const char* text_of(Ending ending) {
  check(ending < TREADLE_ENDING_COUNT, "an ending is in the catalogue");
  return kEndingTexts[ending];
}

void Trace::clear() {
  events.clear();
  choices.clear();
  alternatives.clear();
  threads.clear();
  end.text.clear();
  end.ending = TREADLE_END_NOT_RUN;
  end.thread = ThreadId{};
  end.detail = end.address = end.extra = end.pc = 0;
  pending.clear();
  stacks.clear();
  texts.clear();
  expressions.clear();
  notes.clear();
  plain_hash = heap_bytes = 0;
  preemptions = inputs_used = 0;
}

std::vector<Decision> decisions_of(const Trace& trace) {
  std::vector<Decision> decisions;
  decisions.reserve(trace.choices.size());
  for (const Choice& choice : trace.choices) decisions.push_back(choice.taken);
  return decisions;
}

}  // namespace treadle
