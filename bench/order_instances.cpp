// SPDX-License-Identifier: Apache-2.0
#include "order_instances.h"

#include <algorithm>
#include <map>
#include <optional>
#include <random>

namespace treadle::bench {

namespace {

using Event = MadeUpTrace::Event;
using Kind = MadeUpTrace::Kind;

/// The encoding of DESIGN.md §6 in small: program order, locks, reads-from. Must-happen-before is program order here.
class Encoding {
 public:
  Encoding(const MadeUpTrace& trace, OrderSolver& solver) : trace_(trace), solver_(solver) {
    number_.resize(trace.events.size());
    std::vector<std::uint32_t> length(trace.threads, 0);
    for (std::uint32_t event = 0; event < trace.events.size(); ++event) number_[event] = length[trace.events[event].thread]++;
    writes_.resize(trace.variables);
    for (std::uint32_t event = 0; event < trace.events.size(); ++event) {
      if (trace.events[event].kind == Kind::Write) writes_[trace.events[event].object].push_back(event);
    }
  }

  void nodes_as_observed() {
    for (std::uint32_t event = 0; event < trace_.events.size(); ++event) nodes_.push_back(solver_.add_node());
    program_order();
  }

  void nodes_thread_by_thread() {
    nodes_.resize(trace_.events.size());
    for (std::uint32_t thread = 0; thread < trace_.threads; ++thread) {
      for (std::uint32_t event = 0; event < trace_.events.size(); ++event) {
        if (trace_.events[event].thread == thread) nodes_[event] = solver_.add_node();
      }
    }
    program_order();
  }

  void locks() {
    struct Section {
      std::uint32_t acquire;
      std::uint32_t release;
    };
    std::vector<std::vector<Section>> sections(trace_.locks);
    for (std::uint32_t event = 0; event < trace_.events.size(); ++event) {
      const Event& at = trace_.events[event];
      if (at.kind == Kind::Acquire) sections[at.object].push_back({event, event});
      if (at.kind == Kind::Release) sections[at.object].back().release = event;
    }
    for (const auto& of_lock : sections) {
      for (std::size_t i = 0; i < of_lock.size(); ++i) {
        for (std::size_t j = i + 1; j < of_lock.size(); ++j) {
          if (trace_.events[of_lock[i].acquire].thread == trace_.events[of_lock[j].acquire].thread) continue;
          clause({before(of_lock[i].release, of_lock[j].acquire), before(of_lock[j].release, of_lock[i].acquire)});
        }
      }
    }
  }

  /// A literal "read gets its value from this write", with all that it means for the order.
  std::optional<Literal> reads_from(std::uint32_t read, std::uint32_t write) {
    if (must(read, write)) return std::nullopt;
    const auto& writes = writes_[trace_.events[read].object];
    for (const std::uint32_t other : writes) {
      if (must(write, other) && must(other, read)) return std::nullopt;
    }
    const Literal chosen = solver_.add_literal();
    ++questions.candidates;
    if (!must(write, read)) clause({~chosen, before(write, read)});
    for (const std::uint32_t other : writes) {
      if (other == write || must(other, write) || must(read, other)) continue;
      std::vector<Literal> excluded{~chosen};
      if (!must(write, other)) excluded.push_back(before(other, write));
      if (!must(other, read)) excluded.push_back(before(read, other));
      clause(excluded);
    }
    return chosen;
  }

  /// No write at all precedes: the value is the initial one.
  std::optional<Literal> reads_initial(std::uint32_t read) {
    const auto& writes = writes_[trace_.events[read].object];
    for (const std::uint32_t other : writes) {
      if (must(other, read)) return std::nullopt;
    }
    const Literal chosen = solver_.add_literal();
    ++questions.candidates;
    for (const std::uint32_t other : writes) {
      if (!must(read, other)) clause({~chosen, before(read, other)});
    }
    return chosen;
  }

  const std::vector<std::uint32_t>& writes_to(std::uint32_t variable) const { return writes_[variable]; }

  void clause(const std::vector<Literal>& literals) {
    solver_.add_clause(literals);
    ++questions.clauses;
  }

  Questions questions;

 private:
  bool must(std::uint32_t a, std::uint32_t b) const {
    return trace_.events[a].thread == trace_.events[b].thread && number_[a] < number_[b];
  }
  Literal before(std::uint32_t a, std::uint32_t b) { return solver_.before(nodes_[a], nodes_[b]); }

  void program_order() {
    std::vector<std::optional<OrderNode>> last(trace_.threads);
    for (std::uint32_t event = 0; event < trace_.events.size(); ++event) {
      auto& before = last[trace_.events[event].thread];
      if (before) solver_.add_edge(*before, nodes_[event]);
      before = nodes_[event];
    }
  }

