// SPDX-License-Identifier: Apache-2.0
#include "predict/standstill.h"

#include <algorithm>
#include <map>
#include <set>

namespace treadle {
namespace {

constexpr std::size_t most_waits = 600;  // of a trace; what all of them could wait for grows with the square

bool is_lock(EventKind kind) {
  switch (kind) {
    case TREADLE_EV_LOCK:
    case TREADLE_EV_SPIN_LOCK:
    case TREADLE_EV_RDLOCK:
    case TREADLE_EV_WRLOCK:
      return true;
    default:
      return false;
  }
}

bool joins(const PendingOperation& pending) { return pending.kind == TREADLE_EV_THREAD_JOIN && pending.extra > 0; }

class Standstill {
 public:
  Standstill(const Trace& trace, TraceModel& model, const LockSets& locks, std::span<const Spinning> spinning)
      : trace_(trace), model_(model), units_(model.units()), spinning_(spinning) {
    for (UnitId u = 0; u < units_.all.size(); ++u) {
      const Unit& unit = units_.all[u];
      if (unit.is_flush || unit.left_out || unit.before == nothing || unit.event == nothing || !model.waits(u)) continue;
      waits_.push_back(u);
      const bool joins = unit.kind == TREADLE_EV_THREAD_JOIN;
      if (spinning.empty() && !is_lock(unit.kind) && (!joins || locks.at(unit.event) != 0))
        places_[trace.events[unit.event].pc].push_back(u);
    }
  }

  Predictions predict(const KeepAsking& keep_asking) {
    Predictions out;
    out.coverage.limits = model_.limits();
    if (places_.empty() && spinning_.empty() && std::ranges::none_of(trace_.pending, joins)) return out;
    if (waits_.size() > most_waits || !everybody_stops()) return out.coverage.complete = waits_.size() <= most_waits, out;
    for (const auto& [pc, units] : places_)
      for (const UnitId u : units) stops_at_[pc].push_back(stops_.at(u));
    for (auto& [pc, somebody] : stops_at_) {
      if (!keep_asking()) return out.coverage.complete = false, out;
      ++out.coverage.questions;
      const Truth here = model_.open();
      somebody.push_back(~here);
      model_.clause(somebody);
      const Truth wanted[] = {still_, here};
      Reply reply = model_.ask(wanted, {}, {}, {}, TraceModel::Needs::Everything);
      if (reply.answer == Answer::Unknown) ++out.coverage.unanswered;
      if (reply.answer != Answer::Yes) continue;
      Prediction found = prediction_of(pc, std::move(reply));
      if (known_.emplace(found.events, found.spinning).second) out.found.push_back(std::move(found));
    }
    if (out.coverage.unanswered > 0) out.coverage.complete = false;
    out.coverage.limits = model_.limits();
    return out;
  }

 private:
  /// Nobody goes on. False: somebody always can.
  bool everybody_stops() {
    std::map<unsigned, std::vector<Truth>> ways;  // by thread
    for (UnitId u = 0; u < units_.all.size(); ++u) {
      const Unit& unit = units_.all[u];
      if (!unit.is_flush) ways[index_of(unit.thread)];
      for (const std::uint32_t event : unit.syncs) {
        const Event& e = trace_.events[event];
        if (e.kind == TREADLE_EV_THREAD_EXIT) ways[e.thread].push_back(model_.happens(u));
        if (e.kind == TREADLE_EV_THREAD_CREATE) ways[static_cast<unsigned>(e.value)].push_back(~model_.happens(u));
      }
    }
    for (const UnitId u : waits_) {
      const Truth stops = model_.open();
      for (const Truth& needed : {model_.arrives(u), ~model_.reached(u), model_.is_stuck(u)}) model_.clause({~stops, needed});
      stops_.emplace(u, stops);
      ways[index_of(units_.all[u].thread)].push_back(stops);
    }
    for (const PendingOperation& pending : trace_.pending)
      if (joins(pending)) {
        const Truth waits = joins_in_vain(pending);
        ways[index_of(pending.thread)].push_back(waits);
        if (spinning_.empty()) stops_at_[pending.pc].push_back(waits);  // it may hold what the others wait for
      }
    for (const Spinning& one : spinning_) {
      const Truth spins = spins_for_ever(one);
      ways[one.thread].push_back(spins);
      stops_at_[one.pc].push_back(spins);
      spins_.push_back(spins);
    }
    still_ = model_.open();
    for (auto& [thread, all] : ways) {
      if (all.empty()) return false;
      all.push_back(~still_);
      model_.clause(all);
    }
    return true;
  }

