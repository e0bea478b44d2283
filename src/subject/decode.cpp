// SPDX-License-Identifier: Apache-2.0
#include "subject/decode.h"

#include <cstring>

namespace treadle {

namespace {

constexpr unsigned kMostNames = 256;

bool within(std::uint64_t first, std::uint64_t count, std::uint64_t capacity) { return first <= capacity && count <= capacity - first; }

bool read_decision(std::uint32_t word, Decision& out) {
  TreadleDecision raw;
  std::memcpy(&raw, &word, sizeof raw);
  if (raw.kind >= TREADLE_DECISION_KINDS || raw.thread >= TREADLE_MAX_THREADS) return false;
  out = {static_cast<DecisionKind>(raw.kind), ThreadId{raw.thread}, raw.argument};
  return true;
}

bool read_choices(std::span<const std::uint32_t> words, bool with_alternatives, Trace& out) {
  std::size_t at = 0;
  while (at < words.size()) {
    Choice choice;
    if (!with_alternatives) {
      if (!read_decision(words[at++], choice.taken)) return false;
      out.choices.push_back(choice);
      continue;
    }
    const std::uint32_t count = words[at++];
    if (count == 0 || count > words.size() - at) return false;
    choice.first_alternative = static_cast<std::uint32_t>(out.alternatives.size());
    choice.alternatives = count;
    for (std::uint32_t i = 0; i < count; ++i) {
      Decision d;
      if (!read_decision(words[at++], d)) return false;
      out.alternatives.push_back(d);
    }
    choice.taken = out.alternatives[choice.first_alternative];
    out.choices.push_back(choice);
  }
  return true;
}

void read_stack(const TreadleStack& raw, Trace& out) {
  if (raw.count == 0 || raw.count > TREADLE_MAX_FRAMES || raw.thread >= TREADLE_MAX_THREADS) return;
  Stack stack;
  stack.event = raw.event;
  stack.thread = ThreadId{static_cast<std::uint8_t>(raw.thread)};
  stack.frames.assign(raw.pc, raw.pc + raw.count);
  out.stacks.push_back(std::move(stack));
}

/// Texts become indices: a name used by many events is kept once.
bool read_texts(const SharedMemory& memory, Trace& out) {
  for (Event& event : out.events) {
    if (event.kind != TREADLE_EV_OBSERVE && event.kind != TREADLE_EV_INPUT) continue;
    if (!within(event.address, event.extra, memory.texts().size())) return false;
    const std::string_view text(memory.texts().data() + event.address, event.extra);
    std::size_t index = 0;
    while (index < out.texts.size() && out.texts[index] != text) ++index;
    if (index == out.texts.size()) out.texts.emplace_back(text);
    event.address = index;
    event.extra = 0;
  }
  return true;
}

bool read_events(const SharedMemory& memory, std::uint64_t first, std::uint64_t count, std::size_t steps, unsigned threads, Trace& out) {
  const auto raw = memory.events().subspan(first, count);
  out.events.assign(raw.begin(), raw.end());
  bool texts = false;
  for (const Event& event : out.events) {
    if (event.kind >= TREADLE_EV_COUNT || event.thread >= threads || event.step > steps) return false;
    texts |= event.kind == TREADLE_EV_OBSERVE || event.kind == TREADLE_EV_INPUT;
  }
  return !texts || read_texts(memory, out);
}

void read_pending(const TreadleSharedBlock& block, std::uint32_t first, std::uint32_t count, Trace& out) {
  if (!within(first, count, TREADLE_MAX_PENDING)) return;
  for (std::uint32_t i = first; i < first + count; ++i) {
    const TreadlePending p = block.pending[i];
    if (p.thread >= TREADLE_MAX_THREADS || p.kind >= TREADLE_EV_COUNT) continue;
    out.pending.push_back({ThreadId{p.thread}, p.state, static_cast<EventKind>(p.kind), p.enabled != 0, p.holds, p.pc, p.address, p.extra, p.size, p.effect == TREADLE_WOULD_READ});
  }
}

}  // namespace

bool decode(const SharedMemory& memory, unsigned job, bool choices_recorded, Trace& out) {
  out.clear();
  const TreadleSharedBlock& block = memory.block();
  const TreadleResult r = block.results[job];  // a copy: what was checked is what is used
  if (r.ending >= TREADLE_ENDING_COUNT || r.thread >= TREADLE_MAX_THREADS || r.thread_names < 1 || r.thread_names > kMostNames)
    return false;
  out.end = {static_cast<Ending>(r.ending), ThreadId{static_cast<std::uint8_t>(r.thread)}, r.detail, r.address, r.extra, r.pc, {}};
  if (within(r.text_offset, r.text_length, memory.texts().size()))
    out.end.text.assign(memory.texts().data() + r.text_offset, r.text_length);
  out.threads.clear();
  for (unsigned id = 0; id < r.thread_names; ++id) {
    const TreadleThreadName& name = block.names[id];
    if (id > 0 && name.parent >= r.thread_names) return false;
    out.threads.push_back(id == 0 ? ThreadName{} : ThreadName{name.parent, name.ordinal});
  }
  if (!within(r.first_choice, r.choice_words, memory.choices().size()) || !within(r.first_event, r.event_count, memory.events().size()))
    return false;
  if (!read_choices(memory.choices().subspan(r.first_choice, r.choice_words), choices_recorded, out)) return false;
  if (!read_events(memory, r.first_event, r.event_count, out.choices.size(), r.thread_names, out)) return false;
  read_pending(block, r.first_pending, r.pending_count, out);
  for (const TreadleStack& stack : r.stacks) read_stack(stack, out);
  read_stack(r.end_stack, out);
  out.plain_hash = r.plain_hash;
  out.heap_bytes = r.heap_bytes;
  out.preemptions = r.preemptions;
  out.inputs_used = r.inputs_used;
  out.saved_snapshot = r.saved_snapshot;
  return true;
}

}  // namespace treadle
