// SPDX-License-Identifier: Apache-2.0
#include "explore/exhaustive.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "explore/coverage.h"

namespace treadle {
namespace {

constexpr std::uint32_t whole_tree = UINT32_MAX;  // Open::position of the very first execution

std::span<const Decision> alternatives_of(const Trace& trace, const Choice& choice) {
  return std::span(trace.alternatives).subspan(choice.first_alternative, choice.alternatives);
}

}  // namespace

bool is_preemption(const Trace& trace, std::size_t at, const Decision& decision) {
  if (at == 0) return false;
  const Decision& before = trace.choices[at - 1].taken;
  if (decision.thread == before.thread || decision.kind == DecisionKind::Flush) return false;
  return std::ranges::any_of(alternatives_of(trace, trace.choices[at]), [&](const Decision& other) {
    return other.thread == before.thread && (other.kind == DecisionKind::Step || other.kind == DecisionKind::Wake);
  });
}

/// A chain of runs may be as long as an execution has steps: taken apart link by link, not by recursion.
Exhaustive::Run::~Run() {
  auto ancestor = std::move(parent);
  while (ancestor && ancestor.use_count() == 1) ancestor = std::exchange(ancestor->parent, nullptr);
}

Exhaustive::Exhaustive(Schedule base, std::optional<std::uint32_t> preemptions) : base_(std::move(base)), bound_(preemptions) {
  base_.prefix.clear();
  base_.policy = Policy::Continue;  // makes no preemption of its own, so a bound on the prefix bounds the execution
}

Recording Exhaustive::needs() const {
  Recording recording;
  recording.choices = true;
  return recording;
}

std::size_t Exhaustive::ahead() const { return std::max<std::size_t>(open_, 1); }

std::optional<Schedule> Exhaustive::next() {
  Schedule schedule = base_;
  if (!started_) {
    started_ = true;
    in_flight_.push_back({nullptr, Open{whole_tree, {}, 0, 1.0}});
    return schedule;
  }
  while (!runs_.empty() && runs_.back()->open.empty()) runs_.pop_back();
  if (runs_.empty()) {
    check(in_flight_.empty(), "a strategy is not asked for more than it has");
    return std::nullopt;
  }

  const auto run = runs_.back();
  const Open open = run->open.back();
  run->open.pop_back();
  --open_;
  if (run.use_count() == 2) {  // this one and the stack's: nobody branched off deeper, what was deeper is explored
    run->decisions.resize(open.position + 1 - run->from);
    if (run->decisions.capacity() > 2 * run->decisions.size() + 64) run->decisions.shrink_to_fit();
  }

  schedule.prefix.resize(open.position + 1);
  schedule.prefix.back() = open.decision;
  std::uint32_t end = open.position;
  for (const Run* part = run.get(); part; end = part->from, part = part->parent.get())
    std::copy_n(part->decisions.begin(), end - part->from, schedule.prefix.begin() + part->from);
  in_flight_.push_back({run, open});
  return schedule;
}

void Exhaustive::learn_from(const Trace& trace) {
  check(!in_flight_.empty(), "a strategy learns only from what it asked for");
  const InFlight began = std::move(in_flight_.front());
  in_flight_.pop_front();
  ++executions_;
  if (trace.threads.size() > base_.threads.size()) base_.threads = trace.threads;

  auto run = std::make_shared<Run>();
  run->parent = began.run;
  run->from = began.run ? began.open.position : 0;
  open_alternatives(trace, began.open, *run);
  if (run->open.empty()) return;
  for (std::size_t i = run->from; i < trace.choices.size(); ++i) run->decisions.push_back(trace.choices[i].taken);
  open_ += run->open.size();
  runs_.push_back(std::move(run));
}

void Exhaustive::open_alternatives(const Trace& trace, const Open& began_at, Run& run) {
  std::uint32_t preemptions = began_at.preemptions;
  double weight = began_at.weight;
  const std::size_t first_new = began_at.position == whole_tree ? 0 : began_at.position + 1;
  for (std::size_t i = first_new; i < trace.choices.size(); ++i) {
    const Choice& choice = trace.choices[i];
    const std::size_t opened = run.open.size();
    for (const Decision& other : alternatives_of(trace, choice)) {
      if (other == choice.taken) continue;
      const std::uint32_t with = preemptions + is_preemption(trace, i, other);
      if (bound_ && with > *bound_)
        cut_ = true;
      else
        run.open.push_back({static_cast<std::uint32_t>(i), other, with, 0});
    }
    preemptions += is_preemption(trace, i, choice.taken);
    weight /= static_cast<double>(run.open.size() - opened + 1);
    for (std::size_t o = opened; o < run.open.size(); ++o) run.open[o].weight = weight;
  }
  done_ += weight;
}

std::string Exhaustive::covers() const {
  const std::string what = covered_schedules(base_);
  return cut_ ? fmt::format("{} with at most {} preemption{}", what, *bound_, *bound_ == 1 ? "" : "s") : what;
}

/// Each execution stands for the share of the tree that it would have if all subtrees of a node were equally large (Knuth 1975, in the form
/// that Kilby et al. 2006 gave it for a depth-first search): exact at the end, an estimate before.
std::optional<double> Exhaustive::estimate() const {
  if (executions_ == 0 || done_ <= 0) return std::nullopt;
  return static_cast<double>(executions_) / done_;
}

}  // namespace treadle
