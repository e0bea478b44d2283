// SPDX-License-Identifier: Apache-2.0
// Which iterations may block. The pass tells where a loop is entered and where it goes round, with a hash of everything the loop carries in
// registers. An iteration is fruitless when
//   - it began and ended with the same carried values, in the same activation of the same loop,
//   - every visible operation in it is known to have had no effect (steps taken = steps accounted for here),
//   - every plain access in it is known: none happened, or all were seen, and none changed a value.
// Then it is a function of the carried values and of the locations in its log, and repeats itself until one of these changes.
//
// Plain accesses that are no scheduling points are seen only on request: from the first visible read of an iteration on; in the first
// iteration of a loop that has such reads; and a loop that looks fruitless but for those before gets its next iteration logged. One that
// turns out to write is left alone for longer and longer.
//
// Loops nest: one log for all, each loop knows where in it its iteration began.
//
// Before its first visible operation an iteration says what it starts from (ITERATION), so that the host can recognise one that is known to
// lead nowhere. The promise is that of an odd loop number (abi/hooks.h): the same note and the same values read, the same iteration. Only
// the innermost loop of those that begin an iteration there says it. An iteration that turns out to be fruitless but does not keep the
// promise (an outer loop's, or one with plain reads that are no events) has a note with nothing in it put behind it, in front of SPIN.
#include "runtime/spin.h"

#include "abi/hooks.h"
#include "runtime/race.h"
#include "runtime/scheduler.h"
#include "runtime/store_buffer.h"
#include "runtime/thread_sync.h"

