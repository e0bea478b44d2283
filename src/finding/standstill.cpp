// SPDX-License-Identifier: Apache-2.0
// Nobody can go on. Told apart, in this order:
//   a ring of threads, each waiting for what the next one holds                                     deadlock
//   a thread in a loop that waits for a change nobody can make                                      livelock
//   a thread waits on a condition variable that was signalled when nobody waited on it yet (and
//   nobody waits for a lock that it holds)                                                          lost wake-up
//   everybody waits for something else                                                              deadlock
#include <algorithm>

#include "finding/evidence.h"
#include "finding/wait_for.h"
#include "trace/lost_signal.h"

namespace treadle {
namespace {

class Standstill {
 public:
  explicit Standstill(const Evidence& evidence) : evidence_(evidence), graph_(evidence.trace()) {}

  void diagnose(std::vector<Finding>& out) const {
    const auto cycles = graph_.cycles();
    for (const auto& cycle : cycles) out.push_back(ring(cycle));
    if (!cycles.empty()) return;
    if (evidence_.trace().end.ending == TREADLE_END_LIVELOCK) return out.push_back(everybody(FindingKind::Livelock, is_spin));
    for (const PendingOperation* waiter : graph_.blocked) {
      if (waiter->kind != TREADLE_EV_COND_WOKEN || is_waited_for(*waiter)) continue;
      const std::uint64_t signal = lost_signal(evidence_.trace().events, waiter->thread, waiter->address);
      if (signal != UINT64_MAX) return out.push_back(lost_wakeup(*waiter, signal));
    }
    out.push_back(everybody(FindingKind::Deadlock, is_no_join));
  }

 private:
  static bool is_spin(const PendingOperation& p) { return p.kind == TREADLE_EV_SPIN; }
  static bool is_no_join(const PendingOperation& p) { return p.kind != TREADLE_EV_THREAD_JOIN; }

  std::string who_holds(const PendingOperation& waiter) const {
    std::string names;
    for (const Wait& wait : graph_.waits) {
      if (wait.waiter != &waiter) continue;
      if (wait.for_thread == waiter.thread) return "which it holds already";
      if (names.find(evidence_.thread(wait.for_thread)) != std::string::npos) continue;
      names += (names.empty() ? "held by " : " and ") + evidence_.thread(wait.for_thread);
    }
    return names;
  }

  /// "waits for mutex `b`, held by 0.2"
  std::string waiting(const PendingOperation& waiter) const {
    const std::string object = "`" + evidence_.names().object_of(waiter) + "`";
    switch (waiter.kind) {
      case TREADLE_EV_LOCK:
      case TREADLE_EV_TIMEDLOCK:
        return held("waits for mutex " + object, waiter);
      case TREADLE_EV_SPIN_LOCK:
        return held("waits for spinlock " + object, waiter);
      case TREADLE_EV_RDLOCK:
      case TREADLE_EV_TIMEDRDLOCK:
        return held("waits to read-lock " + object, waiter);
      case TREADLE_EV_WRLOCK:
      case TREADLE_EV_TIMEDWRLOCK:
        return held("waits to write-lock " + object, waiter);
      case TREADLE_EV_ONCE_BEGIN:
        return held("waits for the initialiser of " + object, waiter, "run by ");
      case TREADLE_EV_THREAD_JOIN:
        return "waits for the end of " + evidence_.names().object_of(waiter);
      case TREADLE_EV_COND_WOKEN:
        return "waits on condition variable " + object;
      case TREADLE_EV_BARRIER_LEAVE:
      case TREADLE_EV_BARRIER_ARRIVE:
        return "waits at barrier " + object;
      case TREADLE_EV_SEM_WAIT:
      case TREADLE_EV_SEM_TIMEDWAIT:
        return "waits for semaphore " + object;
      case TREADLE_EV_FUTEX_WOKEN:
      case TREADLE_EV_FUTEX_WAIT:
        return "waits for a change of " + object;
      case TREADLE_EV_SPIN:
        return "loops until " + object + " changes";
      case TREADLE_EV_FD_READ:
        return "waits for input on " + evidence_.names().object_of(waiter);
      case TREADLE_EV_FD_WRITE:
        return "waits to write to " + evidence_.names().object_of(waiter);
      default:
        return "is blocked in " + std::string(text_of(waiter.kind)) + (waiter.address == 0 ? "" : " " + object);
    }
  }

  std::string held(std::string wait, const PendingOperation& waiter, const std::string& by = "held by ") const {
    std::string holders = who_holds(waiter);
    if (holders.empty()) return wait;
    if (holders.starts_with("held by ")) holders.replace(0, 8, by);
    return wait + ", " + holders;
  }

