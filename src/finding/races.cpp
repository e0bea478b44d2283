// SPDX-License-Identifier: Apache-2.0
#include "finding/evidence.h"
#include "trace/happens_before.h"

namespace treadle {
namespace {

/// RACE.extra, taken apart.
struct Race {
  explicit Race(const Event& event)
      : earlier_writes((event.extra & TREADLE_RACE_EARLIER_WRITES) != 0),
        later_writes((event.extra & TREADLE_RACE_LATER_WRITES) != 0),
        earlier_atomic((event.extra & TREADLE_RACE_EARLIER_ATOMIC) != 0),
        later_atomic((event.extra & TREADLE_RACE_LATER_ATOMIC) != 0),
        earlier_thread{static_cast<std::uint8_t>(event.extra >> 8)},
        earlier_size(event.extra >> 16),
        earlier_pc(event.value) {}
  bool earlier_writes, later_writes, earlier_atomic, later_atomic;
  ThreadId earlier_thread;
  std::uint64_t earlier_size, earlier_pc;
};

bool is_access(const Event& event) {
  return reads_memory(static_cast<EventKind>(event.kind)) || writes_memory(static_cast<EventKind>(event.kind));
}

bool is_plain(const Event& event) {
  return event.kind == TREADLE_EV_READ || event.kind == TREADLE_EV_WRITE || event.kind == TREADLE_EV_RANGE_READ ||
         event.kind == TREADLE_EV_RANGE_WRITE;
}

/// The access of the later thread, which stands next to the RACE event when plain accesses are recorded.
std::uint64_t later_access(const Trace& trace, std::uint64_t race) {
  const Event& event = trace.events[race];
  const auto is_it = [&](const Event& e) { return e.thread == event.thread && e.pc == event.pc && is_access(e) && overlap(e, event); };
  for (std::uint64_t i = race + 1; i < trace.events.size() && trace.events[i].step == event.step; ++i)
    if (is_it(trace.events[i])) return i;
  for (std::uint64_t i = race; i-- > 0 && trace.events[i].step == event.step;)
    if (is_it(trace.events[i])) return i;
  return UINT64_MAX;
}

/// The runtime keeps one place for all that a thread did to eight bytes at one time: the last one, which may be about a neighbour. Where
/// plain accesses are recorded, the trace knows better.
std::uint64_t earlier_access(const Trace& trace, std::uint64_t number) {
  const Event& event = trace.events[number];
  const Race race(event);
  const auto is_it = [&](const Event& e) {
    return e.thread == index_of(race.earlier_thread) && overlap(e, event) &&
           (race.earlier_writes ? writes_memory(static_cast<EventKind>(e.kind)) : reads_memory(static_cast<EventKind>(e.kind)));
  };
  std::uint64_t elsewhere = UINT64_MAX;
  for (std::uint64_t i = number; i-- > 0;) {
    const Event& e = trace.events[i];
    if (!is_it(e)) continue;
    if (e.pc == race.earlier_pc) return i;
    if (elsewhere == UINT64_MAX && is_plain(e) != race.earlier_atomic) elsewhere = i;
  }
  return elsewhere;
}

std::string access_text(bool writes, bool atomic, std::uint64_t size, const std::string& object) {
  std::string text = std::string(atomic ? "atomically " : "") + (writes ? "writes " : "reads ");
  return size == 0 ? text + object : text + std::to_string(size) + (size == 1 ? " byte of " : " bytes of ") + object;
}

}  // namespace

void diagnose_race(const Evidence& evidence, std::uint64_t number, std::vector<Finding>& out) {
  const Trace& trace = evidence.trace();
  const Event& event = trace.events[number];
  const Race race(event);
  const std::uint64_t earlier = earlier_access(trace, number), later = later_access(trace, number);
  const std::string object = evidence.object(event.address, number);

  Part first;
  first.thread = evidence.thread(race.earlier_thread);
  const bool sized = earlier != UINT64_MAX && trace.events[earlier].size != 0;
  first.does = access_text(race.earlier_writes, race.earlier_atomic, sized ? trace.events[earlier].size : race.earlier_size, object);
  const Position was =
      earlier == UINT64_MAX ? evidence.at_pc(race.earlier_pc, evidence.names().at(event.address, number)) : evidence.at_event(earlier);
  first.where = was.stack;
  first.event = earlier;

  Part second;
  second.thread = evidence.thread(event);
  second.does = access_text(race.later_writes, race.later_atomic, event.size, object);
  const Position is = evidence.at_event(number);
  if (const std::uint64_t made = evidence.names().allocation_of(event.address, number); made != UINT64_MAX)
    second.also = "in a block of " + std::to_string(trace.events[made].value) + " bytes that " + evidence.thread(trace.events[made]) +
                  " allocated at " + text_of(user_frame(evidence.at_event(made).stack));
  second.where = is.stack;
  second.event = later == UINT64_MAX ? number : later;

  out.push_back(make_finding(FindingKind::DataRace,
                             "data race on " + object + ": " + second.thread + " " + (race.later_writes ? "writes" : "reads") + " it at " +
                                 text_of(user_frame(is.stack)) + ", not ordered with the " + (race.earlier_writes ? "write" : "read") +
                                 " by " + first.thread + " at " + text_of(user_frame(was.stack)),
                             is, {first, second}, {key_of(was), key_of(is)}));
}

std::vector<std::uint64_t> events_of_race(const Trace& trace, std::uint64_t number) {
  std::vector<std::uint64_t> events{number};
  if (const std::uint64_t earlier = earlier_access(trace, number); earlier != UINT64_MAX) events.push_back(earlier);
  return events;
}

}  // namespace treadle
