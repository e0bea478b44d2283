// SPDX-License-Identifier: Apache-2.0
#include "explore/pair_chances.h"

#include <algorithm>
#include <cmath>

namespace treadle {
namespace {

constexpr std::size_t most_entries = 1 << 20;  // of all tables; a pair that comes too late has none, which is allowed

bool acquires(const Event& event) {
  switch (static_cast<EventKind>(event.kind)) {
    case TREADLE_EV_LOCK:
    case TREADLE_EV_SPIN_LOCK:
    case TREADLE_EV_WRLOCK:
    case TREADLE_EV_RDLOCK:
      return true;
    case TREADLE_EV_TRYLOCK:
    case TREADLE_EV_SPIN_TRYLOCK:
      return event.extra == 0;
    default:
      return false;
  }
}

bool releases(const Event& event) {
  return event.kind == TREADLE_EV_UNLOCK || event.kind == TREADLE_EV_SPIN_UNLOCK || event.kind == TREADLE_EV_RWUNLOCK;
}

}  // namespace

void PairChances::begin(const Trace& trace) {
  lay_out(trace);
  const auto count = static_cast<std::uint32_t>(lines_.size());
  tables_.assign(static_cast<std::size_t>(count) * count, {});
  std::size_t entries = 0;
  for (std::uint32_t i = 0; i < count; ++i)
    for (std::uint32_t j = i + 1; j < count; ++j) {
      const std::size_t more = (lines_[i].transitions.size() + 1) * (lines_[j].transitions.size() + 1);
      if (entries + more > most_entries || !has_order(i, j)) continue;
      entries += more;
      fill(trace, i, j);
    }
}

void PairChances::lay_out(const Trace& trace) {
  const auto transitions = order_.transitions();
  lines_.clear();
  for (std::uint32_t t = 0; t < transitions.size(); ++t) {
    if (transitions[t].slot >= lines_.size()) lines_.resize(transitions[t].slot + 1);
    Line& line = lines_[transitions[t].slot];
    if (line.holds.empty()) line.holds.push_back({});
    line.transitions.push_back(t);
    const Decision& taken = trace.choices[transitions[t].choice].taken;  // with the binary logarithm of its weight (abi/probe.h)
    line.weights.push_back(taken.kind == DecisionKind::Step ? std::ldexp(1.0, taken.argument) : 1);
    std::vector<std::uint64_t> holds = line.holds.back();
    if (transitions[t].event != none) {
      const Event& event = trace.events[transitions[t].event];
      if (acquires(event)) holds.push_back(event.address);
      if (releases(event)) std::erase(holds, event.address);
      if (event.kind == TREADLE_EV_COND_WAIT) std::erase(holds, event.value);
      if (event.kind == TREADLE_EV_COND_WOKEN) holds.push_back(event.value);
    }
    line.holds.push_back(std::move(holds));
  }
}

/// Does j have to make more than b steps before i can make step a?
bool PairChances::comes_first(std::uint32_t i, std::uint32_t a, std::uint32_t j, std::uint32_t b) const {
  return order_.clock(lines_[i].transitions[a])[j] > b;
}

bool PairChances::has_order(std::uint32_t i, std::uint32_t j) const {
  if (lines_[i].transitions.empty() || lines_[j].transitions.empty()) return false;
  return order_.clock(lines_[i].transitions.back())[j] > 0 || order_.clock(lines_[j].transitions.back())[i] > 0;
}

/// Step a of i comes after step b of j: because it has to wait for it, or because it happened to? As far as it can be told in passing.
bool PairChances::waits(const Trace& trace, std::uint32_t i, std::uint32_t a, std::uint32_t j, std::uint32_t b) const {
  const Transition& t = order_.transitions()[lines_[i].transitions[a]];
  const Transition& other = order_.transitions()[lines_[j].transitions[b]];
  if (thread_of(t.action.process) == thread_of(other.action.process)) return true;
  if (t.event == none) return false;
  const Event& event = trace.events[t.event];
  switch (t.kind) {
    case TREADLE_EV_THREAD_START:
    case TREADLE_EV_THREAD_JOIN:
    case TREADLE_EV_BARRIER_LEAVE:
    case TREADLE_EV_SEM_WAIT:
      return true;
    case TREADLE_EV_COND_WOKEN:
      return event.extra == 0 || std::ranges::count(lines_[j].holds[b], event.value) > 0;
    default:
      return acquires(event) && std::ranges::count(lines_[j].holds[b], event.address) > 0;
  }
}

void PairChances::fill(const Trace& trace, std::uint32_t i, std::uint32_t j) {
  const auto rows = static_cast<std::uint32_t>(lines_[i].transitions.size());
  const auto columns = static_cast<std::uint32_t>(lines_[j].transitions.size());
  Table& table = tables_[static_cast<std::size_t>(i) * lines_.size() + j];
  table.columns = columns + 1;
  table.chances.assign(static_cast<std::size_t>(rows + 1) * (columns + 1), 1);
  for (std::uint32_t a = rows; a-- > 0;)
    for (std::uint32_t b = columns; b-- > 0;) {
      const bool i_can = !comes_first(i, a, j, b), j_can = !comes_first(j, b, i, a);
      const double by_i = i_can ? table.at(a + 1, b) : 0, by_j = j_can ? table.at(a, b + 1) : 0;
      const bool alone = (!i_can && waits(trace, i, a, j, b)) || (!j_can && waits(trace, j, b, i, a));
      const double w_i = lines_[i].weights[a], w_j = lines_[j].weights[b];
      table.chances[static_cast<std::size_t>(a) * table.columns + b] = alone ? by_i + by_j : (w_i * by_i + w_j * by_j) / (w_i + w_j);
    }
}

bool PairChances::is_next(std::uint32_t process) const {
  const Line& line = lines_[process];
  if (line.done == line.transitions.size()) return false;
  const auto clock = order_.clock(line.transitions[line.done]);
  for (std::uint32_t other = 0; other < lines_.size(); ++other)
    if (other != process && clock[other] > lines_[other].done) return false;
  return true;
}

double PairChances::gain(std::uint32_t process) const {
  const std::uint32_t done = lines_[process].done;
  double gain = 1;
  unsigned in_the_way = 0;
  for (std::uint32_t other = 0; other < lines_.size(); ++other) {
    if (other == process) continue;
    const bool lower = process < other;
    const Table& pair = lower ? table(process, other) : table(other, process);
    if (pair.chances.empty()) continue;
    const std::uint32_t b = lines_[other].done;
    // Tables may lose all of a long order's probability to rounding; then they say nothing.
    const double before = lower ? pair.at(done, b) : pair.at(b, done), after = lower ? pair.at(done + 1, b) : pair.at(b, done + 1);
    if (before <= 0 || after <= 0) continue;
    gain *= after / before;
    in_the_way += after != before;
  }
  // Among many that are in each other's way only one moves next: the product says the same thing again and again.
  return lines_[process].weights[done] * std::pow(gain, std::min(1.0, 2.0 / (in_the_way + 1.0)));
}

}  // namespace treadle