  /// "holds `a` since bank.c:12"
  std::string holdings(ThreadId thread) const {
    std::string text;
    for (const Held& h : graph_.held) {
      if (h.thread != thread) continue;
      text += (text.empty() ? "holds " : " and ") + evidence_.object(h.object, h.event) + " since " +
              text_of(user_frame(evidence_.at_event(h.event).stack));
    }
    return text;
  }

  Part part_of(const PendingOperation& waiter) const {
    Part part;
    part.thread = evidence_.thread(waiter.thread);
    part.does = waiting(waiter);
    part.also = holdings(waiter.thread);
    part.where = evidence_.at_pending(waiter).stack;
    part.event = UINT64_MAX;
    return part;
  }

  Finding ring(const std::vector<Wait>& cycle) const {
    std::string message;
    std::vector<Part> parts;
    std::vector<std::string> keys;
    for (const Wait& wait : cycle) {
      message += (message.empty() ? "deadlock: " : "; ") + evidence_.thread(wait.waiter->thread) + " " + waiting(*wait.waiter);
      parts.push_back(part_of(*wait.waiter));
      keys.push_back("waits " + key_of(evidence_.at_pending(*wait.waiter)));
      if (wait.taken_by != UINT64_MAX) keys.push_back("holds " + key_of(evidence_.at_event(wait.taken_by)));
    }
    return make_finding(FindingKind::Deadlock, message, evidence_.at_pending(*cycle.front().waiter), parts, keys);
  }

  /// Threads that merely wait for others to end are told, but are not what tells one such bug from another.
  Finding everybody(FindingKind kind, bool (*tells)(const PendingOperation&)) const {
    std::string message;
    std::vector<Part> parts;
    std::vector<std::string> keys, all_keys;
    const PendingOperation* first = nullptr;
    for (const PendingOperation* waiter : graph_.blocked) {
      message += (message.empty() ? "" : "; ") + evidence_.thread(waiter->thread) + " " + waiting(*waiter);
      parts.push_back(part_of(*waiter));
      all_keys.push_back(key_of(evidence_.at_pending(*waiter)));
      if (!tells(*waiter)) continue;
      keys.push_back(all_keys.back());
      if (first == nullptr) first = waiter;
    }
    if (first == nullptr && !graph_.blocked.empty()) first = graph_.blocked.front();
    const Position where = first == nullptr ? evidence_.at_end() : evidence_.at_pending(*first);
    message = (kind == FindingKind::Livelock ? "livelock: nobody can end the waiting loop: " : "deadlock: everybody waits: ") + message;
    return make_finding(kind, message, where, parts, keys.empty() ? all_keys : keys);
  }

  /// Somebody waits for a lock of this waiter's: the signal may well be behind that lock, so that the lock is to blame.
  bool is_waited_for(const PendingOperation& waiter) const {
    return std::any_of(graph_.waits.begin(), graph_.waits.end(),
                       [&](const Wait& w) { return w.for_thread == waiter.thread && waits_for_holder(w.waiter->kind); });
  }

  Finding lost_wakeup(const PendingOperation& waiter, std::uint64_t signal) const {
    const Event& event = evidence_.trace().events[signal];
    const std::string condition = evidence_.object(waiter.address);
    const Position wait = evidence_.at_pending(waiter), sent = evidence_.at_event(signal);
    std::vector<Part> parts{part_of(waiter)};
    Part sender;
    sender.thread = evidence_.thread(event);
    sender.does =
        std::string(event.kind == TREADLE_EV_COND_SIGNAL ? "signals " : "broadcasts ") + condition + " when nobody waits on it yet";
    sender.where = sent.stack;
    sender.event = signal;
    parts.push_back(sender);
    for (const PendingOperation* other : graph_.blocked)
      if (other != &waiter) parts.push_back(part_of(*other));
    return make_finding(FindingKind::LostWakeup,
                        "lost wake-up: " + evidence_.thread(waiter.thread) + " waits for ever on condition variable " + condition +
                            ", which " + sender.thread + " signalled before, at " + text_of(user_frame(sent.stack)) +
                            ", when nobody waited on it",
                        wait, parts, {"waits " + key_of(wait), "signals " + key_of(sent)});
  }

  const Evidence& evidence_;
  WaitForGraph graph_;
};

}  // namespace

void diagnose_standstill(const Evidence& evidence, std::vector<Finding>& out) { Standstill(evidence).diagnose(out); }

std::vector<std::uint64_t> events_of_standstill(const Trace& trace) {
  std::vector<std::uint64_t> events;
  const WaitForGraph graph(trace);
  for (const auto& cycle : graph.cycles())
    for (const Wait& wait : cycle)
      if (wait.taken_by != UINT64_MAX) events.push_back(wait.taken_by);
  if (!events.empty()) return events;
  for (std::uint64_t i = trace.events.size(); i-- > 0;)
    if (is_signal(trace.events[i]) && trace.events[i].value == 0) return {i};
  for (const Held& held : graph.held) events.push_back(held.event);
  return events;
}

}  // namespace treadle
