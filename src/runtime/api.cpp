// SPDX-License-Identifier: Apache-2.0
#include "runtime/api.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "abi/inputs.h"
#include "runtime/follow.h"
#include "runtime/policy.h"
#include "runtime/scheduler.h"
#include "runtime/symbolic.h"
#include "treadle/treadle.h"

namespace treadle {

namespace {

constexpr unsigned kNames = 64;
constexpr std::size_t kLongestName = TREADLE_LONGEST_INPUT_NAME;

struct KnownName {
  std::uint32_t offset, length;
};

}  // namespace

struct ApiState {
  std::uint32_t inputs_used;
  KnownName names[kNames];
};

namespace {

ApiState& state() noexcept {
  World& w = world();
  if (w.api == nullptr) w.api = arena_new<ApiState>();
  return *w.api;
}

/// A function of the seed, of the thread's name and of how many it has asked for, not of the schedule.
std::uint64_t drawn(std::uint64_t seed, std::uint64_t thread, std::uint32_t index) noexcept {
  std::uint64_t at = (seed ^ thread) * 0x9e3779b97f4a7c15ull + index * 0xd1342543de82ef95ull;
  return next_random(at);
}

std::uint64_t native_input() noexcept {
  static std::uint32_t used = 0;
  return drawn(1, 0, __atomic_fetch_add(&used, 1, __ATOMIC_RELAXED));
}

/// What the program is given, or nothing: it may be anything, and is what is nearest to 0.
struct Drawn {
  bool given;
  std::uint64_t value;
};

struct List {
  const std::uint64_t* values;
  std::uint32_t count;
};

/// What the job gives this thread, or whoever asks for this name.
List list_of(std::uint32_t kind, std::uint64_t whose) noexcept {
  const TreadleSharedBlock& shared = *process().shared;
  const TreadleJob& job = *world().job;
  const auto* at = reinterpret_cast<const std::uint64_t*>(reinterpret_cast<const char*>(&shared) + shared.inputs_at) + job.first_input;
  const std::uint64_t* end = at + job.input_words;
  constexpr std::ptrdiff_t kHeader = sizeof(TreadleInputList) / sizeof *at;
  while (end - at >= kHeader) {
    TreadleInputList list;
    memcpy(&list, at, sizeof list);
    at += kHeader;
    if (end - at < std::ptrdiff_t{list.count}) break;
    if (list.kind == kind && list.whose == whose) return {at, list.count};
    at += list.count;
  }
  return {nullptr, 0};
}

/// Before main there is no job; constructors get what a native run gets. Schedules that are drawn come with inputs that are.
Drawn draw(const char* name) noexcept {
  if (g_mode != Mode::Active) return {true, native_input()};
  World& w = world();
  Thread& self = *w.current;
  const std::uint32_t index = self.inputs_asked++;
  w.result->inputs_used = ++state().inputs_used;
  if (std::uint64_t value; following() && recorded_input(value)) return {true, value};
  if (w.job->input_words > 0) {
    const List mine = list_of(TREADLE_INPUTS_OF_THREAD, self.name);
    if (index < mine.count) return {true, mine.values[index]};
    const List named = list_of(TREADLE_INPUTS_OF_NAME, treadle_input_hash(name, strnlen(name, kLongestName)));
    if (named.count > 0) return {true, named.values[0]};
  }
  const bool at_random = w.job->policy == TREADLE_POLICY_RANDOM || (w.job->policy == TREADLE_POLICY_PCT && !is_probe());
  return {at_random, at_random ? drawn(w.job->seed, self.name, index) : 0};
}

std::uint64_t nearest_to_0(std::int64_t lowest, std::int64_t highest) noexcept {
  return static_cast<std::uint64_t>(lowest > 0 ? lowest : highest < 0 ? highest : 0);
}

/// A value that is given and lies outside is taken modulo the width.
std::uint64_t between(Drawn drawn, std::int64_t lowest, std::int64_t highest) noexcept {
  if (!drawn.given) return nearest_to_0(lowest, highest);
  const auto asked = static_cast<std::int64_t>(drawn.value);
  const std::uint64_t width = static_cast<std::uint64_t>(highest) - static_cast<std::uint64_t>(lowest) + 1;
  if ((asked >= lowest && asked <= highest) || width == 0) return drawn.value;
  return static_cast<std::uint64_t>(lowest) + drawn.value % width;
}

void record_input(const char* name, std::uint64_t value, unsigned bytes, std::uint64_t pc) noexcept {
  if (g_mode != Mode::Active) return;
  const std::size_t length = strnlen(name, kLongestName);
  record(TREADLE_EV_INPUT, keep_name(name, length), value, length, pc, bytes);
}

}  // namespace

std::uint32_t keep_name(const char* name, std::size_t length) noexcept {
  std::uint32_t hash = 2166136261u;
  for (std::size_t i = 0; i < length; ++i) hash = (hash ^ static_cast<unsigned char>(name[i])) * 16777619u;
  KnownName& known = state().names[hash % kNames];
  const TreadleSharedBlock& shared = *process().shared;
  const char* texts = reinterpret_cast<const char*>(&shared) + shared.texts_at;
  if (known.length == length && length > 0 && memcmp(texts + known.offset, name, length) == 0) return known.offset;
  known = {record_text(name, length), static_cast<std::uint32_t>(length)};
  return known.offset;
}

std::uint64_t next_input(const char* name, unsigned bytes, std::uint64_t pc) noexcept { return next_input_or(name, bytes, 0, pc); }

std::uint64_t next_input_or(const char* name, unsigned bytes, std::uint64_t otherwise, std::uint64_t pc) noexcept {
  const Drawn drawn = draw(name);
  std::uint64_t value = drawn.given ? drawn.value : otherwise;
  if (bytes < 8) value &= (1ull << (8 * bytes)) - 1;
  record_input(name, value, bytes, pc);
  return value;
}

std::uint64_t next_input_between(const char* name, std::int64_t lowest, std::int64_t highest, std::uint64_t pc) noexcept {
  if (highest < lowest) highest = lowest;
  const std::uint64_t value = between(draw(name), lowest, highest);
  record_input(name, value, 8, pc);
  symbolic_input_between(lowest, highest, pc);
  return value;
}

std::uint64_t returned_input(const char* name, unsigned bytes, std::uint64_t pc) noexcept {
  const std::uint64_t value = next_input(name, bytes, pc);
  symbolic_input_returned(bytes * 8, pc);
  return value;
}

std::uint64_t returned_input_between(const char* name, std::int64_t lowest, std::int64_t highest, unsigned bits,
                                     std::uint64_t pc) noexcept {
  const std::uint64_t value = next_input_between(name, lowest, highest, pc);
  symbolic_input_returned(bits, pc);
  return value;
}

std::uint64_t pinned_input(const char* name, unsigned bytes, std::uint64_t pc) noexcept {
  const std::uint64_t value = next_input(name, bytes, pc);
  symbolic_input_pinned(pc);
  return value;
}

void assumption_fails(std::uint64_t pc) noexcept {
  if (native()) exit(0);
  if (g_mode != Mode::Active) unsupported("an assumption fails before main is called", pc);
  let_others_go_first(pc);
  end_execution(TREADLE_END_ASSUMPTION_FAILED, 0, 0, 0, pc);
}

void error_is_reached(const char* text, std::uint64_t pc) noexcept {
  if (native()) {
    fprintf(stderr, "%s\n", text);
    abort();
  }
  if (g_mode != Mode::Active) unsupported("the program reaches an error before main is called", pc);
  let_others_go_first(pc);
  end_execution(TREADLE_END_REACHED_ERROR, 0, 0, 0, pc, text);
}

}  // namespace treadle

