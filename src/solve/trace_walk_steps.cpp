// SPDX-License-Identifier: Apache-2.0
// What a walk has to know of each step beforehand.
#include <algorithm>
#include <array>

#include "solve/trace_walk.h"
#include "trace/happens_before.h"

namespace treadle {
namespace {

bool is_known_operation(const Event& event) {
  switch (event.kind) {
    case TREADLE_EV_THREAD_CREATE:
    case TREADLE_EV_THREAD_START:
    case TREADLE_EV_THREAD_EXIT:
    case TREADLE_EV_YIELD:
    case TREADLE_EV_RWUNLOCK:
    case TREADLE_EV_EXCLUSIVE_BEGIN:
    case TREADLE_EV_EXCLUSIVE_END:
    case TREADLE_EV_EXIT:
    case TREADLE_EV_FAIL:
      return true;
    case TREADLE_EV_THREAD_JOIN:
      return event.extra == 0 && event.size == 0;
    case TREADLE_EV_LOCK:
    case TREADLE_EV_UNLOCK:
    case TREADLE_EV_RDLOCK:
    case TREADLE_EV_WRLOCK:
    case TREADLE_EV_SPIN_LOCK:
    case TREADLE_EV_SPIN_UNLOCK:
      return event.extra == 0;
    default:
      return false;
  }
}

}  // namespace

/// Units that were only thought of, at the end of the trace, are nobody's steps and do nothing here.
bool TraceWalk::is_known() const {
  if (symbolic_.units().unmodelled || ways_.size() > 255) return false;
  for (UnitId u = 0; u < formula_.size(); ++u)
    if (formula_.unit(u).is_flush || formula_.unit(u).left_out) return false;
  for (const auto& way : ways_) {
    if (way.size() >= 0xffff) return false;
    for (const UnitId u : way)
      for (const std::uint32_t e : formula_.unit(u).syncs)
        if (!is_known_operation(symbolic_.trace().events[e])) return false;
  }
  return true;
}

/// False: they had been marked.
bool TraceWalk::mark_leaves(ExpressionId expression) {
  bool any = false;
  open_.assign(1, expression);
  while (!open_.empty()) {
    const ExpressionId id = open_.back();
    open_.pop_back();
    if (value_round_[id] == round_) continue;
    value_round_[id] = round_;
    const Expression& e = expressions_.all()[id];
    if (e.op == TREADLE_OP_READ) any |= std::exchange(matters_[e.a], char{1}) == 0;
    const std::array operands{e.a, e.b, e.c};
    for (unsigned i = 0; i < operands_of(static_cast<ExpressionOp>(e.op)); ++i) open_.push_back(operands[i]);
  }
  return any;
}

/// A read matters when a condition depends on it or when what is written where something matters does. All marks of expressions stay: what
/// an expression needs matters from then on.
void TraceWalk::find_what_matters() {
  matters_.assign(expressions_.reads().size(), 0);
  slots_.assign(symbolic_.units().cells.size(), nothing);
  value_round_.assign(expressions_.all().size(), 0);
  round_ = 1;
  const auto matter = [&](CellId cell) {
    if (slots_[cell] != nothing) return false;
    slots_[cell] = static_cast<std::uint32_t>(cells_.size());
    cells_.push_back(cell);
    return true;
  };
  for (const auto& way : ways_)
    for (const UnitId u : way) {
      for (const std::uint32_t note : symbolic_.conditions_of(u)) mark_leaves(expressions_.of(symbolic_.trace().notes[note].expression));
      for (const UnitRead& read : formula_.unit(u).reads)
        if (!symbolic_.is_open(read.event, read.cell)) matter(read.cell);
    }
  for (const Fork& fork : forks_)
    for (const ExpressionId leaf : fork.leaves) mark_leaves(expressions_.of(leaf));
  for (bool any = true; any;) {
    any = false;
    for (std::uint32_t leaf = 0; leaf < matters_.size(); ++leaf) {
      const CellRead& read = expressions_.reads()[leaf];
      if (matters_[leaf]) any |= matter(formula_.unit(read.unit).reads[read.read].cell);
    }
    for (const auto& way : ways_)
      for (const UnitId u : way)
        for (const UnitWrite& write : formula_.unit(u).writes)
          if (slots_[write.cell] != nothing)
            if (const Written written = expressions_.written(write.event, write.cell); written.kind == Written::Kind::Symbolic)
              any |= mark_leaves(written.expression);
  }
  leaf_slots_.assign(matters_.size(), nothing);
  for (std::uint32_t leaf = 0; leaf < matters_.size(); ++leaf)
    if (matters_[leaf]) leaf_slots_[leaf] = static_cast<std::uint32_t>(cells_.size()) + leaves_++;
}

void TraceWalk::build_steps() {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> place(formula_.size(), {nothing, 0});  // thread and steps with it
  for (std::uint32_t t = 0; t < ways_.size(); ++t)
    for (std::uint32_t i = 0; i < ways_[t].size(); ++i) place[ways_[t][i]] = {t, i + 1};
  std::unordered_map<std::uint32_t, std::pair<std::uint32_t, bool>> fork_of;  // by note
  for (std::uint32_t f = 0; f < forks_.size(); ++f)
    for (const std::uint32_t note : forks_[f].notes) fork_of[note] = {f, note == forks_[f].notes.back()};
  std::vector<std::unordered_map<std::uint32_t, std::uint32_t>> leaf_at(formula_.size());  // by unit and read
  for (std::uint32_t leaf = 0; leaf < matters_.size(); ++leaf)
    if (matters_[leaf]) leaf_at[expressions_.reads()[leaf].unit][expressions_.reads()[leaf].read] = leaf_slots_[leaf];
  std::vector<std::uint32_t> inputs(ways_.size(), 0);
  for (std::uint32_t e = 0; e < symbolic_.trace().events.size(); ++e) {
    const Event& event = symbolic_.trace().events[e];
    if (event.kind == TREADLE_EV_INPUT && event.thread < inputs.size()) inputs_[e] = {event.thread, inputs[event.thread]++, event.size};
  }
  steps_.resize(ways_.size());
  for (std::uint32_t t = 0; t < ways_.size(); ++t)
    for (const UnitId u : ways_[t]) {
      const Unit& unit = formula_.unit(u);
      Step& step = steps_[t].emplace_back();
      step.happens = !formula_.happens(u).is_false();
      for (std::uint32_t r = 0; r < unit.reads.size(); ++r) {
        const auto leaf = leaf_at[u].find(r);
        const bool keeps = !symbolic_.is_open(unit.reads[r].event, unit.reads[r].cell);
        if (leaf == leaf_at[u].end() && !keeps) continue;
        step.reads.push_back({slots_[unit.reads[r].cell], leaf == leaf_at[u].end() ? nothing : leaf->second, &unit.reads[r], keeps});
      }
      for (const std::uint32_t note : symbolic_.conditions_of(u)) {
        Condition condition{expressions_.of(symbolic_.trace().notes[note].expression), symbolic_.trace().notes[note].event, nothing, false};
        if (const auto fork = fork_of.find(note); fork != fork_of.end())
          condition.fork = fork->second.first, condition.ends_fork = fork->second.second;
        step.conditions.push_back(condition);
      }
      for (const UnitWrite& write : unit.writes)
        if (slots_[write.cell] != nothing) step.writes.push_back({slots_[write.cell], expressions_.written(write.event, write.cell)});
      for (const UnitId m : unit.must)
        if (place[m].first != nothing && place[m].first != t) step.needs.push_back(place[m]);
      for (std::uint32_t s = 0; s < sections_.size(); ++s)
        if (sections_[s].acquire == u) step.acquires.push_back(s);
    }
}

/// Behind the last step that asks for it a leaf's value does not matter, nor who accesses a cell.
void TraceWalk::find_last_uses() {
  last_write_.assign(ways_.size(), std::vector<std::uint16_t>(cells_.size(), 0));
  last_access_ = last_write_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> last(cells_.size() + leaves_, {nothing, 0});  // by leaf: thread and step
  std::vector<char> shared(cells_.size() + leaves_, 0);
  for (std::uint32_t t = 0; t < ways_.size(); ++t)
    for (std::uint32_t i = 0; i < steps_[t].size(); ++i) {
      const Step& step = steps_[t][i];
      const auto behind = static_cast<std::uint16_t>(i + 1);
      for (const Reading& read : step.reads)
        if (read.slot != nothing) last_access_[t][read.slot] = behind;
      for (const Writing& write : step.writes) last_write_[t][write.slot] = last_access_[t][write.slot] = behind;
      std::fill(matters_.begin(), matters_.end(), char{0});
      ++round_;
      for (const Condition& condition : step.conditions) {
        mark_leaves(condition.expression);
        if (condition.fork != nothing)
          for (const ExpressionId leaf : forks_[condition.fork].leaves) mark_leaves(expressions_.of(leaf));
      }
      for (const Writing& write : step.writes)
        if (write.written.kind == Written::Kind::Symbolic) mark_leaves(write.written.expression);
      for (const Reading& read : step.reads)
        if (read.leaf != nothing && last[read.leaf].first == nothing) last[read.leaf] = {t, i};
      for (std::uint32_t leaf = 0; leaf < matters_.size(); ++leaf) {
        if (!matters_[leaf] || leaf_slots_[leaf] == nothing) continue;
        auto& use = last[leaf_slots_[leaf]];
        shared[leaf_slots_[leaf]] |= use.first != nothing && use.first != t;
        use = {t, i};
      }
    }
  for (std::uint32_t leaf = 0; leaf < last.size(); ++leaf)
    if (last[leaf].first != nothing && !shared[leaf]) steps_[last[leaf].first][last[leaf].second].done_with.push_back(leaf);
}

void TraceWalk::find_holds() {
  std::uint32_t locks = 0;
  for (const LockSection& section : sections_) locks = std::max(locks, section.lock + 1);
  last_acquire_.assign(ways_.size(), std::vector<std::uint16_t>(locks, 0));
  holds_.resize(ways_.size());
  for (std::uint32_t t = 0; t < ways_.size(); ++t) {
    std::vector<std::uint32_t> held;
    holds_[t].push_back(held);
    for (std::uint32_t i = 0; i < ways_[t].size(); ++i) {
      for (const std::uint32_t s : steps_[t][i].acquires) {
        held.push_back(s);
        last_acquire_[t][sections_[s].lock] = static_cast<std::uint16_t>(i + 1);
      }
      std::erase_if(held, [&](std::uint32_t s) { return sections_[s].release == ways_[t][i]; });
      holds_[t].push_back(held);
    }
  }
}

}  // namespace treadle
