// SPDX-License-Identifier: Apache-2.0
#include "explore/run_order.h"

#include <algorithm>
#include <map>

#include "explore/partial_order.h"
#include "trace/happens_before.h"
#include "trace/store_buffers.h"

namespace treadle {
namespace {

bool is_made_by(const Decision& taken, const Decision& wanted) {
  return wanted.kind == DecisionKind::Any ? taken.thread == wanted.thread && taken.kind != DecisionKind::Flush : taken == wanted;
}

bool is_load(const Event& event) { return event.kind == TREADLE_EV_READ || event.kind == TREADLE_EV_ATOMIC_READ; }

/// What the threads have stored through their buffers.
class OwnStores {
 public:
  struct Store {
    std::uint64_t address, number;
    std::uint8_t size;
    bool in_memory;
  };

  void pass(const Event& event, std::uint64_t number) {
    auto& own = of_thread_[event.thread];
    if (event.kind == TREADLE_EV_FLUSH) {
      const auto store = std::ranges::find(own, event.extra, &Store::number);
      if (store != own.end()) store->in_memory = true;
    } else if (is_buffered(event) && writes_memory(static_cast<EventKind>(event.kind))) {
      own.push_back({event.address, number, event.size, false});
    }
  }

  /// All of it; null: none does.
  const Store* serves(const Event& load) const {
    const auto own = of_thread_.find(load.thread);
    if (own == of_thread_.end()) return nullptr;
    for (auto store = own->second.rbegin(); store != own->second.rend(); ++store)
      if (load.address < store->address + store->size && store->address < load.address + load.size)
        return store->address == load.address && store->size == load.size ? &*store : nullptr;
    return nullptr;
  }

 private:
  std::map<unsigned, std::vector<Store>> of_thread_;
};

/// Readers do not mind each other, but each is told how many there are.
class Readers {
 public:
  void count(Event& event) {
    switch (static_cast<EventKind>(event.kind)) {
      case TREADLE_EV_RDLOCK:
      case TREADLE_EV_TRYRDLOCK:
      case TREADLE_EV_TIMEDRDLOCK:
        if (event.extra == 0) event.value = ++readers_[event.address];
        return;
      case TREADLE_EV_RWUNLOCK:
        if (event.extra == 0 && readers_[event.address] > 0) event.value = --readers_[event.address];
        return;
      default:
        return;
    }
  }

 private:
  std::map<std::uint64_t, std::uint64_t> readers_;
};

}  // namespace

/// What could have been done instead. The thread that moves had the same ways to go on wherever it came; what the others could have done
/// there was recorded where the same steps had been made before, and elsewhere it is whatever they could do at that point of their ways.
class RunOrder::Alternatives {
 public:
  Alternatives(const RunOrder& order, const Trace& trace) : order_(order), trace_(trace), made_(256), done_(256) {
    for (std::uint32_t t = 0; t < order.steps_.size(); ++t) {
      for (const Decision& d : at(t)) note(d);
      pass(t, made_);
    }
  }

  /// Of transition t, made next.
  void add(std::uint32_t t, bool stands_as_it_stood, std::vector<Decision>& out) {
    const auto all = at(t);
    const ThreadId mover = trace_.choices[order_.steps_[t].choice].taken.thread;
    for (const Decision& d : all)
      if (stands_as_it_stood || d.thread == mover) out.push_back(d);
    if (stands_as_it_stood || all.empty()) return;
    for (unsigned thread = 0; thread < done_.size(); ++thread) {
      if (thread == index_of(mover)) continue;
      const auto seen = seen_.find({thread, done_[thread]});
      if (seen != seen_.end()) out.insert(out.end(), seen->second.begin(), seen->second.end());
    }
  }

  void pass(std::uint32_t t) { pass(t, done_); }

 private:
  using Counts = std::vector<std::uint32_t>;  // by thread: how many transitions, its store buffers' among them

  std::span<const Decision> at(std::uint32_t t) const {
    const Choice& choice = trace_.choices[order_.steps_[t].choice];
    return std::span(trace_.alternatives).subspan(choice.first_alternative, choice.alternatives);
  }
  void pass(std::uint32_t t, Counts& counts) const { ++counts[index_of(thread_of(order_.slots_[order_.steps_[t].slot]))]; }
  void note(const Decision& d) {
    auto& seen = seen_[{index_of(d.thread), made_[index_of(d.thread)]}];
    if (std::ranges::find(seen, d) == seen.end()) seen.push_back(d);
  }