using namespace treadle;

extern "C" {

TREADLE_WEAK void treadle_observe(const char* name, std::int64_t value) {
  if (g_mode != Mode::Active) return;
  const std::size_t length = strnlen(name, kLongestName);
  record(TREADLE_EV_OBSERVE, keep_name(name, length), static_cast<std::uint64_t>(value), length, TREADLE_PC());
}

TREADLE_WEAK int treadle_in_control() { return native() ? 0 : 1; }

TREADLE_WEAK int treadle_input_int(const char* name) { return static_cast<int>(returned_input(name, 4, TREADLE_PC())); }
TREADLE_WEAK unsigned treadle_input_unsigned(const char* name) { return static_cast<unsigned>(returned_input(name, 4, TREADLE_PC())); }
TREADLE_WEAK std::int64_t treadle_input_int64(const char* name) { return static_cast<std::int64_t>(returned_input(name, 8, TREADLE_PC())); }
TREADLE_WEAK std::uint8_t treadle_input_byte(const char* name) { return static_cast<std::uint8_t>(returned_input(name, 1, TREADLE_PC())); }
TREADLE_WEAK int treadle_input_bool(const char* name) { return static_cast<int>(returned_input_between(name, 0, 1, 32, TREADLE_PC())); }

TREADLE_WEAK int treadle_input_range(const char* name, int lowest, int highest) {
  return static_cast<int>(returned_input_between(name, lowest, highest, 32, TREADLE_PC()));
}

TREADLE_WEAK void treadle_assume(int condition) {
  if (condition == 0) assumption_fails(TREADLE_PC());
}

/// Wishes, not locks: analyses look at what happens in between.
TREADLE_WEAK void treadle_atomic_begin() {
  if (!native()) record(TREADLE_EV_REGION_BEGIN, 0, 0, 0, TREADLE_PC());
}

TREADLE_WEAK void treadle_atomic_end() {
  if (!native()) record(TREADLE_EV_REGION_END, 0, 0, 0, TREADLE_PC());
}

}  // extern "C"
