// SPDX-License-Identifier: Apache-2.0
#include "explore/open_runs.h"

#include <algorithm>
#include <utility>

namespace treadle {

/// A chain of runs may be as long as an execution has steps: taken apart link by link, not by recursion.
Run::~Run() {
  auto ancestor = std::move(parent);
  while (ancestor && ancestor.use_count() == 1) ancestor = std::exchange(ancestor->parent, nullptr);
}

std::shared_ptr<Run> run_of(const OpenRuns::Taken& began, const Trace& trace) {
  auto run = std::make_shared<Run>();
  run->parent = began.run;
  run->from = began.run ? began.branch.position : 0;
  for (std::size_t i = run->from; i < trace.choices.size(); ++i) run->decisions.push_back(trace.choices[i].taken);
  return run;
}

void OpenRuns::list(const std::shared_ptr<Run>& run) {
  if (run->listed || run->open.empty()) return;
  run->listed = true;
  runs_.push_back(run);
}

void OpenRuns::add(const Taken& began, const Trace& trace, std::vector<Branch> open) {
  if (open.empty()) return;
  const auto run = run_of(began, trace);
  run->open = std::move(open);
  open_ += run->open.size();
  list(run);
}

void OpenRuns::add(std::vector<Decision> decisions, std::vector<Branch> open) {
  auto run = std::make_shared<Run>();
  run->decisions = std::move(decisions);
  run->open = std::move(open);
  open_ += run->open.size();
  list(run);
}

void OpenRuns::open(const std::shared_ptr<Run>& run, const Branch& branch) {
  run->open.push_back(branch);
  ++open_;
  if (!run->was_listed) return list(run);
  run->was_listed = false;
  run->listed = true;
  runs_.push_front(run);  // what is on the stack is mostly deeper
}

std::optional<OpenRuns::Taken> OpenRuns::take(std::vector<Decision>& prefix) {
  while (!runs_.empty() && runs_.back()->open.empty()) {
    runs_.back()->listed = false;
    runs_.back()->was_listed = true;
    runs_.pop_back();
  }
  if (runs_.empty()) return std::nullopt;

  const auto run = runs_.back();
  const Branch branch = run->open.back();
  run->open.pop_back();
  --open_;
  if (run.use_count() == 2) {  // this one and the stack's: nobody branched off deeper, what was deeper is explored
    std::uint32_t deepest = branch.position;
    for (const Branch& other : run->open) deepest = std::max(deepest, other.position);
    run->decisions.resize(deepest + 1 - run->from);
    if (run->decisions.capacity() > 2 * run->decisions.size() + 64) run->decisions.shrink_to_fit();
  }

  prefix.resize(branch.position + 1);
  prefix.back() = branch.decision;
  std::uint32_t end = branch.position;
  for (const Run* part = run.get(); part; end = part->from, part = part->parent.get())
    std::copy_n(part->decisions.begin(), end - part->from, prefix.begin() + part->from);
  return Taken{run, branch};
}

Alternatives alternatives_of(const Trace& trace, const Branch& began, std::optional<std::uint32_t> bound) {
  Alternatives found;
  std::uint32_t preemptions = began.preemptions;
  found.weight = began.weight;
  for (std::size_t i = began.first_new(); i < trace.choices.size(); ++i) {
    const Decision taken = trace.choices[i].taken;
    const Running running = running_before(trace, i);
    const std::size_t opened = found.within.size();
    for (const Decision& other : alternatives_at(trace, i)) {
      if (other == taken) continue;
      const Branch branch{static_cast<std::uint32_t>(i), other, preemptions + running.preempted_by(other), 0};
      (bound && branch.preemptions > *bound ? found.beyond : found.within).push_back(branch);
    }
    preemptions += running.preempted_by(taken);
    found.weight /= static_cast<double>(found.within.size() - opened + 1);
    for (std::size_t o = opened; o < found.within.size(); ++o) found.within[o].weight = found.weight;
  }
  return found;
}

}  // namespace treadle
