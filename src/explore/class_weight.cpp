// SPDX-License-Identifier: Apache-2.0
#include "explore/class_weight.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "trace/happens_before.h"
#include "trace/spin_iterations.h"

namespace treadle {
namespace {

constexpr double nothing = -INFINITY;

std::span<const Decision> alternatives_at(const Trace& trace, std::uint32_t choice) {
  return std::span(trace.alternatives).subspan(trace.choices[choice].first_alternative, trace.choices[choice].alternatives);
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

}  // namespace

double ClassWeight::of(const Trace& trace) {
  order_.take_in(trace, 0, none, 0);
  lay_out(trace);
  chances_.begin(trace);
  const double log = log_weight(trace);
  learn(trace);
  return std::exp2(log);
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
  loop_.assign(256, 0);
  for (std::uint32_t e = 0; e < trace.events.size(); ++e) {
    const Event& event = trace.events[e];
    if (event.step >= steps_.size()) break;
    const auto kind = static_cast<EventKind>(event.kind);
    Step& step = steps_[event.step];
    std::uint64_t& loop = loop_[event.thread];
    const bool own = made_by(trace, event.step, event.thread);
    if (own && step.event == none && (reads_one_value(kind) || kind == TREADLE_EV_SPIN)) {
      step.event = e;
      step.iteration = loop;
      step.goes_round = iteration_ended_by(trace, event).has_value();
    }
    if (kind == TREADLE_EV_ITERATION)
      loop = event.value == 0 ? 0 : iteration_after(event.address, event.value, 1);
    else if (reads_one_value(kind) || kind == TREADLE_EV_SPIN)
      loop = 0;  // only iterations of a single read are passed over
  }
}

double ClassWeight::log_weight(const Trace& trace) {
  double log = 0;
  std::uint32_t last = static_cast<std::uint32_t>(steps_.size());  // what comes behind the last transition makes no difference
  while (last > 0 && steps_[last - 1].transition == none) --last;
  for (std::uint32_t c = 0; c < last && log != nothing; ++c) {
    log += log_ratio(trace, c);
    const Decision& taken = trace.choices[c].taken;
    if (taken.kind != DecisionKind::Flush) ++passed_[index_of(taken.thread)];
    if (steps_[c].transition != none && steps_[c].first) chances_.make_step(order_.transitions()[steps_[c].transition].slot);
  }
  return log;
}

/// Of r to p at this decision, as a logarithm.
double ClassWeight::log_ratio(const Trace& trace, std::uint32_t choice) {
  const auto alternatives = alternatives_at(trace, choice);
  const Step& step = steps_[choice];
  const auto all = static_cast<double>(alternatives.size());
  if (!step.first) return std::log2(all);  // in the midst of a transition
  double over = 0;
  bool taken_over = false;
  std::vector<char> not_ready(chances_.processes(), 0);
  for (const Decision& decision : alternatives) {
    if (!passed_over(trace, decision, choice)) continue;
    ++over;
    taken_over |= decision == trace.choices[choice].taken;
    const Process process = process_of(decision);
    for (const Transition& t : order_.transitions())
      if (t.action.process == process) {
        not_ready[t.slot] = 1;
        break;
      }
  }
  double sum = 0, own = 0;
  const std::uint32_t slot = step.transition == none ? none : order_.transitions()[step.transition].slot;
  for (std::uint32_t s = 0; s < chances_.processes(); ++s) {
    if (not_ready[s] || !chances_.is_next(s)) continue;
    const double gain = chances_.gain(s);
    sum += gain;
    if (s == slot) own = gain;
  }
  if (step.transition == none) return !taken_over ? nothing : sum > 0 ? 0 : std::log2(all / over);
  return own > 0 ? std::log2(own / sum * (all - over)) : nothing;
}

bool ClassWeight::passed_over(const Trace& trace, const Decision& decision, std::uint32_t choice) const {
  if (decision.kind == DecisionKind::Flush) return false;
  const auto& own = own_[index_of(decision.thread)];
  const std::size_t at = passed_[index_of(decision.thread)];
  if (at == own.size()) return false;
  return steps_[own[at]].goes_round || leads_nowhere(trace, choice, own[at]);
}

/// Would this step, taken now, be an iteration of a spin loop that is known to lead nowhere?
bool ClassWeight::leads_nowhere(const Trace& trace, std::uint32_t choice, std::uint32_t step) const {
  if (weak_ || steps_[step].event == none || steps_[step].iteration == 0) return false;
  const Event& reader = trace.events[steps_[step].event];
  // What is in memory now is what the next access finds there; the reader's own, if there is none before it.
  for (std::uint32_t e = 0; e <= steps_[step].event; ++e) {
    const Event& event = trace.events[e];
    if (event.step < choice || !(reads_memory(static_cast<EventKind>(event.kind)) || writes_memory(static_cast<EventKind>(event.kind))) ||
        !overlap(event, reader))
      continue;
    if (event.address != reader.address || event.size != reader.size) return false;
    const auto kind = static_cast<EventKind>(event.kind);
    const std::uint64_t value = reads_memory(kind) ? value_read(event) : event.extra;
    return known_.contains(iteration_after(steps_[step].iteration, reader.address, value));
  }
  return false;
}

void ClassWeight::learn(const Trace& trace) {
  const auto note = [&](const FruitlessIteration& iteration, std::uint64_t steps) {
    const Step& step = steps_[iteration.first];
    if (steps == 1 && step.event != none && step.iteration != 0) {
      const Event& event = trace.events[step.event];
      known_.insert(iteration_after(step.iteration, event.address, value_read(event)));
    }
  };
  for (const FruitlessIteration& iteration : all_fruitless_iterations(trace)) note(iteration, iteration.steps);
}

}  // namespace treadle
