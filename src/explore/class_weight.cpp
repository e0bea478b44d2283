// SPDX-License-Identifier: Apache-2.0
#include "explore/class_weight.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "abi/probe.h"
#include "trace/happens_before.h"
#include "trace/spin_iterations.h"

namespace treadle {
namespace {

constexpr double nothing = -INFINITY;

std::span<const Decision> alternatives_at(const Trace& trace, std::uint32_t choice) {
  return std::span(trace.alternatives).subspan(trace.choices[choice].first_alternative, trace.choices[choice].alternatives);
}

double weight_of(const Decision& d) { return d.kind == DecisionKind::Step ? std::ldexp(1.0, d.argument) : 1; }

double weight_of_all(const Trace& trace, std::uint32_t choice) {
  double sum = 0;
  for (const Decision& d : alternatives_at(trace, choice)) sum += weight_of(d);
  return sum;
}

bool reads_one_value(EventKind kind) {
  switch (kind) {
    case TREADLE_EV_READ:
    case TREADLE_EV_ATOMIC_READ:
    case TREADLE_EV_CAS_FAIL:
    case TREADLE_EV_CAS_OK:
    case TREADLE_EV_RMW:
      return true;
    default:
      return false;
  }
}

bool reads_nothing(EventKind kind) { return kind == TREADLE_EV_YIELD || kind == TREADLE_EV_FENCE; }

std::uint64_t after_step(std::uint64_t iteration, const Event& event) {
  if (reads_nothing(static_cast<EventKind>(event.kind))) return iteration_after(iteration, 1, 1);
  return iteration_after(iteration, event.address, value_read(event));
}

bool accesses_memory(const Event& event) {
  return reads_memory(static_cast<EventKind>(event.kind)) || writes_memory(static_cast<EventKind>(event.kind));
}

/// What an access found in memory.
std::uint64_t value_found(const Event& event) { return reads_memory(static_cast<EventKind>(event.kind)) ? value_read(event) : event.extra; }

}  // namespace

void make_probe(Schedule& schedule, std::uint64_t seed) {
  schedule.policy = Policy::Pct;
  schedule.pct_depth = TREADLE_PROBE_DEPTH;
  schedule.seed = seed;
}

double probability_of(const Trace& trace, std::uint32_t choice) {
  return weight_of(trace.choices[choice].taken) / weight_of_all(trace, choice);
}

void without_favours(Trace& probe) {
  const auto clear = [](Decision& d) {
    if (d.kind == DecisionKind::Step) d.argument = 0;
  };
  for (Choice& choice : probe.choices) clear(choice.taken);
  for (Decision& d : probe.alternatives) clear(d);
}

double schedules_behind(const Trace& trace) {
  double log = 0;
  for (std::uint32_t c = 0; c < trace.choices.size(); ++c) log -= std::log2(probability_of(trace, c));
  return std::exp2(log);
}

ClassWeight::Weight ClassWeight::of(const Trace& trace) {
  order_.take_in(trace, 0, none, 0);
  lay_out(trace);
  chances_.begin(trace);
  const Weight log = log_weight(trace);
  if (!weak_) learn(trace);
  return {std::exp2(log.exact), std::exp2(log.rough)};
}

void ClassWeight::lay_out(const Trace& trace) {
  steps_.assign(trace.choices.size(), {});
  own_.assign(256, {});
  passed_.assign(256, 0);
  for (std::uint32_t c = 0; c < trace.choices.size(); ++c)
    if (trace.choices[c].taken.kind != DecisionKind::Flush) own_[index_of(trace.choices[c].taken.thread)].push_back(c);
  const auto transitions = order_.transitions();
  for (std::uint32_t t = 0; t < transitions.size(); ++t)
    for (std::uint32_t n = 0; n <= transitions[t].action.more_decisions.size(); ++n) {
      steps_[transitions[t].choice + n].transition = t;
      steps_[transitions[t].choice + n].first = n == 0;
    }
  lay_out_events(trace);
}

void ClassWeight::lay_out_events(const Trace& trace) {
  struct Loop {
    std::uint64_t iteration = 0;
    bool fresh = false;
  };
  std::vector<Loop> loops(256);
  for (std::uint32_t e = 0; e < trace.events.size(); ++e) {
    const Event& event = trace.events[e];
    if (event.step >= steps_.size()) break;
    const auto kind = static_cast<EventKind>(event.kind);
    Loop& loop = loops[event.thread];
    const bool read = reads_one_value(kind), idle = reads_nothing(kind);
    if (kind == TREADLE_EV_ITERATION) {
      loop = {event.value == 0 ? 0 : iteration_after(event.address, event.value, 1), true};
      continue;
    }
    Step& step = steps_[event.step];
    if (made_by(trace, event.step, event.thread) && step.event == none && (read || idle || kind == TREADLE_EV_SPIN)) {
      step = {step.transition, e, loop.iteration, loop.fresh, iteration_ended_by(trace, event).has_value(), step.first};
      if (loop.iteration != 0 && (read || idle)) loop = {after_step(loop.iteration, event), false};
    }
    if (kind == TREADLE_EV_SPIN || (!read && !idle && is_visible(kind, Races::Stop) && kind != TREADLE_EV_FLUSH)) loop = {};
  }
}

ClassWeight::Weight ClassWeight::log_weight(const Trace& trace) {
  Weight log;
  auto last = static_cast<std::uint32_t>(steps_.size());  // what comes behind the last transition makes no difference
  while (last > 0 && steps_[last - 1].transition == none) --last;
  for (std::uint32_t c = 0; c < last;) {
    const Step& step = steps_[c];
    std::uint32_t steps = 1;
    if (!step.first) {  // in the midst of a transition
      log.exact -= std::log2(probability_of(trace, c));
      log.rough -= std::log2(probability_of(trace, c));
    } else {
      if (step.transition != none) log.rough += rough_log_share(trace, c);
      const Inserted inserted = log.exact == nothing ? Inserted{} : what_may_be_inserted(trace, c);
      if (inserted.taken != (step.transition == none)) log.exact = nothing;
      if (log.exact != nothing) log.exact += log_share(trace, c, inserted.chance);
      if (step.transition == none) steps = std::max(inserted.steps, 1u);
      for (std::uint32_t i = 1; i < steps; ++i)  // the walk's chance of going on is that of beginning, as a rule
        log.exact -= std::log2(probability_of(trace, c + i) * weight_of_all(trace, c));
    }
    if (step.transition != none && step.first) chances_.make_step(order_.transitions()[step.transition].slot);
    for (const std::uint32_t end = c + steps; c < end; ++c)
      if (trace.choices[c].taken.kind != DecisionKind::Flush) ++passed_[index_of(trace.choices[c].taken.thread)];
  }
  return log;
}

/// As if nothing could be inserted.
double ClassWeight::rough_log_share(const Trace& trace, std::uint32_t choice) const {
  double sum = 0;
  for (std::uint32_t s = 0; s < chances_.processes(); ++s)
    if (chances_.is_next(s)) sum += chances_.gain(s);
  const double own = chances_.gain(order_.transitions()[steps_[choice].transition].slot);
  return own > 0 ? std::log2(own / sum / probability_of(trace, choice)) : nothing;
}

/// r / p of the decision, as a logarithm: of a step of the class, or of what is inserted there.
double ClassWeight::log_share(const Trace& trace, std::uint32_t choice, double inserted) {
  double sum = 0, own = 0;
  const std::uint32_t t = steps_[choice].transition;
  for (std::uint32_t s = 0; s < chances_.processes(); ++s) {
    if (not_ready_[s] || !chances_.is_next(s)) continue;
    const double gain = chances_.gain(s);
    sum += gain;
    if (t != none && s == order_.transitions()[t].slot) own = gain;
  }
  if (t == none) return sum > 0 ? 0 : -std::log2(inserted);
  return own > 0 && inserted < 1 ? std::log2(own / sum * (1 - inserted) / probability_of(trace, choice)) : nothing;
}

ClassWeight::Inserted ClassWeight::what_may_be_inserted(const Trace& trace, std::uint32_t choice) {
  Inserted all;
  not_ready_.assign(chances_.processes(), 0);
  const double each = 1 / weight_of_all(trace, choice);  // reads, and going round, have the weight 1
  for (const Decision& decision : alternatives_at(trace, choice)) {
    if (decision.kind != DecisionKind::Step) continue;
    const auto& own = own_[index_of(decision.thread)];
    const std::size_t at = passed_[index_of(decision.thread)];
    if (at == own.size()) continue;
    const Step& next = steps_[own[at]];
    const std::uint32_t steps = next.goes_round ? 1 : steps_to_nowhere(trace, choice, own[at]);
    if (steps == 0) continue;
    all.chance += std::pow(each, steps);
    if (next.goes_round || steps == 1)
      for (const Transition& t : order_.transitions())
        if (t.action.process == process_of(decision)) {
          not_ready_[t.slot] = 1;
          break;
        }
    if (decision != trace.choices[choice].taken || !(next.goes_round || is_left_out(trace, choice, steps))) continue;
    all.taken = true;
    all.steps = steps;
  }
  return all;
}

/// If the thread of this step made it now, and nobody else moved: after how many steps would it be known to have gone round in vain? 0: it
/// would not.
std::uint32_t ClassWeight::steps_to_nowhere(const Trace& trace, std::uint32_t choice, std::uint32_t step) const {
  if (weak_ || steps_[step].event == none || steps_[step].iteration == 0 || !steps_[step].begins) return 0;
  constexpr std::uint32_t most = 1;
  std::uint64_t iteration = steps_[step].iteration;
  for (std::uint32_t n = 1; n <= most; ++n) {
    const auto next = known_.next(iteration);
    if (!next) return 0;
    if (next->size == 0) {
      iteration = iteration_after(iteration, 1, 1);
    } else {
      const auto value = value_at(trace, choice, next->address, next->size);
      if (!value) return 0;
      iteration = iteration_after(iteration, next->address, *value);
    }
    if (known_.leads_nowhere(iteration)) return n;
  }
  return 0;
}

/// What is in memory there is what the next access of the class finds, or the last one left; only what belongs to the class may tell.
std::optional<std::uint64_t> ClassWeight::value_at(const Trace& trace, std::uint32_t choice, std::uint64_t address,
                                                   std::uint8_t size) const {
  const Event* before = nullptr;
  for (const Event& event : trace.events) {
    if (event.step >= steps_.size() || steps_[event.step].transition == none || !accesses_memory(event)) continue;
    if (event.address + bytes_of(event) <= address || address + size <= event.address) continue;
    const bool same = event.address == address && event.size == size;
    if (event.step >= choice) return same ? std::optional(value_found(event)) : std::nullopt;
    before = &event;
  }
  if (before == nullptr) return known_.at_first(address, size);
  if (before->address != address || before->size != size) return std::nullopt;
  return writes_memory(static_cast<EventKind>(before->kind)) ? value_written(*before) : value_read(*before);
}

/// So many decisions from there on are the same thread's and no part of the class.
bool ClassWeight::is_left_out(const Trace& trace, std::uint32_t choice, std::uint32_t steps) const {
  if (choice + steps > steps_.size()) return false;
  for (std::uint32_t c = choice; c < choice + steps; ++c)
    if (steps_[c].transition != none || steps_[c].goes_round || !made_by(trace, c, index_of(trace.choices[choice].taken.thread)))
      return false;
  return true;
}

void ClassWeight::learn(const Trace& trace) {
  for (const FruitlessIteration& iteration : all_fruitless_iterations(trace)) {
    if (!steps_[iteration.first].begins || steps_[iteration.first].iteration == 0) continue;
    std::uint64_t at = steps_[iteration.first].iteration, left = iteration.steps;
    for (std::uint32_t c = iteration.first; c <= iteration.last && left > 0; ++c) {
      if (!made_by(trace, c, iteration.thread)) continue;
      const Step& step = steps_[c];
      if (step.event == none || step.iteration != at) break;
      const Event& event = trace.events[step.event];
      known_.goes_on_with(at, {event.address, reads_nothing(static_cast<EventKind>(event.kind)) ? std::uint8_t{0} : event.size});
      at = after_step(at, event);
      if (--left == 0) known_.led_nowhere(at);
    }
  }
  std::vector<std::pair<std::uint64_t, std::uint64_t>> seen;  // ranges
  for (const Event& event : trace.events) {
    if (!accesses_memory(event)) continue;
    const std::uint64_t from = event.address, until = from + bytes_of(event);
    const bool again = std::ranges::any_of(seen, [&](const auto& range) { return range.first < until && from < range.second; });
    if (!again && bytes_of(event) == event.size && event.size <= 8) known_.held(event.address, event.size, value_found(event));
    if (!again) seen.emplace_back(from, until);
  }
}

}  // namespace treadle
