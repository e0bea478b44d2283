// SPDX-License-Identifier: Apache-2.0
#include "solve/units.h"

#include <algorithm>
#include <array>

#include "solve/unit_parts.h"
#include "trace/happens_before.h"
#include "trace/marked_decisions.h"
#include "trace/spin_iterations.h"
#include "trace/store_buffers.h"

namespace treadle {
namespace {

bool is_sync(EventKind kind) {
  switch (kind) {
    case TREADLE_EV_ATOMIC_READ:
    case TREADLE_EV_ATOMIC_WRITE:
    case TREADLE_EV_RMW:
    case TREADLE_EV_CAS_OK:
    case TREADLE_EV_CAS_FAIL:
    case TREADLE_EV_FENCE:
    case TREADLE_EV_FLUSH:
      return false;
    case TREADLE_EV_MUTEX_INIT:
    case TREADLE_EV_RWLOCK_INIT:
    case TREADLE_EV_COND_INIT:
    case TREADLE_EV_BARRIER_INIT:
    case TREADLE_EV_SEM_INIT:
    case TREADLE_EV_SPIN_INIT:
      return true;
    default:
      return is_visible(kind, Races::Stop);
  }
}

/// Why an event has no model; null: it has one, or needs none.
const char* no_model(const Event& event) {
  switch (static_cast<EventKind>(event.kind)) {
    case TREADLE_EV_THREAD_CANCEL:
    case TREADLE_EV_TEST_CANCEL:
      return event.kind == TREADLE_EV_TEST_CANCEL && event.value == 0 ? nullptr : "cancellation";
    case TREADLE_EV_SIGNAL_THREAD:  // while nobody sends any, nothing comes of a look
      return event.size == TREADLE_SIGNAL_OF_PROCESS && event.extra == 0 ? nullptr : "signals";
    case TREADLE_EV_FD_READ:
    case TREADLE_EV_FD_WRITE:
    case TREADLE_EV_FD_POLL:
    case TREADLE_EV_FD_CLOSE:
      return "operations on file descriptors";
    case TREADLE_EV_CLOCK:
      return "reading the clock";
    case TREADLE_EV_ATOMIC_READ:
    case TREADLE_EV_ATOMIC_WRITE:
    case TREADLE_EV_RMW:
    case TREADLE_EV_CAS_OK:
    case TREADLE_EV_CAS_FAIL:
      return event.size > 8 ? "an atomic of 16 bytes" : nullptr;
    case TREADLE_EV_OPAQUE_ASM:
      return "inline assembly";
    case TREADLE_EV_SPIN:
      return event.value == 0 ? "a loop that spins on plain memory" : nullptr;
    case TREADLE_EV_FENCE:
      return event.extra == 1 ? "uninstrumented code that runs while stores are on their way" : nullptr;
    case TREADLE_EV_THREAD_JOIN:
      return event.extra != 0 || event.size == 1 ? "a join that fails or need not wait" : nullptr;
    case TREADLE_EV_MISUSE:
      switch (event.value) {
        case TREADLE_MISUSE_NOT_DESTROYED:
        case TREADLE_MISUSE_MAIN_LEFT_EARLY:
        case TREADLE_MISUSE_EXIT_HOLDING_LOCK:
        case TREADLE_MISUSE_THREAD_NOT_JOINED:
        case TREADLE_MISUSE_RELOCK:
          return nullptr;
        default:
          return "misuse of synchronisation objects";
      }
    default:
      return nullptr;
  }
}

bool closes_section(const Trace& trace, std::uint32_t first, std::uint32_t end) {
  return std::any_of(trace.events.begin() + first, trace.events.begin() + end,
                     [](const Event& e) { return e.kind == TREADLE_EV_EXCLUSIVE_END && e.value == 0; });
}

class Builder {
 public:
  Builder(const Trace& trace, MemoryModel model, Races races) : trace_(trace), model_(model), races_(races) {}

  Units build() {
    units_.unit_of.assign(trace_.events.size(), nothing);
    last_.fill(nothing);
    const std::vector<std::uint32_t> iterations = fruitless_iterations(trace_);
    std::uint32_t event = 0, choice = 0;
    while (choice < decisions_made(trace_) && !only_fails(choice, event)) add_unit(choice, event, iterations[choice]);
    let_others_go_first_ = only_fails(choice, event);
    if (let_others_go_first_) ++choice, ++event;
    add_missing_flushes();  // what is only thought of may have to wait for them
    while (choice < trace_.choices.size()) add_unit(choice, event, iterations[choice]);
    if (!units_.all.empty() && ended_early()) mark_end();
    order_units(trace_, model_, units_);
    find_accesses(trace_, races_, units_);
    return std::move(units_);
  }

 private:
  void add_unit(std::uint32_t& choice, std::uint32_t& event, std::uint32_t iteration) {
    const auto id = static_cast<UnitId>(units_.all.size());
    Unit unit;
    const Decision first = trace_.choices[choice].taken;
    unit.thread = first.thread;
    unit.is_flush = first.kind == DecisionKind::Flush;
    unit.left_out = iteration != 0;
    unit.choice = choice;
    const std::uint32_t first_event = event;
    do {
      unit.decisions.push_back(trace_.choices[choice].taken);
      for (; event < trace_.events.size() && trace_.events[event].step <= choice; ++event) take_in(id, unit, event);
      ++choice;
    } while (unit.kind == TREADLE_EV_EXCLUSIVE_BEGIN && !closes_section(trace_, first_event, event) && choice < trace_.choices.size() &&
             trace_.choices[choice].taken.thread == unit.thread && trace_.choices[choice].taken.kind != DecisionKind::Flush);
    if (unit.kind == TREADLE_EV_EXCLUSIVE_BEGIN && choice < trace_.choices.size() && !closes_section(trace_, first_event, event))
      tell_unmodelled(units_, id, "an atomic section that has to wait");
    if (!unit.is_flush) follow(unit, id, iteration);
    if (unit.is_flush) {
      const std::uint64_t store = unit.event == nothing ? nothing : trace_.events[unit.event].extra;
      if (store < trace_.events.size()) unit.partner = units_.unit_of[store];
      if (unit.partner != nothing) units_.all[unit.partner].partner = id;
      if (unit.partner == nothing) tell_unmodelled(units_, id, "a store whose origin is not known");
    }
    units_.all.push_back(std::move(unit));
  }

