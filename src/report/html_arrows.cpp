// SPDX-License-Identifier: Apache-2.0
#include "report/html_arrows.h"

#include <algorithm>
#include <cerrno>
#include <optional>
#include <unordered_map>

namespace treadle {
namespace {

constexpr unsigned kConsume = 1, kRelease = 3;  // C11 orders: acquire is between them, acq_rel and seq_cst are above

bool acquires(const Event& event) {
  const unsigned order = event.order & 7;
  return event.kind >= TREADLE_EV_ATOMIC_READ && order >= kConsume && order != kRelease;
}

bool releases(const Event& event) { return event.kind >= TREADLE_EV_ATOMIC_READ && (event.order & 7) >= kRelease; }

bool succeeded(const Event& event) { return event.extra == 0 || event.extra == EOWNERDEAD; }

/// Remembers the last event that let others go on, by object and by thread.
class Synchronisation {
 public:
  /// The event that `number` had to wait for, were it too early.
  std::optional<std::uint64_t> before(const Event& event, const ReadsFrom& reads_from, const Trace& trace, std::uint64_t number) const {
    switch (event.kind) {
      case TREADLE_EV_THREAD_START:
        return last(created_, event.thread);
      case TREADLE_EV_THREAD_JOIN:
        return event.extra == 0 ? last(ended_, event.value) : std::nullopt;
      case TREADLE_EV_LOCK:
      case TREADLE_EV_TRYLOCK:
      case TREADLE_EV_TIMEDLOCK:
      case TREADLE_EV_RDLOCK:
      case TREADLE_EV_WRLOCK:
      case TREADLE_EV_TRYRDLOCK:
      case TREADLE_EV_TRYWRLOCK:
      case TREADLE_EV_TIMEDRDLOCK:
      case TREADLE_EV_TIMEDWRLOCK:
      case TREADLE_EV_SPIN_LOCK:
      case TREADLE_EV_SPIN_TRYLOCK:
      case TREADLE_EV_SEM_WAIT:
      case TREADLE_EV_SEM_TRYWAIT:
      case TREADLE_EV_SEM_TIMEDWAIT:
        return succeeded(event) ? last(released_, event.address) : std::nullopt;
      case TREADLE_EV_ONCE_BEGIN:
        return event.value == 0 ? last(released_, event.address) : std::nullopt;
      case TREADLE_EV_BARRIER_LEAVE:
        return last(released_, event.address);
      case TREADLE_EV_EXCLUSIVE_BEGIN:
        return exclusive_;
      case TREADLE_EV_COND_WOKEN:
        return event.extra == 0 ? woken_by(event) : std::nullopt;
      case TREADLE_EV_FUTEX_WOKEN:
        return event.value != 0 && event.value <= number ? std::optional(event.value - 1) : std::nullopt;
      default:
        return reads_memory(static_cast<EventKind>(event.kind)) && acquires(event) ? written_for(reads_from, trace, number) : std::nullopt;
    }
  }

  void take_in(const Event& event, std::uint64_t number) {
    switch (event.kind) {
      case TREADLE_EV_THREAD_CREATE:
        created_[event.value] = number;
        break;
      case TREADLE_EV_THREAD_EXIT:
        ended_[event.thread] = number;
        break;
      case TREADLE_EV_UNLOCK:
      case TREADLE_EV_RWUNLOCK:
      case TREADLE_EV_SPIN_UNLOCK:
      case TREADLE_EV_SEM_POST:
      case TREADLE_EV_ONCE_END:
      case TREADLE_EV_BARRIER_ARRIVE:
        released_[event.address] = number;
        break;
      case TREADLE_EV_COND_WAIT:  // gives the mutex back
        released_[event.value] = number;
        break;
      case TREADLE_EV_COND_SIGNAL:
        if (event.value != 0) signalled_[event.value - 1] = number;
        break;
      case TREADLE_EV_COND_BROADCAST:
        broadcast_[event.address] = number;
        break;
      case TREADLE_EV_EXCLUSIVE_END:
        exclusive_ = number;
        break;
      default:
        break;
    }
  }

 private:
  using Last = std::unordered_map<std::uint64_t, std::uint64_t>;

  static std::optional<std::uint64_t> last(const Last& events, std::uint64_t key) {
    const auto found = events.find(key);
    return found == events.end() ? std::nullopt : std::optional(found->second);
  }

  /// The later of the signal that was meant for it and the broadcast that was meant for all.
  std::optional<std::uint64_t> woken_by(const Event& event) const {
    const auto signal = last(signalled_, event.thread), broadcast = last(broadcast_, event.address);
    return signal && broadcast ? std::max(signal, broadcast) : signal ? signal : broadcast;
  }

  static std::optional<std::uint64_t> written_for(const ReadsFrom& reads_from, const Trace& trace, std::uint64_t number) {
    const Source source = reads_from.of(number);
    return source.kind == Source::Kind::Write && releases(trace.events[source.event]) ? std::optional(source.event) : std::nullopt;
  }

  Last created_, ended_, released_, signalled_, broadcast_;
  std::optional<std::uint64_t> exclusive_;
};

}  // namespace

std::vector<Arrow> synchronisation_arrows(const Trace& trace, const ReadsFrom& reads_from) {
  std::vector<Arrow> arrows;
  Synchronisation known;
  for (std::uint64_t i = 0; i < trace.events.size(); ++i) {
    const Event& event = trace.events[i];
    const auto from = known.before(event, reads_from, trace, i);
    if (from && trace.events[*from].thread != event.thread) arrows.push_back({*from, i});
    known.take_in(event, i);
  }
  return arrows;
}

}  // namespace treadle
