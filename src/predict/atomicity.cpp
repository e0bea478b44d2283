// SPDX-License-Identifier: Apache-2.0
#include "predict/atomicity.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "predict/held_back.h"
#include "predict/interference.h"
#include "predict/let_between.h"
#include "trace/happens_before.h"

namespace treadle {
namespace {

/// Of the unit's reads, those that the access depends on.
Target up_to(const TraceModel& model, std::uint32_t event) {
  const UnitId unit = model.units().unit_of[event];
  const auto& reads = model.units().all[unit].reads;
  return {unit, static_cast<std::uint32_t>(std::ranges::count_if(reads, [&](const UnitRead& r) { return r.event <= event; }))};
}

/// Guarded independence (Definition 2 of the seed), as far as the formula knows the values: the three accesses leave different ones. What
/// the remote write has overwritten is not among them; the replay tells.
void add_difference(const Trace& trace, TraceModel& model, const Triple& triple, std::vector<Truth>& wanted) {
  if (!same_bytes(trace, triple)) return;
  const bool remote_writes = writes_memory(static_cast<EventKind>(trace.events[triple.remote].kind));
  if (remote_writes) wanted.push_back(model.differ(triple.first, triple.remote, wanted));
  if (!remote_writes || !reads_memory(static_cast<EventKind>(trace.events[triple.last].kind)))
    wanted.push_back(model.differ(triple.remote, triple.last, wanted));
}

/// A part of the trace as it was, the remote access at its end: values are those of the trace.
std::optional<Reply> as_it_was(const Trace& trace, TraceModel& model, const Triple& triple) {
  const auto& units = model.units();
  if (!could_interfere(trace, triple, std::vector<char>(trace.events.size(), 0))) return std::nullopt;
  const UnitId ends[] = {units.unit_of[triple.remote], units.unit_of[triple.last]}, region[] = {units.unit_of[triple.first]};
  return model.ask_observed(ends, region);
}

/// Can the remote access come between? As the last step but one, whatever it reads there; or earlier, its thread going on as it did.
Reply come_between(const Trace& trace, TraceModel& model, const Triple& triple, bool values) {
  const auto& units = model.units();
  const UnitId first = units.unit_of[triple.first], remote = units.unit_of[triple.remote], last = units.unit_of[triple.last];
  if (first == nothing || remote == nothing || last == nothing || first == last) return {};
  if (model.must_precede(remote, first) || model.must_precede(last, remote)) return {};
  if (auto reply = as_it_was(trace, model, triple)) return *std::move(reply);
  std::vector<Truth> wanted{model.before(first, remote), model.before(remote, last)};
  if (values) add_difference(trace, model, triple, wanted);
  const Target both[] = {up_to(model, triple.remote), up_to(model, triple.last)};
  const UnitId before[] = {first};
  Reply reply = model.ask(wanted, both, before);
  if (reply.answer == Answer::Yes) return reply;
  const Target end[] = {both[1]};
  const UnitId two[] = {first, remote};
  Reply other = model.ask(wanted, end, two);
  return other.answer == Answer::No ? std::move(reply) : std::move(other);
}

Prediction prediction_of(const Trace& trace, const Triple& triple, Reply reply) {
  Prediction out;
  out.kind = PredictionKind::Atomicity;
  out.events = {triple.first, triple.remote, triple.last};
  out.pc = trace.events[triple.last].pc;
  out.units = std::move(reply.units);
  out.decisions = std::move(reply.decisions);
  return out;
}

/// Triples of the same places, of which a few are enough.
class Groups {
 public:
  Groups(const Trace& trace, std::uint32_t ways) : trace_(trace), ways_(ways) {}

  /// The number of its group; none: there are enough of that.
  std::optional<std::uint32_t> room_for(const Triple& triple) {
    const auto pc = [&](std::uint32_t event) { return trace_.events[event].pc; };
    const auto [entry, is_new] = known_.try_emplace({pc(triple.first), pc(triple.remote), pc(triple.last)}, Places{});
    Places& places = entry->second;
    if (is_new) places.number = static_cast<std::uint32_t>(known_.size());
    if (places.found == ways_) return std::nullopt;
    ++places.found;
    return places.number;
  }

 private:
  struct Places {
    std::uint32_t number = 0, found = 0;
  };
  const Trace& trace_;
  std::uint32_t ways_;
  std::map<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>, Places> known_;
};

}  // namespace

Predictions predict_atomicity(const Trace& trace, TraceModel& model, std::span<const Triple> candidates, TripleCounts& counts,
                              const KeepAsking& keep_asking, bool values, std::uint32_t ways) {
  Predictions out;
  out.coverage.complete = counts.left_out == 0;
  Groups groups(trace, ways);
  std::vector<char> answered(candidates.size(), 0);
  const auto take = [&](std::size_t number, const std::function<Reply()>& reply) {
    answered[number] = 1;
    ++out.coverage.questions;
    ++counts.real;
    if (const auto group = groups.room_for(candidates[number])) {
      out.found.push_back(prediction_of(trace, candidates[number], reply()));
      out.found.back().group = *group;
    }
  };
  if (const auto machine = model.machine()) {
    Interruptions interruptions(trace, model, *machine, values);
    HeldBack(interruptions).look_for(candidates, keep_asking, take);
    LetBetween(interruptions).look_for(candidates, answered, keep_asking, take);
  }
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (answered[i]) continue;
    if (!keep_asking()) return out.coverage.complete = false, out;
    Reply reply = come_between(trace, model, candidates[i], values);
    if (reply.answer == Answer::Yes) {
      take(i, [&] { return std::move(reply); });
      continue;
    }
    ++out.coverage.questions;
    if (reply.answer == Answer::Unknown) ++out.coverage.unanswered;
  }
  if (out.coverage.unanswered > 0) out.coverage.complete = false;
  out.coverage.limits = model.limits();
  return out;
}

}  // namespace treadle