  void take_in(UnitId id, Unit& unit, std::uint32_t event) {
    const Event& e = trace_.events[event];
    units_.unit_of[event] = id;
    const auto kind = static_cast<EventKind>(e.kind);
    if (unit.event == nothing && is_visible(kind, races_)) {
      unit.event = event;
      unit.kind = kind;
      const bool goes_past = passes_buffers(e) || mark_of(trace_.choices[unit.choice]) == Mark::Plain;
      unit.drains = model_ != MemoryModel::Sc && !unit.is_flush && !goes_past;
    }
    if (is_sync(kind)) unit.syncs.push_back(event);
    if (const char* why = unit.left_out ? nullptr : no_model(e)) tell_unmodelled(units_, id, why);
  }

  /// Where on its thread's way the unit stands: iterations that are left out begin where the thread was before them.
  void follow(Unit& unit, UnitId id, std::uint32_t iteration) {
    const unsigned thread = index_of(unit.thread);
    unit.before = last_[thread];
    if (iteration == 0) {
      last_[thread] = id;
      branch_of_[thread] = 0;
      return;
    }
    if (branch_of_[thread] == iteration) unit.before = branch_last_[thread];
    branch_of_[thread] = iteration;
    branch_last_[thread] = id;
  }

  bool ended_early() const {
    const bool exits = std::any_of(trace_.events.rbegin(), trace_.events.rend(), [](const Event& e) { return e.kind == TREADLE_EV_EXIT; });
    switch (trace_.end.ending) {
      case TREADLE_END_COMPLETED:
        return exits;
      case TREADLE_END_DEADLOCK:
      case TREADLE_END_LIVELOCK:
      case TREADLE_END_STOPPED:
      case TREADLE_END_STEP_LIMIT:
      case TREADLE_END_OFF_THE_PATH:
        return false;
      default:
        return true;
    }
  }

  void mark_end() {
    const std::size_t made = decisions_made(trace_);
    for (const PendingOperation& pending : trace_.pending)
      if (const UnitId own = last_[index_of(pending.thread)]; pending.kind == TREADLE_EV_FAIL && own != nothing)
        units_.all[own].ends = true;
    if (let_others_go_first_) {
      units_.all[last_[index_of(trace_.end.thread)]].ends = true;
      return;
    }
    for (std::size_t u = units_.all.size(); u-- > 0;)
      if (!units_.all[u].is_flush && units_.all[u].choice < made) {
        units_.all[u].ends = true;
        return;
      }
  }

  /// A step that is no unit: that its thread fails was decided in the one before.
  bool only_fails(std::uint32_t choice, std::uint32_t event) const {
    if (event == trace_.events.size()) return false;
    const Event& e = trace_.events[event];
    return e.kind == TREADLE_EV_FAIL && e.step == choice && last_[e.thread] != nothing;
  }

  void add_missing_flushes() {
    if (model_ == MemoryModel::Sc) return;
    for (UnitId u = 0, made = static_cast<UnitId>(units_.all.size()); u < made; ++u) {
      const Unit& store = units_.all[u];
      if (store.is_flush || store.partner != nothing || store.event == nothing) continue;
      const Event& event = trace_.events[store.event];
      if (!is_buffered(event) || !writes_memory(static_cast<EventKind>(event.kind))) continue;
      Unit flush;
      flush.thread = store.thread;
      flush.is_flush = true;
      flush.left_out = store.left_out;
      flush.kind = TREADLE_EV_FLUSH;
      flush.partner = u;
      units_.all[u].partner = static_cast<UnitId>(units_.all.size());
      units_.all.push_back(std::move(flush));
    }
  }

  const Trace& trace_;
  MemoryModel model_;
  Races races_;
  Units units_;
  bool let_others_go_first_ = false;  // the thread that failed
  std::array<UnitId, 256> last_{};
  std::array<UnitId, 256> branch_last_{};
  std::array<std::uint32_t, 256> branch_of_{};
};

}  // namespace

void tell_unmodelled(Units& units, UnitId unit, std::string why) {
  if (!units.unmodelled || unit < units.unmodelled->unit) units.unmodelled = Unmodelled{unit, std::move(why)};
}

std::vector<std::uint32_t> fruitless_iterations(const Trace& trace) {
  std::vector<std::uint32_t> number(trace.choices.size(), 0);
  const std::vector<FruitlessIteration> all = all_fruitless_iterations(trace);
  for (std::uint32_t i = 0; i < all.size(); ++i)
    for (std::uint32_t c = all[i].first; c <= all[i].last; ++c)
      if (made_by(trace, c, all[i].thread)) number[c] = i + 1;
  for (std::uint32_t c = 0; c < number.size(); ++c)
    if (mark_of(trace.choices[c]) == Mark::PutAside) number[c] = nothing;
  return number;
}

Units units_of(const Trace& trace, MemoryModel model, Races races) { return Builder(trace, model, races).build(); }

}  // namespace treadle
