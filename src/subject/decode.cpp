// SPDX-License-Identifier: Apache-2.0
#include "subject/decode.h"

#include <cstddef>
#include <cstring>

namespace treadle {

namespace {

constexpr unsigned kMostNames = 256;

bool within(std::uint64_t first, std::uint64_t count, std::uint64_t capacity) { return first <= capacity && count <= capacity - first; }

/// A decision has the same layout on both sides of the fence.
bool is_decision(std::uint32_t word) {
  TreadleDecision raw;
  std::memcpy(&raw, &word, sizeof raw);
  return raw.kind < TREADLE_DECISION_KINDS && raw.thread < TREADLE_MAX_THREADS;
}

bool read_taken(std::span<const std::uint32_t> words, Trace& out) {
  out.choices.resize(words.size());
  bool valid = true;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::uint32_t word = words[i];
    valid &= is_decision(word);
    std::memcpy(&out.choices[i].taken, &word, sizeof word);
  }
  return valid;
}

/// Written straight into memory of the right size: this is a third of what the host does per execution.
bool read_alternatives(std::span<const std::uint32_t> words, Trace& out) {
  out.choices.resize(words.size() / 2);
  out.alternatives.resize(words.size());
  Choice* choice = out.choices.data();
  Decision* const first = out.alternatives.data();
  Decision* next = first;
  bool valid = true;
  for (std::size_t at = 0; at < words.size();) {
    const std::uint32_t count = words[at++];
    if (count == 0 || count > words.size() - at) return false;
    choice->first_alternative = static_cast<std::uint32_t>(next - first);
    choice->alternatives = count;
    for (std::uint32_t i = 0; i < count; ++i, ++at, ++next) {
      const std::uint32_t word = words[at];
      valid &= is_decision(word);
      std::memcpy(next, &word, sizeof word);
    }
    (choice++)->taken = *(next - count);
  }
  out.choices.resize(static_cast<std::size_t>(choice - out.choices.data()));
  out.alternatives.resize(static_cast<std::size_t>(next - first));
  return valid;
}

void read_stack(const TreadleStack& raw, Trace& out) {
  const std::uint32_t count = __atomic_load_n(&raw.count, __ATOMIC_RELAXED), thread = __atomic_load_n(&raw.thread, __ATOMIC_RELAXED);
  if (count == 0 || count > TREADLE_MAX_FRAMES || thread >= TREADLE_MAX_THREADS) return;
  Stack stack;
  stack.event = raw.event;
  stack.thread = ThreadId{static_cast<std::uint8_t>(thread)};
  stack.frames.assign(raw.pc, raw.pc + count);
  out.stacks.push_back(std::move(stack));
}

/// Texts become indices: a name used by many events is kept once.
bool read_texts(std::span<const char> texts, Trace& out) {
  for (Event& event : out.events) {
    if (event.kind != TREADLE_EV_OBSERVE && event.kind != TREADLE_EV_INPUT) continue;
    if (!within(event.address, event.extra, texts.size())) return false;
    const std::string_view text(texts.data() + event.address, event.extra);
    std::size_t index = 0;
    while (index < out.texts.size() && out.texts[index] != text) ++index;
    if (index == out.texts.size()) out.texts.emplace_back(text);
    event.address = index;
    event.extra = 0;
  }
  return true;
}

bool read_events(std::span<const TreadleEvent> raw, std::span<const char> text_bytes, unsigned threads, Trace& out) {
  const std::size_t steps = out.choices.size();
  out.events.assign(raw.begin(), raw.end());
  bool texts = false;
  for (const Event& event : out.events) {
    if (event.kind >= TREADLE_EV_COUNT || event.thread >= threads || event.step > steps) return false;
    texts |= event.kind == TREADLE_EV_OBSERVE || event.kind == TREADLE_EV_INPUT;
  }
  return !texts || read_texts(text_bytes, out);
}

bool read_symbolic(std::span<const Expression> expressions, std::span<const Note> notes, Trace& out) {
  out.expressions.assign(expressions.begin(), expressions.end());
  if (!out.expressions.empty()) out.expressions.front() = Expression{};
  out.notes.assign(notes.begin(), notes.end());
  return is_well_formed(out.expressions, out.events.size()) &&
         is_well_formed(out.notes, out.expressions, out.events.size(), out.threads.size());
}

void read_pending(const TreadleSharedBlock& block, std::uint32_t first, std::uint32_t count, Trace& out) {
  if (!within(first, count, TREADLE_MAX_PENDING)) return;
  for (std::uint32_t i = first; i < first + count; ++i) {
    const TreadlePending p = block.pending[i];
    if (p.thread >= TREADLE_MAX_THREADS || p.kind >= TREADLE_EV_COUNT) continue;
    out.pending.push_back({ThreadId{p.thread}, p.state, static_cast<EventKind>(p.kind), p.enabled != 0, p.holds, p.pc, p.address, p.extra,
                           p.size, p.effect == TREADLE_WOULD_READ});
  }
}

}  // namespace

bool decode(const SharedMemory& memory, unsigned job, bool choices_recorded, Trace& out) {
  out.clear();
  const TreadleSharedBlock& block = memory.block();
  TreadleResult r;  // a copy: what was checked is what is used; stacks are rare and large, and looked at one by one
  std::memcpy(static_cast<void*>(&r), &block.results[job], offsetof(TreadleResult, stacks));
  if (r.ending >= TREADLE_ENDING_COUNT || r.thread >= TREADLE_MAX_THREADS || r.thread_names < 1 || r.thread_names > kMostNames)
    return false;
  out.end = {static_cast<Ending>(r.ending), ThreadId{static_cast<std::uint8_t>(r.thread)}, r.detail, r.address, r.extra, r.pc, {}};
  if (r.first_text > memory.texts().size()) return false;
  const auto texts = memory.texts().subspan(r.first_text);
  if (within(r.text_offset, r.text_length, texts.size())) out.end.text.assign(texts.data() + r.text_offset, r.text_length);
  out.threads.clear();
  for (unsigned id = 0; id < r.thread_names; ++id) {
    const TreadleThreadName& name = block.names[id];
    if (id > 0 && name.parent >= r.thread_names) return false;
    out.threads.push_back(id == 0 ? ThreadName{} : ThreadName{name.parent, name.ordinal});
  }
  if (!within(r.first_choice, r.choice_words, memory.choices().size()) || !within(r.first_event, r.event_count, memory.events().size()))
    return false;
  const auto words = memory.choices().subspan(r.first_choice, r.choice_words);
  if (!(choices_recorded ? read_alternatives(words, out) : read_taken(words, out))) return false;
  if (!read_events(memory.events().subspan(r.first_event, r.event_count), texts, r.thread_names, out)) return false;
  if (!within(r.first_expression, r.expression_count, memory.expressions().size()) ||
      !within(r.first_note, r.note_count, memory.notes().size()) ||
      !read_symbolic(memory.expressions().subspan(r.first_expression, r.expression_count),
                     memory.notes().subspan(r.first_note, r.note_count), out))
    return false;
  read_pending(block, r.first_pending, r.pending_count, out);
  if (r.stacks_taken != 0) {
    for (const TreadleStack& stack : block.results[job].stacks) read_stack(stack, out);
    read_stack(block.results[job].end_stack, out);
  }
  out.plain_hash = r.plain_hash;
  out.heap_bytes = r.heap_bytes;
  out.preemptions = r.preemptions;
  out.inputs_used = r.inputs_used;
  out.saved_snapshot = r.saved_snapshot != 0;
  out.resumed_at = r.resumed_at;
  return true;
}

}  // namespace treadle
