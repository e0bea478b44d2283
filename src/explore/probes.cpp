// SPDX-License-Identifier: Apache-2.0
#include "explore/probes.h"

#include <algorithm>

#include "explore/random.h"

namespace treadle {
namespace {

// A probe takes about twice the time of another execution, since it shares no prefix with the one before: three in a hundred of the time.
constexpr std::uint64_t first_after = 64, first_probes = 32, one_in = 64, at_once = 16;

// Whoever waits for his class to be run has to be kept. So many say enough, and take a few megabytes.
constexpr std::size_t most_open = 4096;

/// As the search knows it: without the notes that tell which decisions were likelier.
Action without_favours(Action action) {
  const auto clear = [](Decision& d) {
    if (d.kind == DecisionKind::Step) d.argument = 0;
  };
  clear(action.decision);
  for (Decision& d : action.more_decisions) clear(d);
  return action;
}

}  // namespace

Size size_of_search(std::string_view strategy, bool bounded) {
  if (strategy == "optimal" || strategy == "dpor") return Size::Classes;
  return strategy == "exhaustive" && !bounded ? Size::Schedules : Size::Unknown;
}

Probes::Probes(Size of, Schedule base, ExecutionTree* tree)
    : of_(of), base_(std::move(base)), seed_(base_.seed), weight_(base_), tree_(tree) {
  base_.prefix.clear();
}

std::size_t Probes::due(std::uint64_t executions) const {
  const std::uint64_t made = executions - std::min(executions, begun_at_);
  if (of_ == Size::Unknown || made < first_after || open_.size() >= most_open) return 0;
  const std::uint64_t wanted = first_probes + made / one_in;
  if (asked_ >= wanted || (wanted - asked_ < at_once && asked_ >= first_probes)) return 0;
  return std::min(wanted - asked_, at_once);
}

Schedule Probes::next() {
  make_probe(base_, nth_seed(seed_, asked_++));
  return base_;
}

void Probes::learn_from(Trace& trace) {
  if (trace.threads.size() > base_.threads.size()) base_.threads = trace.threads;
  const auto weight = of_ == Size::Classes ? weight_.of(trace) : ClassWeight::Weight{schedules_behind(trace), 0};
  if (tree_ == nullptr) {
    nowhere_.add(weight);
  } else {
    Sequence actions;
    for (const Transition& transition : weight_.transitions()) actions.push_back(tree_->actions()[without_favours(transition.action)]);
    open_.push_back({weight, tree_->seek(std::move(actions))});
  }
  without_favours(trace);
}

void Probes::Weighed::add(ClassWeight::Weight weight) {
  exact.add(weight.exact);
  rough.add(weight.rough);
}

std::optional<Estimate> Probes::size() {
  Weighed open = nowhere_;
  std::erase_if(open_, [&](Open& one) {
    const bool over = tree_->is_over(one.where);
    (over ? over_ : open).add(one.weight);
    return over;
  });
  if (over_.exact.count + open.exact.count < 2) return std::nullopt;
  return size_by_probes(tree_ ? tree_->executions_over() : 0, {over_.exact, open.exact}, {over_.rough, open.rough});
}

}  // namespace treadle
