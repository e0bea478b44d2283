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
  Standstill(const Trace& trace, TraceModel& model, const LockSets& locks) : trace_(trace), model_(model), units_(model.units()) {
    for (UnitId u = 0; u < units_.all.size(); ++u) {
      const Unit& unit = units_.all[u];
      if (unit.is_flush || unit.left_out || unit.before == nothing || unit.event == nothing || !model.waits(u)) continue;
      waits_.push_back(u);
      const bool joins = unit.kind == TREADLE_EV_THREAD_JOIN;
      if (!is_lock(unit.kind) && (!joins || locks.at(unit.event) != 0)) places_[trace.events[unit.event].pc].push_back(u);
    }
  }

  Predictions predict(const KeepAsking& keep_asking) {
    Predictions out;
    out.coverage.limits = model_.limits();
    if (places_.empty() && std::ranges::none_of(trace_.pending, joins)) return out;
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
      if (known_.insert(found.events).second) out.found.push_back(std::move(found));
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
        stops_at_[pending.pc].push_back(waits);  // it may hold what the others wait for
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

  Prediction prediction_of(std::uint64_t pc, Reply reply) const {
    Prediction out;
    out.kind = PredictionKind::Deadlock;
    for (const UnitId u : waits_)
      if (model_.came_true(stops_.at(u)) && !model_.came_true(model_.happens(u))) out.events.push_back(units_.all[u].event);
    out.pc = pc;
    out.units = std::move(reply.units);
    out.decisions = std::move(reply.decisions);
    out.inputs = std::move(reply.inputs);
    return out;
  }

  const Trace& trace_;
  TraceModel& model_;
  const Units& units_;
  std::vector<UnitId> waits_;
  std::map<std::uint64_t, std::vector<UnitId>> places_;  // by pc: waits for something else than locks
  std::map<UnitId, Truth> stops_;
  std::map<std::uint64_t, std::vector<Truth>> stops_at_;  // by pc: the same, and those who joined when the trace ended
  Truth still_{false};
  std::set<std::vector<std::uint32_t>> known_;
};

}  // namespace

Predictions predict_standstill(const Trace& trace, TraceModel& model, const LockSets& locks, const KeepAsking& keep_asking) {
  return Standstill(trace, model, locks).predict(keep_asking);
}

}  // namespace treadle
