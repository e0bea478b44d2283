// SPDX-License-Identifier: Apache-2.0
#include "explore/optimal.h"

#include <algorithm>

#include "base/check.h"
#include "explore/coverage.h"

namespace treadle {

using State = ExecutionTree::Node::State;

Optimal::Optimal(Schedule base) : base_(std::move(base)), order_(base_.races, fruitless_) {
  base_.prefix.clear();
  base_.policy = Policy::Continue;
}

Recording Optimal::needs() const {
  Recording recording;
  recording.choices = true;
  recording.spins_block = true;
  return recording;
}

std::optional<Item> Optimal::next() {
  Node* leaf = tree_.take_leaf();
  if (leaf == nullptr) return std::nullopt;
  Item item{base_, leaf->serial};
  auto& prefix = item.schedule.prefix;
  for (const Node* node = leaf; node->parent != nullptr; node = node->parent) {
    prefix.insert(prefix.end(), node->action.more_decisions.rbegin(), node->action.more_decisions.rend());
    prefix.push_back(node->action.decision);
  }
  std::reverse(prefix.begin(), prefix.end());
  out_.emplace(leaf->serial, leaf);
  return item;
}

/// The way to the leaf.
void Optimal::follow(const Node& leaf) {
  path_.resize(leaf.depth + 1);
  Node* node = const_cast<Node*>(&leaf);
  for (std::uint32_t k = leaf.depth + 1; k-- > 0; node = node->parent) path_[k] = node;
}

void Optimal::learn_from(Ticket ticket, const Trace& trace) {
  const auto found = out_.find(ticket);
  check(found != out_.end(), "a strategy learns only from what it asked for");
  Node& leaf = *found->second;
  out_.erase(found);
  if (trace.threads.size() > base_.threads.size()) base_.threads = trace.threads;

  follow(leaf);
  const std::uint32_t depth = leaf.depth;
  std::uint32_t common = 0;
  while (common < depth && common + 1 < path_serials_.size() && path_[common + 1]->serial == path_serials_[common + 1] &&
         path_[common + 1]->state == State::Run)
    ++common;
  common = std::min<std::uint32_t>(common, static_cast<std::uint32_t>(order_.transitions().size()));
  std::uint32_t from = 0;  // the first transition that no execution has made before
  while (from < depth && path_[from + 1]->state == State::Run) ++from;
  std::uint32_t prefix = 0;
  for (std::uint32_t k = 1; k <= depth; ++k) prefix += 1 + static_cast<std::uint32_t>(path_[k]->action.more_decisions.size());
  order_.take_in(trace, std::min(common, from), from, prefix);

  const auto made = order_.transitions();
  if (depth > 0 && (order_.ends_in_vain() || made.size() < depth)) {
    // What could have been overtaken instead is inserted before the leaf is given up: it may be the last thing to be done there.
    for (std::uint32_t k = from; k + 1 <= depth && k < made.size(); ++k)
      if (path_[k + 1] != &leaf) path_[k + 1]->action = made[k].action;
    ++counts_.blocked;
    sleep_along(static_cast<std::uint32_t>(std::min<std::size_t>(made.size(), depth - 1)));
    insert_races(UINT32_MAX);
    tree_.give_up(leaf);
    tree_.close();
    path_serials_.clear();
    return;
  }
  order_.stands_still() && trace.end.ending != TREADLE_END_LIVELOCK ? ++counts_.blocked : ++executions_;
  for (std::uint32_t k = from; k < depth; ++k) tree_.came_through(*path_[k + 1], made[k].action);
  if (depth == 0) path_[0]->state = State::Run;

  // Nodes are made as far down as something may be inserted.
  const std::uint32_t until = first_asleep(trace);
  std::uint32_t deepest = tree_.is_leftmost(leaf) ? depth : static_cast<std::uint32_t>(made.size());
  for (const Race& race : order_.races())
    if (race.at <= until) deepest = std::max(deepest, race.first + 1);
  for (auto k = static_cast<std::uint32_t>(path_.size() - 1); k < deepest && k < std::min<std::size_t>(until, made.size()); ++k)
    path_.push_back(&tree_.grow(*path_[k], made[k].action));
  insert_races(until);
  path_serials_.clear();
  for (const Node* node : path_) path_serials_.push_back(node->serial);
  tree_.close();
}

/// asleep_[k] for k up to `last`: what has been explored elsewhere and still can be done without making a difference.
void Optimal::sleep_along(std::uint32_t last) {
  asleep_.resize(std::max<std::size_t>(asleep_.size(), last + 1));
  asleep_[0].clear();
  for (std::uint32_t k = 0; k < last; ++k) {
    auto& after = asleep_[k + 1];
    after.clear();
    const Node& next = *path_[k + 1];
    const auto keep = [&](const Action& sleeper) {
      if (dependent(sleeper, next.action)) return;
      after.push_back(sleeper);
      pass_by(after.back(), next.action);
    };
    for (const Action& sleeper : asleep_[k]) keep(sleeper);
    for (const Node* sibling : path_[k]->children) {
      if (sibling == &next) break;
      keep(sibling->action);
    }
  }
}

/// Where the execution, past its leaf, did something that has been explored elsewhere: only possible when it was not known in advance what
/// an operation would touch. What came after that is redundant; something else must be tried there, if there is anything.
std::uint32_t Optimal::first_asleep(const Trace& trace) {
  const auto depth = static_cast<std::uint32_t>(path_.size() - 1);
  sleep_along(depth);
  std::vector<Action> asleep = asleep_[depth];
  const auto made = order_.transitions();
  for (std::uint32_t k = depth; k < made.size() && !asleep.empty(); ++k) {
    const Action& action = made[k].action;
    const auto sleeps = [&](Process p) {
      return std::any_of(asleep.begin(), asleep.end(), [&](const Action& sleeper) { return sleeper.process == p; });
    };
    if (sleeps(action.process)) {
      ++counts_.redundant;
      --executions_;
      for (std::uint32_t n = depth; n < k; ++n) path_.push_back(&tree_.grow(*path_[n], made[n].action));
      const Choice& choice = trace.choices[made[k].choice];
      for (const Decision& d : std::span(trace.alternatives).subspan(choice.first_alternative, choice.alternatives)) {
        if (sleeps(process_of(d))) continue;
        Action other;
        other.process = process_of(d);
        other.decision = d;
        other.ends = true;  // nothing is known of what it touches
        tree_.plan(*path_[k], {other});
        break;
      }
      return k;
    }
    std::vector<Action> still;
    for (Action& sleeper : asleep) {
      if (dependent(sleeper, action)) continue;
      pass_by(sleeper, action);
      still.push_back(std::move(sleeper));
    }
    asleep = std::move(still);
  }
  return UINT32_MAX;
}

void Optimal::insert_races(std::uint32_t until) {
  const auto made = order_.transitions();
  std::uint32_t deepest = 0;
  for (const Race& race : order_.races())
    if (race.at <= until) deepest = std::max(deepest, race.first);
  sleep_along(std::min<std::uint32_t>(deepest, static_cast<std::uint32_t>(path_.size() - 1)));
  for (const Race& race : order_.races()) {
    if (race.at > until || race.first + 1 >= path_.size()) continue;
    ExecutionTree::Sequence v;
    for (std::uint32_t k = race.first + 1; k < race.at; ++k)
      if (!order_.happens_before(race.first, k)) {
        v.push_back(made[k].action);
        const std::uint32_t flush = made[k].own_flush;
        if (flush != none && flush >= race.first && order_.happens_before(race.first, flush))
          serve_from_buffer(v.back(), made[flush].action);
      }
    v.push_back(race.action);
    tree_.insert(*path_[race.first], *path_[race.first + 1], std::move(v), asleep_[race.first]);
  }
}

std::string Optimal::covers() const { return covered_schedules(base_); }

std::string Optimal::save() const {
  ByteWriter out;
  out.varint(executions_);
  out.varint(counts_.blocked);
  out.varint(counts_.redundant);
  out.varint(base_.threads.size());
  for (const ThreadName& name : base_.threads) {
    out.varint(name.parent);
    out.varint(name.ordinal);
  }
  out.varint(fruitless_.size());
  for (const std::uint64_t iteration : fruitless_) out.fixed64(iteration);
  tree_.save(out);
  return out.take();
}

bool Optimal::load(std::string_view bytes) {
  ByteReader in(bytes);
  executions_ = in.varint();
  counts_.blocked = in.varint();
  counts_.redundant = in.varint();
  base_.threads.clear();
  for (std::size_t n = in.count(2); n > 0; --n) {
    const auto parent = static_cast<std::uint16_t>(in.up_to(UINT16_MAX));
    base_.threads.push_back({parent, static_cast<std::uint16_t>(in.up_to(UINT16_MAX))});
  }
  for (std::size_t n = in.count(8); n > 0; --n) fruitless_.insert(in.fixed64());
  return in.ok() && is_well_formed(base_.threads) && tree_.load(in) && in.at_end();
}

std::optional<double> Optimal::estimate() const {
  if (executions_ == 0) return std::nullopt;
  return tree_.estimate();
}

}  // namespace treadle