namespace treadle {

namespace {

constexpr unsigned kMostReads = 64;
constexpr unsigned kMostLoops = 8;
constexpr unsigned kRemembered = 16;
constexpr unsigned kMostLogged = 512;  // plain accesses in one logged iteration

struct Read {
  const void* location;
  std::uint64_t value;
  std::uint8_t size;  // up to 8
};

/// A loop that the thread is in, at the beginning of its present iteration.
struct Loop {
  std::uint64_t name, stack, state;
  std::uint32_t steps, known_steps, idle_steps;
  std::uint16_t first_read;
  bool effects;     // something happened in this iteration
  bool touched;     // there were plain accesses
  bool all_seen;    // and every one of them is in the log
  bool was_logged;  // because it was asked for
  bool at_once;     // because it is the first, and more than plain reads may come
  std::uint64_t from_outside;
  std::uint32_t first_at;  // decision with which its first step was taken; not_yet
};
constexpr std::uint32_t not_yet = UINT32_MAX;

struct Patience {
  std::uint64_t loop;
  std::uint32_t wait, left;
};

}  // namespace

struct ThreadSpin {
  std::uint16_t logging;  // for which loop plain accesses are logged, counted from 1; 0: they are not
  std::uint16_t logged;
  std::uint32_t known_steps, idle_steps;
  std::uint16_t reads, loops;
  std::uint16_t watched;  // while blocked: first read that counts
  bool cancellable;       // while blocked: the loop has a cancellation point
  const Loop* noted;      // whose iteration was told last
  Loop loop[kMostLoops];
  Patience patience[kRemembered];
  Read read[kMostReads];
};

namespace {

/// As the thread sees it, through its own stores under way.
std::uint64_t value_at(const Thread& thread, const void* location, unsigned size) noexcept {
  std::uint64_t value = 0;
  __builtin_memcpy(&value, location, size);
  if (stores_under_way(thread)) overlay_own_stores(thread, reinterpret_cast<std::uint64_t>(location), &value, size);
  return value;
}

/// What was touched since the last look was touched in the present iteration of every loop the thread is in.
void look_what_was_touched(ThreadSpin& s) noexcept {
  Thread& self = *world().current;
  if (!self.touched && g_running.touched == 0) return;
  self.touched = false;
  g_running.touched = 0;
  for (unsigned i = 0; i < s.loops; ++i) s.loop[i].touched = true;
}

ThreadSpin& mine() noexcept {
  Thread& self = *world().current;
  if (self.spin == nullptr) self.spin = arena_new<ThreadSpin>();
  return *self.spin;
}

void start_logging(ThreadSpin& s, const Loop& loop) noexcept {
  if (s.logging != 0) return;
  s.logging = static_cast<std::uint16_t>(&loop - s.loop + 1);
  s.logged = 0;
  set_short_way(*world().current, 0);
}

void stop_logging(ThreadSpin& s) noexcept {
  if (s.logging == 0) return;
  s.logging = 0;
  refresh_epoch(*world().current);
  for (unsigned i = 0; i < s.loops; ++i) s.loop[i].all_seen = false;
}

/// Nothing that happened so far lets any iteration under way count as fruitless.
void spoil(ThreadSpin& s) noexcept {
  for (unsigned i = 0; i < s.loops; ++i) {
    s.loop[i].effects = true;
    s.loop[i].first_read = 0;
  }
  s.reads = 0;
  stop_logging(s);
}

/// Makes room by giving up on the iterations of outer loops.
bool make_room(ThreadSpin& s) noexcept {
  if (s.loops == 0) {
    s.reads = 0;
    return false;
  }
  Loop& inner = s.loop[s.loops - 1];
  const unsigned first = inner.first_read;
  if (first == 0) return false;
  for (unsigned i = 0; i + 1 < s.loops; ++i) {
    s.loop[i].effects = true;
    s.loop[i].first_read = 0;
  }
  s.reads = static_cast<std::uint16_t>(s.reads - first);
  for (unsigned i = 0; i < s.reads; ++i) s.read[i] = s.read[i + first];
  inner.first_read = 0;
  return true;
}

void log_read(ThreadSpin& s, const void* location, std::size_t size) noexcept {
  if (s.loops == 0) return;  // before any loop
  const auto* at = static_cast<const char*>(location);
  while (size > 0) {
    const unsigned part = size < 8 ? static_cast<unsigned>(size) : 8;
    const std::uint64_t value = value_at(*world().current, at, part);
    const unsigned first = s.loop[s.loops - 1].first_read;
    bool known = false;
    for (unsigned i = first; i < s.reads && !known; ++i)
      known = s.read[i].location == at && s.read[i].size == part && s.read[i].value == value;
    if (!known) {
      if (s.reads == kMostReads && !make_room(s)) return spoil(s);
      s.read[s.reads++] = {at, value, static_cast<std::uint8_t>(part)};
    }
    at += part;
    size -= part;
  }
}

/// An iteration with visible operations should be recognised the first time, also when there are plain reads among them: a host that counts
/// executions counts it as one more otherwise. Those before the first visible one are not worth the time of all loops that have none.
void log_from_here(ThreadSpin& s) noexcept {
  if (s.loops == 0 || s.logging != 0 || world().plain_is_visible) return;
  look_what_was_touched(s);
  Loop& loop = s.loop[s.loops - 1];
  if (loop.touched || loop.effects) return;
  start_logging(s, loop);
  loop.all_seen = true;
}

void begin_iteration(ThreadSpin& s, Loop& loop, std::uint64_t state) noexcept {
  const Thread& self = *world().current;
  loop.state = state;
  loop.touched = false;
  loop.steps = self.steps;
  loop.known_steps = s.known_steps;
  loop.idle_steps = s.idle_steps;
  loop.first_read = s.reads;
  loop.effects = false;
  loop.first_at = not_yet;
  loop.all_seen = s.logging != 0 || world().plain_is_visible;
  if (&loop == &s.loop[0]) loop.first_read = s.reads = 0;
  world().current->iteration_begins = true;
  if (s.noted == &loop) s.noted = nullptr;
}

Patience& patience_with(ThreadSpin& s, std::uint64_t loop) noexcept {
  Patience& p = s.patience[loop % kRemembered];
  if (p.loop != loop) p = {loop, 0, 0};
  return p;
}

const Read* changed(const Thread& thread) noexcept {
  const ThreadSpin& s = *thread.spin;
  for (unsigned i = s.watched; i < s.reads; ++i)
    if (value_at(thread, s.read[i].location, s.read[i].size) != s.read[i].value) return &s.read[i];
  return nullptr;
}

bool may_go_on(const Thread& thread) noexcept {
  const ThreadSpin& s = *thread.spin;
  return thread.has_signals || (s.cancellable && cancel_due(thread)) || changed(thread) != nullptr;
}

/// What the user knows the location by. Our own state (who holds a lock) stands in the arena, at addresses that differ between runs.
std::uint64_t known_address(const void* location) noexcept {
  const auto at = reinterpret_cast<std::uint64_t>(location);
  return at - TREADLE_AT_ARENA < TREADLE_ARENA_BYTES ? object_behind(location) : at;
}

/// What the iteration does is known from its note and from the events of its reads.
bool is_noted(const ThreadSpin& s, const Loop& loop) noexcept {
  return s.noted == &loop && (loop.name & 1) != 0 && (!loop.touched || world().plain_is_visible);
}

bool never(const Thread&) noexcept { return false; }

/// What was asked for has led nowhere: the others go on first. Who looks at something else than memory (who holds a lock) is not stopped:
/// whether that is for ever can only be seen.
void note_in_vain(const ThreadSpin& s, const Loop& loop, std::uint64_t steps) noexcept {
  World& w = world();
  if (w.current->id != w.asked_thread || (w.in_vain == 0 && loop.first_at >= w.asked_steps)) return;
  for (unsigned i = s.watched; i < s.reads; ++i)
    if (reinterpret_cast<std::uint64_t>(s.read[i].location) - TREADLE_AT_ARENA < TREADLE_ARENA_BYTES) return;
  w.in_vain = static_cast<std::uint32_t>(steps);
  w.since_in_vain = 0;
}

void block(ThreadSpin& s, const Loop& loop, std::uint64_t pc) noexcept {
  const std::uint64_t steps = world().current->steps - loop.steps;
  s.watched = loop.first_read;
  s.cancellable = s.idle_steps != loop.idle_steps;
  Pending what;
  what.kind = TREADLE_EV_SPIN;
  what.pc = pc;
  what.address = s.watched < s.reads ? known_address(s.read[s.watched].location) : 0;
  what.extra = s.reads - s.watched;
  what.enabled = may_go_on;
  what.awaits = Awaits::Nothing;
  const TreadleJob& job = *world().job;
  if ((job.flags & TREADLE_SPINS_BLOCK) != 0 && loop.first_at < job.decision_count) {
    what.enabled = never;
    if (steps == 1 && loop.first_at + 1 == job.decision_count) {  // the prefix led here: there is nothing more to see
      world().current->pending = what;
      end_execution(TREADLE_END_STOPPED, world().step, 0, 0, pc);
    }
  }
  note_in_vain(s, loop, steps);
  step(what);
  ++s.known_steps;
  if (const Read* why = changed(*world().current)) what.address = known_address(why->location);
  if (!is_noted(s, loop)) record(TREADLE_EV_ITERATION, 0, 0, 0, pc);
  record(TREADLE_EV_SPIN, what.address, steps, what.extra, pc);
}

void leave_loops(ThreadSpin& s, unsigned left) noexcept {
  s.loops = static_cast<std::uint16_t>(left);
  if (s.logging > left) stop_logging(s);
}

/// The frame of the caller: one activation of a function, as long as it runs.
Loop* find_loop(ThreadSpin& s, std::uint64_t name, std::uint64_t stack) noexcept {
  while (s.loops > 0) {
    Loop& top = s.loop[s.loops - 1];
    if (top.name == name && top.stack == stack) return &top;
    bool below = false;
    for (unsigned i = 0; i + 1 < s.loops && !below; ++i) below = s.loop[i].name == name && s.loop[i].stack == stack;
    if (!below) return nullptr;
    leave_loops(s, s.loops - 1);
  }
  return nullptr;
}

void lose(Patience& patience) noexcept {
  patience.wait = patience.wait == 0 ? 1 : patience.wait < 1024 ? patience.wait * 2 : 1024;
  patience.left = patience.wait;
}

/// How often the first iteration of this loop was logged in vain.
Patience& patience_with_first(ThreadSpin& s, std::uint64_t loop) noexcept { return patience_with(s, ~loop); }

bool is_worth_logging_at_once(ThreadSpin& s, std::uint64_t loop) noexcept {
  if ((loop & 2) == 0 || s.logging != 0 || world().plain_is_visible) return false;
  Patience& patience = patience_with_first(s, loop);
  if (patience.left == 0) return true;
  --patience.left;
  return false;
}

void enter(ThreadSpin& s, std::uint64_t name, std::uint64_t stack, std::uint64_t state, std::uint64_t from_outside) noexcept {
  // Activations further down the stack than the caller have returned, and so has an earlier round of this very loop.
  unsigned left = s.loops;
  while (left > 0 && s.loop[left - 1].stack < stack) --left;
  for (unsigned i = 0; i < left; ++i)
    if (s.loop[i].name == name && s.loop[i].stack == stack) left = i;
  leave_loops(s, left);
  if (s.loops == kMostLoops) {
    stop_logging(s);
    for (unsigned i = 1; i < kMostLoops; ++i) s.loop[i - 1] = s.loop[i];
    --s.loops;
    s.noted = nullptr;
  }
  Loop& loop = s.loop[s.loops++];
  loop.name = name;
  loop.stack = stack;
  loop.from_outside = from_outside;
  loop.at_once = is_worth_logging_at_once(s, name);
  if (loop.at_once) start_logging(s, loop);
  begin_iteration(s, loop, state);
  loop.was_logged = false;
}

/// All that is read in it was read at one time, and would be read again.
bool is_still_so(ThreadSpin& s, const Loop& loop) noexcept {
  s.watched = loop.first_read;
  const std::uint32_t looks = s.known_steps - loop.known_steps - (s.idle_steps - loop.idle_steps);
  return looks == 1 && changed(*world().current) == nullptr;
}

enum class Counts : bool { No, Yes };

/// Of a loop that counts: whether it led nowhere and would go on to do so, if nobody else moved. One that does not waits for that.
bool go_round(ThreadSpin& s, Loop& loop, std::uint64_t state, Counts counts, std::uint64_t pc) noexcept {
  const Thread& self = *world().current;
  if (__builtin_expect(loop.state != state && s.logging == 0 && !loop.was_logged && !loop.at_once, 1)) {
    begin_iteration(s, loop, state);  // it gets somewhere
    return false;
  }
  const bool same = loop.state == state && !loop.effects && self.steps - loop.steps == s.known_steps - loop.known_steps;
  const bool complete = loop.all_seen || !loop.touched;
  Patience& patience = patience_with(s, loop.name);
  const bool leads_nowhere = same && complete;
  const bool gives_up = counts == Counts::Yes && leads_nowhere && is_still_so(s, loop);
  if (leads_nowhere) {
    if (counts == Counts::No) block(s, loop, pc);
  } else if (loop.was_logged) {  // and it does write, or gets somewhere
    lose(patience);
  } else if (loop.at_once) {
    lose(patience_with_first(s, loop.name));
  }
  if (s.logging == &loop - s.loop + 1) stop_logging(s);
  // The host leaves an iteration that led nowhere out of its schedules: the one behind it must be recognised as that one was.
  const bool log_next = leads_nowhere ? loop.was_logged || loop.at_once : same && !complete && patience.left == 0;
  if (same && !complete && patience.left > 0) --patience.left;
  if (log_next) start_logging(s, loop);
  begin_iteration(s, loop, state);
  loop.was_logged = log_next;
  loop.at_once = false;
  return gives_up;
}

/// False: nothing is known of the loop.
bool goes_round(std::uint64_t loop, std::uint64_t stack, std::uint64_t state, Counts counts, std::uint64_t pc) noexcept {
  if (!active() || world().current->spin == nullptr) return false;
  ThreadSpin& s = *world().current->spin;
  look_what_was_touched(s);
  Loop* const known = find_loop(s, loop, stack);
  return known != nullptr && go_round(s, *known, state, counts, pc);
}

}  // namespace

void stop_in_vain(std::uint64_t pc) noexcept { end_execution(TREADLE_END_STOPPED, world().step, 0, 1, pc); }

void spin_tell_iteration(std::uint64_t pc) noexcept {
  Thread& self = *world().current;
  World& w = world();
  const bool in_vain = w.in_vain != 0 && self.id == w.asked_thread;
  if (in_vain && w.since_in_vain == w.in_vain) stop_in_vain(pc);  // another round would be over by now
  self.iteration_begins = in_vain;                                // the next step is told here, too
  ThreadSpin& s = *self.spin;
  if (s.loops == 0 || (in_vain && w.since_in_vain++ > 0)) return;
  const Loop& loop = s.loop[s.loops - 1];
  s.noted = &loop;
  if ((loop.name & 1) == 0) return;
  const std::uint64_t start = (loop.state ^ loop.from_outside * 0x9e3779b97f4a7c15ull ^ self.name) * 0xbf58476d1ce4e5b9ull;
  record(TREADLE_EV_ITERATION, loop.name, start ^ start >> 31, loop.state != 0 ? 1 : 0, pc);
}

bool spin_stands_still(const Thread& thread) noexcept { return thread.pending.enabled == never && may_go_on(thread); }

bool spin_logs(const Thread& thread) noexcept { return thread.spin != nullptr && thread.spin->logging != 0; }

// A thread that has entered no loop yet has nothing to account for.
void spin_read(const void* location, std::size_t size) noexcept {
  if (!active() || world().current->spin == nullptr) return;
  ThreadSpin& s = *world().current->spin;
  ++s.known_steps;
  for (unsigned i = s.loops; i > 0 && s.loop[i - 1].first_at == not_yet; --i) s.loop[i - 1].first_at = world().step - 1;
  log_from_here(s);
  log_read(s, location, size);
}

void spin_idle() noexcept {
  if (!active() || world().current->spin == nullptr) return;
  ++world().current->spin->known_steps;
  ++world().current->spin->idle_steps;
}

void spin_wrote() noexcept {
  if (!active() || world().current->spin == nullptr) return;
  ThreadSpin& s = *world().current->spin;
  ++s.known_steps;
  spoil(s);
}

void spin_plain_read(const void* location, std::size_t size) noexcept {
  ThreadSpin& s = mine();
  if (++s.logged > kMostLogged) return spoil(s);
  log_read(s, location, size);
}

void spin_plain_wrote() noexcept {
  if (world().current->spin != nullptr) spoil(*world().current->spin);
}

}  // namespace treadle

using namespace treadle;

// The caller's frame is told by where its return address lies, which is the same for all calls from one activation.
extern "C" void __treadle_loop_enter(std::uint64_t loop, std::uint64_t state, std::uint64_t from_outside) noexcept {
  if (!active()) return;
  look_what_was_touched(mine());
  enter(mine(), loop, reinterpret_cast<std::uint64_t>(__builtin_frame_address(0)), state, from_outside);
}

extern "C" void __treadle_loop(std::uint64_t loop, std::uint64_t state) noexcept {
  goes_round(loop, reinterpret_cast<std::uint64_t>(__builtin_frame_address(0)), state, Counts::No, TREADLE_PC());
}

extern "C" std::uint32_t __treadle_loop_polls(std::uint64_t loop, std::uint64_t state) noexcept {
  return goes_round(loop, reinterpret_cast<std::uint64_t>(__builtin_frame_address(0)), state, Counts::Yes, TREADLE_PC()) ? 1 : 0;
}