  /// Who waited for the end of another thread when something else ended the trace: it comes there again, and the other one does not end.
  Truth joins_in_vain(const PendingOperation& pending) {
    const Truth waits = model_.open();
    UnitId last = nothing;
    for (UnitId u = 0; u < units_.all.size(); ++u) {
      const Unit& unit = units_.all[u];
      if (!unit.is_flush && !unit.left_out && unit.thread == pending.thread) last = u;
      for (const std::uint32_t event : unit.syncs)
        if (trace_.events[event].kind == TREADLE_EV_THREAD_EXIT && trace_.events[event].thread + 1u == pending.extra)
          model_.clause({~waits, ~model_.happens(u)});
    }
    if (last != nothing) model_.clause({~waits, model_.happens(last)});
    return waits;
  }

  bool is_of(UnitId u, const Spinning& one) const {
    const Unit& unit = units_.all[u];
    return index_of(unit.thread) == one.thread && !unit.is_flush && !unit.left_out && unit.choice != nothing && unit.choice >= one.first &&
           unit.choice < trace_.choices.size() && unit.event < one.behind;
  }

  /// The thread goes round as it did, and nobody writes later what it has read. Whoever goes round, too, leaves there what he found.
  Truth spins_for_ever(const Spinning& one) {
    const Truth spins = model_.open();
    bool goes_round = false;
    for (std::uint32_t n = 0; n < trace_.notes.size(); ++n) {
      const Note& note = trace_.notes[n];
      if (note.kind != TREADLE_NOTE_PIN || note.thread != one.thread || note.event != one.behind) continue;
      model_.clause({~spins, model_.passes(n)});
      goes_round = true;
    }
    const auto comes_before = [&](UnitId write, UnitId read) {
      const Unit& what = units_.all[write];
      if (what.is_flush && what.partner != nothing) model_.clause({~spins, ~model_.happens(what.partner), model_.happens(write)});
      model_.clause({~spins, ~model_.happens(write), model_.before(write, read)});
    };
    for (UnitId u = 0; u < units_.all.size(); ++u) {
      if (!is_of(u, one)) continue;
      model_.clause({~spins, model_.happens(u)});
      for (const UnitRead& read : units_.all[u].reads)
        for (UnitId w = 0; w < units_.all.size(); ++w) {
          const Unit& other = units_.all[w];
          if (other.thread == units_.all[u].thread || other.left_out) continue;
          if (std::ranges::any_of(spinning_, [&](const Spinning& too) { return is_of(w, too); })) continue;
          if (std::ranges::any_of(other.writes, [&](const UnitWrite& write) { return write.cell == read.cell; })) comes_before(w, u);
        }
    }
    return goes_round ? spins : Truth{false};
  }

  Prediction prediction_of(std::uint64_t pc, Reply reply) const {
    Prediction out;
    out.kind = PredictionKind::Deadlock;
    for (const UnitId u : waits_)
      if (model_.came_true(stops_.at(u)) && !model_.came_true(model_.happens(u))) out.events.push_back(units_.all[u].event);
    for (std::size_t i = 0; i < spinning_.size(); ++i)
      if (model_.came_true(spins_[i])) out.spinning.emplace_back(spinning_[i].thread, spinning_[i].pc);
    out.pc = pc;
    out.units = std::move(reply.units);
    out.decisions = std::move(reply.decisions);
    out.inputs = std::move(reply.inputs);
    return out;
  }

  const Trace& trace_;
  TraceModel& model_;
  const Units& units_;
  std::span<const Spinning> spinning_;
  std::vector<Truth> spins_;  // each of them, for ever
  std::vector<UnitId> waits_;
  std::map<std::uint64_t, std::vector<UnitId>> places_;  // by pc: waits for something else than locks
  std::map<UnitId, Truth> stops_;
  std::map<std::uint64_t, std::vector<Truth>> stops_at_;  // by pc: the same, and those who joined when the trace ended
  Truth still_{false};
  std::set<std::pair<std::vector<std::uint32_t>, std::vector<std::pair<std::uint32_t, std::uint64_t>>>> known_;
};

}  // namespace

Predictions predict_standstill(const Trace& trace, TraceModel& model, const LockSets& locks, const KeepAsking& keep_asking,
                               std::span<const Spinning> spinning) {
  return Standstill(trace, model, locks, spinning).predict(keep_asking);
}

}  // namespace treadle
