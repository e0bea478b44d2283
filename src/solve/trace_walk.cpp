// SPDX-License-Identifier: Apache-2.0
#include "solve/trace_walk.h"

#include <algorithm>
#include <array>

#include "base/hash.h"

namespace treadle {

TraceWalk::TraceWalk(const SymbolicTrace& symbolic, const CellExpressions& expressions, const CausalFormula& formula,
                     std::span<const LockSection> sections, std::vector<std::vector<UnitId>> ways, std::vector<Fork> forks,
                     InputTerms& terms)
    : symbolic_(symbolic),
      expressions_(expressions),
      formula_(formula),
      sections_(sections.begin(), sections.end()),
      ways_(std::move(ways)),
      forks_(std::move(forks)),
      terms_(terms) {}

bool TraceWalk::explore(std::size_t most_states) {
  if (!is_known()) return false;
  find_what_matters();
  build_steps();
  find_last_uses();
  find_holds();
  width_ = (ways_.size() + 3) / 4 + 1 + cells_.size() + leaves_ + (cells_.size() + leaves_ + 31) / 32;
  values_.resize(expressions_.all().size());
  value_round_.assign(expressions_.all().size(), 0);
  arrivals_.resize(forks_.size());
  arrival_states_.resize(forks_.size());
  table_.assign(1024, nothing);
  State first;
  first.made.assign(ways_.size(), 0);
  for (const CellId cell : cells_) first.values.push_back(content(symbolic_.initial(cell), first));
  first.values.resize(cells_.size() + leaves_);
  go_on(first);
  add(first, nothing);
  State to;
  for (current_ = 0; current_ < parents_.size() && !gave_up_; ++current_) {
    if (parents_.size() > most_states) return false;
    const State from = unpacked(current_);
    for (std::uint32_t t = 0; t < ways_.size() && !gave_up_; ++t) {
      if (!may_begin(from, t)) continue;
      to = from;
      going_.clear();
      if (!make(to, t, Record::Yes)) continue;
      go_on(to);
      add(to, current_);
    }
  }
  if (gave_up_) return false;
  for (std::size_t f = 0; f < forks_.size(); ++f)
    for (std::size_t i = 0; i < arrivals_[f].size(); ++i) arrivals_[f][i].order = order_of(arrival_states_[f][i]);
  pool_ = {}, table_ = {};
  return true;
}

bool TraceWalk::may_begin(const State& state, std::uint32_t thread) const {
  if (state.made[thread] >= steps_[thread].size()) return false;
  const Step& step = steps_[thread][state.made[thread]];
  for (const auto& [other, count] : step.needs)
    if (state.made[other] < count) return false;
  for (const std::uint32_t wanted : step.acquires)
    for (std::uint32_t t = 0; t < ways_.size(); ++t) {
      if (t == thread) continue;
      for (const std::uint32_t held : holds_[t][state.made[t]])
        if (sections_[held].lock == sections_[wanted].lock && !(sections_[held].shared && sections_[wanted].shared)) return false;
    }
  return true;
}

/// Nothing that another thread has still to do on its way touches what this step does. To let a lock go harms nobody.
bool TraceWalk::is_unmet(const State& state, std::uint32_t thread) const {
  const Step& step = steps_[thread][state.made[thread]];
  for (std::uint32_t t = 0; t < ways_.size(); ++t) {
    if (t == thread) continue;
    const auto made = state.made[t];
    for (const Reading& read : step.reads)
      if (read.slot != nothing && made < last_write_[t][read.slot]) return false;
    for (const Writing& write : step.writes)
      if (made < last_access_[t][write.slot]) return false;
    for (const std::uint32_t s : step.acquires)
      if (made < last_acquire_[t][sections_[s].lock]) return false;
  }
  return true;
}

/// Reads before that event that must have the values they had.
bool TraceWalk::keeps_values(const Step& step, const State& state, std::size_t& next, std::uint32_t before) const {
  for (; next < step.reads.size() && step.reads[next].what->event < before; ++next) {
    const Reading& read = step.reads[next];
    if (!read.keeps) continue;
    const TermValue& found = state.values[read.slot];
    const auto& value = symbolic_.units().values[read.what->cell][read.what->value];
    if (found.is_number() ? !value || *value != found.what : found.what == nothing || found.what != read.what->value) return false;
  }
  return true;
}

/// Its thread goes on behind it as it did. False: it does not, here, and the state is of no use any more.
bool TraceWalk::make(State& state, std::uint32_t thread, Record record) {
  const Step& step = steps_[thread][state.made[thread]];
  ++round_;
  for (const Reading& read : step.reads) {
    if (read.keeps && state.values[read.slot].kind == TermValue::Kind::Term) return gave_up_ = true, false;
    if (read.leaf != nothing) state.values[read.leaf] = state.values[read.slot];
  }
  std::size_t next_read = 0;
  InputTerms::Conditions before = state.conditions;  // the fork that is looked at
  TermValue otherwise = TermValue::number(0);
  for (const Condition& condition : step.conditions) {
    if (!keeps_values(step, state, next_read, condition.event)) return false;
    const TermValue holds = evaluate(condition.expression, state);
    if (holds.is_unknown()) return gave_up_ = true, false;
    if (record == Record::No && !(holds.is_number() && holds.what != 0)) return false;
    if (condition.fork != nothing) otherwise = terms_.either(otherwise, terms_.negated(holds));
    const bool leaves = holds.is_number() && holds.what == 0;
    if (condition.fork != nothing && (condition.ends_fork || leaves)) {
      if (!otherwise.is_number())
        arrive(condition.fork, terms_.with(before, static_cast<InputTerms::Term>(otherwise.what)), state);
      else if (otherwise.what != 0)
        arrive(condition.fork, before, state);
    }
    if (leaves) return false;
    if (!holds.is_number()) {
      state.conditions = terms_.with(state.conditions, static_cast<InputTerms::Term>(holds.what));
      const auto possible = terms_.are_possible(state.conditions);
      if (!possible) gave_up_ = true;
      if (!possible || !*possible) return false;
    }
    if (condition.fork == nothing || condition.ends_fork) {
      before = state.conditions;
      otherwise = TermValue::number(0);
    }
  }
  if (!keeps_values(step, state, next_read, nothing) || !step.happens) return false;
  for (const Writing& write : step.writes) {
    state.values[write.slot] = content(write.written, state);
  }
  for (const std::uint32_t leaf : step.done_with) state.values[leaf] = {};
  ++state.made[thread];
  going_.push_back(static_cast<std::uint8_t>(thread));
  return true;
}

/// What can be made at once without harm to anybody.
void TraceWalk::go_on(State& state) {
  State tried;
  for (bool any = true; any;) {
    any = false;
    for (std::uint32_t t = 0; t < ways_.size(); ++t)
      while (may_begin(state, t) && is_unmet(state, t)) {
        tried = state;
        if (!make(tried, t, Record::No)) break;
        std::swap(state, tried);
        any = true;
      }
  }
}

/// Whoever has come further, on the same terms, is as good.
void TraceWalk::arrive(std::uint32_t fork, InputTerms::Conditions conditions, const State& state) {
  Arrival arrival;
  arrival.conditions = conditions;
  for (const ExpressionId leaf : forks_[fork].leaves) arrival.leaves.push_back(evaluate(expressions_.of(leaf), state));
  auto& all = arrivals_[fork];
  const auto reaches = [](const std::vector<std::uint16_t>& a, const std::vector<std::uint16_t>& b) {
    return std::ranges::equal(a, b, std::greater_equal<>());
  };
  for (std::size_t i = 0; i < all.size();) {
    if (all[i].conditions != conditions || all[i].leaves != arrival.leaves) {
      ++i;
      continue;
    }
    if (reaches(all[i].made, state.made)) return;
    if (!reaches(state.made, all[i].made)) {
      ++i;
      continue;
    }
    all[i] = std::move(all.back());
    all.pop_back();
    arrival_states_[fork][i] = arrival_states_[fork].back();
    arrival_states_[fork].pop_back();
  }
  arrival.made = state.made;
  all.push_back(std::move(arrival));
  arrival_states_[fork].push_back(current_);
}

void TraceWalk::pack(const State& state) {
  scratch_.assign(width_, 0);
  for (std::size_t t = 0; t < ways_.size(); ++t) scratch_[t / 4] |= std::uint64_t{state.made[t]} << (16 * (t % 4));
  std::size_t at = (ways_.size() + 3) / 4;
  scratch_[at++] = state.conditions;
  const std::size_t kinds = at + state.values.size();
  for (std::size_t i = 0; i < state.values.size(); ++i) {
    scratch_[at + i] = state.values[i].what;
    scratch_[kinds + i / 32] |= static_cast<std::uint64_t>(state.values[i].kind) << (2 * (i % 32));
  }
}

TraceWalk::State TraceWalk::unpacked(std::uint32_t number) const {
  const std::uint64_t* words = &pool_[number * width_];
  State state;
  state.made.resize(ways_.size());
  for (std::size_t t = 0; t < ways_.size(); ++t) state.made[t] = static_cast<std::uint16_t>(words[t / 4] >> (16 * (t % 4)));
  std::size_t at = (ways_.size() + 3) / 4;
  state.conditions = static_cast<InputTerms::Conditions>(words[at++]);
  state.values.resize(cells_.size() + leaves_);
  const std::size_t kinds = at + state.values.size();
  for (std::size_t i = 0; i < state.values.size(); ++i)
    state.values[i] = {static_cast<TermValue::Kind>(words[kinds + i / 32] >> (2 * (i % 32)) & 3), words[at + i]};
  return state;
}

/// The state in scratch_ has not been met; then it has a place in the table from now on.
bool TraceWalk::is_new_state() {
  const auto hash = [&](const std::uint64_t* words) {
    Hash all;
    for (std::size_t i = 0; i < width_; ++i) all.add(words[i]);
    return all.value();
  };
  if (2 * parents_.size() >= table_.size()) {
    table_.assign(2 * table_.size(), nothing);
    for (std::uint32_t s = 0; s < parents_.size(); ++s) {
      std::size_t at = hash(&pool_[s * width_]) & (table_.size() - 1);
      while (table_[at] != nothing) at = (at + 1) & (table_.size() - 1);
      table_[at] = s;
    }
  }
  std::size_t at = hash(scratch_.data()) & (table_.size() - 1);
  for (; table_[at] != nothing; at = (at + 1) & (table_.size() - 1))
    if (std::equal(scratch_.begin(), scratch_.end(), pool_.begin() + static_cast<std::ptrdiff_t>(table_[at] * width_))) return false;
  table_[at] = static_cast<std::uint32_t>(parents_.size());
  return true;
}

void TraceWalk::add(const State& state, std::uint32_t parent) {
  pack(state);
  if (!is_new_state()) return;
  pool_.insert(pool_.end(), scratch_.begin(), scratch_.end());
  parents_.push_back(parent);
  via_.push_back(static_cast<std::uint32_t>(via_steps_.size()));
  via_steps_.insert(via_steps_.end(), going_.begin(), going_.end());
}

std::vector<std::uint8_t> TraceWalk::order_of(std::uint32_t state) const {
  std::vector<std::uint8_t> order;
  for (; state != nothing; state = parents_[state]) {
    const std::uint32_t end = state + 1 < via_.size() ? via_[state + 1] : static_cast<std::uint32_t>(via_steps_.size());
    for (std::uint32_t i = end; i-- > via_[state];) order.push_back(via_steps_[i]);
  }
  std::ranges::reverse(order);
  return order;
}

TermValue TraceWalk::content(const Written& written, const State& state) {
  switch (written.kind) {
    case Written::Kind::Constant:
      return TermValue::number(written.value);
    case Written::Kind::Symbolic:
      return evaluate(written.expression, state);
    case Written::Kind::Unknown:
      return {TermValue::Kind::Unknown, written.id};
  }
  return {};
}

/// Operands stand in front of what is made of them: those that are missing are evaluated first.
TermValue TraceWalk::evaluate(ExpressionId id, const State& state) {
  open_.assign(1, id);
  while (!open_.empty()) {
    const ExpressionId next = open_.back();
    if (value_round_[next] == round_) {
      open_.pop_back();
      continue;
    }
    const Expression& e = expressions_.all()[next];
    const std::array operands{e.a, e.b, e.c};
    bool ready = true;
    for (unsigned i = 0; i < operands_of(static_cast<ExpressionOp>(e.op)); ++i)
      if (value_round_[operands[i]] != round_) {
        open_.push_back(operands[i]);
        ready = false;
      }
    if (!ready) continue;
    values_[next] = compute(e, state);
    value_round_[next] = round_;
    open_.pop_back();
  }
  return values_[id];
}

TermValue TraceWalk::compute(const Expression& e, const State& state) {
  switch (e.op) {
    case TREADLE_OP_CONSTANT:
      return TermValue::number(value_in(e));
    case TREADLE_OP_READ:
      return leaf_slots_[e.a] == nothing ? TermValue{} : state.values[leaf_slots_[e.a]];
    case TREADLE_OP_INPUT: {
      const auto known = inputs_.find(e.a);
      if (known == inputs_.end()) return {};
      return terms_.input(known->second, e.part, e.bits, symbolic_.trace().events[e.a].value);
    }
    default:
      break;
  }
  const unsigned count = operands_of(static_cast<ExpressionOp>(e.op));
  const auto bits = [&](ExpressionId operand) { return unsigned{expressions_.all()[operand].bits}; };
  return terms_.apply(e, bits(e.a), count > 1 ? bits(e.b) : 0, values_[e.a], count > 1 ? values_[e.b] : TermValue{},
                      count > 2 ? values_[e.c] : TermValue{});
}

}  // namespace treadle