  const MadeUpTrace& trace_;
  OrderSolver& solver_;
  std::vector<OrderNode> nodes_;
  std::vector<std::uint32_t> number_;  // of the event in its thread
  std::vector<std::vector<std::uint32_t>> writes_;
};

/// Sources of a read by the value they give.
std::map<std::uint32_t, std::vector<std::pair<Literal, std::optional<std::uint32_t>>>> sources(Encoding& encoding, const MadeUpTrace& trace,
                                                                                               std::uint32_t read,
                                                                                               std::optional<std::uint32_t> only_value) {
  std::map<std::uint32_t, std::vector<std::pair<Literal, std::optional<std::uint32_t>>>> by_value;
  for (const std::uint32_t write : encoding.writes_to(trace.events[read].object)) {
    const std::uint32_t value = trace.events[write].value;
    if (only_value && *only_value != value) continue;
    if (const auto chosen = encoding.reads_from(read, write)) by_value[value].emplace_back(*chosen, write);
  }
  if (!only_value || *only_value == 0) {
    if (const auto chosen = encoding.reads_initial(read)) by_value[0].emplace_back(*chosen, std::nullopt);
  }
  return by_value;
}

}  // namespace

MadeUpTrace make_trace(std::uint32_t events, std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&](std::uint32_t bound) { return static_cast<std::uint32_t>(random() % bound); };
  MadeUpTrace trace{{}, 4, std::max(4u, events / 25), std::max(2u, events / 200)};
  std::vector<std::uint32_t> memory(trace.variables, 0);
  std::vector<std::optional<std::uint32_t>> held(trace.threads);
  std::vector<bool> taken(trace.locks, false);
  while (trace.events.size() < events) {
    const std::uint32_t thread = below(trace.threads);
    if (held[thread] && below(4) == 0) {
      trace.events.push_back({thread, Kind::Release, *held[thread], 0});
      taken[*held[thread]] = false;
      held[thread].reset();
    } else if (const std::uint32_t lock = below(trace.locks); !held[thread] && !taken[lock] && below(8) == 0) {
      trace.events.push_back({thread, Kind::Acquire, lock, 0});
      taken[lock] = true;
      held[thread] = lock;
    } else {
      const std::uint32_t variable = below(trace.variables);
      const bool is_write = below(2) == 0;
      if (is_write) memory[variable] = below(4);
      trace.events.push_back({thread, is_write ? Kind::Write : Kind::Read, variable, memory[variable]});
    }
  }
  for (std::uint32_t thread = 0; thread < trace.threads; ++thread) {
    if (held[thread]) trace.events.push_back({thread, Kind::Release, *held[thread], 0});
  }
  return trace;
}

MadeUpTrace make_racey(std::uint32_t iterations, std::uint32_t values, std::uint32_t seed) {
  std::mt19937 random(seed);
  MadeUpTrace trace{{}, 4, 8, 0};
  std::vector<std::uint32_t> memory(trace.variables, 0);
  std::vector<std::uint32_t> steps(trace.threads, 0);
  std::vector<std::uint32_t> held(trace.threads, 0);
  std::uint32_t left = trace.threads * iterations * 3;
  while (left > 0) {
    const auto thread = static_cast<std::uint32_t>(random() % trace.threads);
    if (steps[thread] == iterations * 3) continue;
    const auto cell = static_cast<std::uint32_t>(random() % trace.variables);
    const bool is_write = steps[thread]++ % 3 == 2;
    if (is_write) memory[cell] = (held[thread] * 5 + steps[thread] * 7 + thread) % values;
    if (!is_write) held[thread] += memory[cell];
    trace.events.push_back({thread, is_write ? Kind::Write : Kind::Read, cell, memory[cell]});
    --left;
  }
  return trace;
}

/// A read that counts keeps its value, and so do all before it in its thread and before the write it reads from.
Questions ask_for_other_values(const MadeUpTrace& trace, OrderSolver& solver) {
  Encoding encoding(trace, solver);
  encoding.nodes_as_observed();
  encoding.locks();
  std::vector<std::optional<Literal>> counts_before(trace.events.size());  // "the reads of its thread before this event count"
  std::vector<std::optional<Literal>> last(trace.threads);
  for (std::uint32_t event = 0; event < trace.events.size(); ++event) {
    const Event& at = trace.events[event];
    counts_before[event] = last[at.thread];
    if (at.kind == Kind::Read) last[at.thread] = solver.add_literal();
    if (at.kind == Kind::Read && counts_before[event]) encoding.clause({~*last[at.thread], *counts_before[event]});
  }
  std::vector<std::optional<Literal>> counts(trace.events.size());
  for (std::uint32_t event = static_cast<std::uint32_t>(trace.events.size()); event-- > 0;) {
    const Event& at = trace.events[event];
    if (at.kind != Kind::Read) continue;
    counts[event] = last[at.thread];
    last[at.thread] = counts_before[event];
  }
  for (std::uint32_t read = 0; read < trace.events.size(); ++read) {
    if (!counts[read]) continue;
    for (const auto& [value, choices] : sources(encoding, trace, read, std::nullopt)) {
      std::vector<Literal> one_of;
      for (const auto& [chosen, write] : choices) {
        one_of.push_back(chosen);
        if (write && counts_before[*write]) encoding.clause({~chosen, *counts_before[*write]});
      }
      if (value == trace.events[read].value) {
        one_of.push_back(~*counts[read]);
        encoding.clause(one_of);
        continue;
      }
      const Literal other_value = solver.add_literal();
      one_of.push_back(~other_value);
      encoding.clause(one_of);
      if (counts_before[read]) encoding.clause({~other_value, *counts_before[read]});
      encoding.questions.assumptions.push_back({other_value});
    }
  }
  return encoding.questions;
}

Questions ask_for_an_explanation(const MadeUpTrace& trace, OrderSolver& solver) {
  Encoding encoding(trace, solver);
  encoding.nodes_thread_by_thread();
  encoding.locks();
  for (std::uint32_t read = 0; read < trace.events.size(); ++read) {
    if (trace.events[read].kind != Kind::Read) continue;
    std::vector<Literal> one_of;
    for (const auto& [value, choices] : sources(encoding, trace, read, trace.events[read].value)) {
      for (const auto& choice : choices) one_of.push_back(choice.first);
    }
    encoding.clause(one_of);
  }
  encoding.questions.assumptions.emplace_back();
  return encoding.questions;
}

}  // namespace treadle::bench