  const RunOrder& order_;
  const Trace& trace_;
  Counts made_, done_;
  std::map<std::pair<unsigned, std::uint32_t>, std::vector<Decision>> seen_;
};

RunOrder::RunOrder(const Trace& trace, Races races, MemoryModel model) {
  FruitlessIterations fruitless;
  PartialOrder order(races, model, fruitless);
  // All of it is taken for the prefix: iterations that led nowhere are steps like others.
  order.take_in(trace, 0, 0, static_cast<std::uint32_t>(trace.choices.size()));
  const auto transitions = order.transitions();
  for (std::uint32_t t = 0; t < transitions.size(); ++t) {
    const Transition& from = transitions[t];
    const bool comes_last = t + 1 == transitions.size() && (from.action.ends || from.action.fails);
    const auto decisions = static_cast<std::uint32_t>(1 + from.action.more_decisions.size());
    steps_.push_back({from.choice, decisions, from.events_end, from.slot, from.count, comes_last});
    if (from.slot >= slots_.size()) slots_.resize(from.slot + 1);
    slots_[from.slot] = from.action.process;
  }
  of_slot_.resize(slots_.size());
  for (std::uint32_t t = 0; t < steps_.size(); ++t) {
    of_slot_[steps_[t].slot].push_back(t);
    const auto clock = order.clock(t).first(slots_.size());
    clocks_.insert(clocks_.end(), clock.begin(), clock.end());
  }
  if (model != MemoryModel::Sc) keep_buffers_in_order(trace);
}

/// A load finds what its own thread has stored last, be it still in the buffer or in memory: it may change places with the flush. Not where
/// it finds only some of its bytes there.
void RunOrder::keep_buffers_in_order(const Trace& trace) {
  OwnStores stores;
  std::map<unsigned, std::vector<std::pair<std::uint32_t, const Event*>>> of_thread;
  for (std::uint32_t t = 0; t < steps_.size(); ++t)
    for (std::uint32_t e = events_begin(t); e < steps_[t].events_end; ++e) {
      const Event& event = trace.events[e];
      stores.pass(event, e);
      const bool is_flush = event.kind == TREADLE_EV_FLUSH;
      if (!is_flush && (!is_load(event) || stores.serves(event) != nullptr)) continue;
      auto& earlier = of_thread[index_of(thread_of(slots_[steps_[t].slot]))];
      for (const auto& [s, other] : earlier)
        if ((other->kind == TREADLE_EV_FLUSH) != is_flush && overlap(*other, event)) own_stores_.emplace_back(t, s);
      earlier.emplace_back(t, &event);
    }
  std::ranges::sort(own_stores_);
}

std::optional<std::vector<std::uint32_t>> RunOrder::beginning_with(const Trace& trace, std::span<const Decision> prefix) const {
  if (steps_.empty() || steps_.back().choice + steps_.back().decisions != trace.choices.size()) return std::nullopt;
  std::vector<std::uint32_t> order, done(slots_.size(), 0);
  std::vector<char> made(steps_.size(), 0);
  const auto comes_after_what_was_made = [&](std::uint32_t t) {
    if (steps_[t].comes_last && order.size() + 1 < steps_.size()) return false;
    const std::uint32_t* clock = &clocks_[t * slots_.size()];
    for (std::size_t s = 0; s < slots_.size(); ++s)
      if (clock[s] > done[s] && s != steps_[t].slot) return false;
    for (auto own = std::ranges::lower_bound(own_stores_, std::pair(t, 0u)); own != own_stores_.end() && own->first == t; ++own)
      if (!made[own->second]) return false;
    return true;
  };
  for (std::size_t p = 0; p < prefix.size();) {
    const Process process = prefix[p].kind == DecisionKind::Any ? Process{index_of(prefix[p].thread)} : process_of(prefix[p]);
    const auto slot = static_cast<std::size_t>(std::ranges::find(slots_, process) - slots_.begin());
    if (slot == slots_.size() || done[slot] == of_slot_[slot].size()) return std::nullopt;
    const std::uint32_t t = of_slot_[slot][done[slot]];
    if (!comes_after_what_was_made(t)) return std::nullopt;
    for (std::uint32_t d = 0; d < steps_[t].decisions; ++d, ++p)
      if (p == prefix.size() || !is_made_by(trace.choices[steps_[t].choice + d].taken, prefix[p])) return std::nullopt;
    made[t] = 1;
    ++done[slot];
    order.push_back(t);
  }
  for (std::uint32_t t = 0; t < steps_.size(); ++t)
    if (!made[t]) order.push_back(t);
  return order;
}

std::optional<std::uint32_t> RunOrder::with_decision(std::uint32_t choice) const {
  const auto has_it = [&](const Step& step) { return choice - step.choice < step.decisions; };
  const auto step = std::ranges::find_if(steps_, has_it);
  if (step == steps_.end()) return std::nullopt;
  return static_cast<std::uint32_t>(step - steps_.begin());
}

std::vector<char> RunOrder::comes_after(const std::vector<char>& these) const {
  std::vector<char> after = these;
  std::vector<std::uint32_t> first(slots_.size(), UINT32_MAX);  // of each process, counted from 1
  for (std::uint32_t t = 0; t < steps_.size(); ++t) {
    const std::uint32_t* clock = &clocks_[t * slots_.size()];
    for (std::size_t s = 0; s < slots_.size(); ++s) after[t] |= clock[s] >= first[s];
    for (auto own = std::ranges::lower_bound(own_stores_, std::pair(t, 0u)); own != own_stores_.end() && own->first == t; ++own)
      after[t] |= after[own->second];
    if (after[t]) first[steps_[t].slot] = std::min(first[steps_[t].slot], steps_[t].count);
  }
  return after;
}

Trace RunOrder::reordered(const Trace& trace, std::span<const std::uint32_t> order) const {
  Trace out;
  out.threads = trace.threads;
  out.end = trace.end;
  out.pending = trace.pending;
  out.texts = trace.texts;
  out.inputs_used = trace.inputs_used;
  std::vector<std::uint64_t> number(trace.events.size());
  Alternatives alternatives(*this, trace);
  Readers readers;
  OwnStores stores;
  std::uint32_t furthest = 0;
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    const std::uint32_t t = order[i];
    const Step& step = steps_[t];
    const auto choice = static_cast<std::uint32_t>(out.choices.size());
    const bool stands_as_it_stood = t == i && furthest == i;  // the same steps come before it
    furthest = std::max(furthest, t + 1);
    const bool is_last = t + 1 == steps_.size();
    const std::uint32_t end = is_last ? static_cast<std::uint32_t>(trace.events.size()) : step.events_end;
    for (std::uint32_t e = events_begin(t); e < end; ++e) {
      number[e] = out.events.size();
      out.events.push_back(trace.events[e]);
      Event& event = out.events.back();
      event.step += choice - step.choice;
      readers.count(event);
      stores.pass(event, e);
      const auto* own = is_load(event) ? stores.serves(event) : nullptr;
      if (own != nullptr && own->in_memory) event.order &= static_cast<std::uint8_t>(~TREADLE_ORDER_BUFFERED);
      if (own != nullptr && !own->in_memory) event.order |= TREADLE_ORDER_BUFFERED;
    }
    for (std::uint32_t d = 0; d < step.decisions; ++d) {
      Choice made = trace.choices[step.choice + d];
      const auto all = std::span(trace.alternatives).subspan(made.first_alternative, made.alternatives);
      made.first_alternative = static_cast<std::uint32_t>(out.alternatives.size());
      if (d == 0)
        alternatives.add(t, stands_as_it_stood, out.alternatives);
      else
        out.alternatives.insert(out.alternatives.end(), all.begin(), all.end());
      made.alternatives = static_cast<std::uint32_t>(out.alternatives.size()) - made.first_alternative;
      out.choices.push_back(made);
    }
    alternatives.pass(t);
  }
  for (Event& event : out.events) {
    if (event.kind == TREADLE_EV_FLUSH && event.extra < number.size()) event.extra = number[event.extra];
    if (event.kind == TREADLE_EV_FUTEX_WOKEN && event.value > 0 && event.value <= number.size()) event.value = number[event.value - 1] + 1;
  }
  return out;
}

}  // namespace treadle
