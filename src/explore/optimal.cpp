// SPDX-License-Identifier: Apache-2.0
#include "explore/optimal.h"

#include <algorithm>

#include "base/check.h"
#include "explore/action_bytes.h"
#include "explore/coverage.h"

namespace treadle {

using State = ExecutionTree::Node::State;

Optimal::Optimal(Schedule base) : base_(std::move(base)), order_(base_.races, base_.model, fruitless_) {
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
  prefix.reserve(leaf->depth);
  for (const Node* node = leaf; node->parent != nullptr; node = node->parent) {
    const auto& more = node->action->more_decisions;
    prefix.insert(prefix.end(), more.rbegin(), more.rend());
    prefix.push_back(node->action->decision);
  }
  std::reverse(prefix.begin(), prefix.end());
  out_.push_back({leaf, leaf->serial, static_cast<std::uint32_t>(prefix.size())});
  return item;
}

Optimal::Out Optimal::returned(Ticket ticket) {
  const auto found = std::find_if(out_.begin(), out_.end(), [&](const Out& out) { return out.serial == ticket; });
  check(found != out_.end(), "a strategy learns only from what it asked for");
  in_turn_ = found == out_.begin();
  const Out out = *found;
  out_.erase(found);
  return out;
}

/// Makes path_ the way to the leaf. Returns the depth of the last node that was on it before.
std::uint32_t Optimal::follow(Node& leaf) {
  const auto was_here = [&](const Node& node) {
    return node.depth < path_.size() && path_[node.depth].node == &node && path_[node.depth].serial == node.serial;
  };
  Node* common = &leaf;
  while (common->parent != nullptr && !was_here(*common)) common = common->parent;
  path_.resize(leaf.depth + 1);
  for (Node* node = &leaf; node != common || node->parent == nullptr; node = node->parent) {
    path_[node->depth] = {node, node->serial};
    if (node->parent == nullptr) break;
  }
  return common->depth;
}

void Optimal::take_in(const Trace& trace, std::uint32_t common, std::uint32_t from, std::uint32_t prefix) {
  made_.resize(order_.take_in(trace, common, from, prefix));
  const auto transitions = order_.transitions();
  for (std::size_t k = made_.size(); k < transitions.size(); ++k) made_.push_back(tree_.actions()[transitions[k].action]);
}

/// Returns the first transition that no execution has made before.
std::uint32_t Optimal::go_along(Node& leaf, const Trace& trace, std::uint32_t prefix) {
  std::uint32_t common = std::min<std::uint32_t>(follow(leaf), static_cast<std::uint32_t>(made_.size()));
  while (common > 0 && path_[common].node->state != State::Run) --common;  // that was a mere question (would_find_new)
  slept_ = std::min(slept_, common + 1);
  std::uint32_t from = common;
  while (from < leaf.depth && path_[from + 1].node->state == State::Run) ++from;
  take_in(trace, common, from, prefix);
  return from;
}

void Optimal::learn_from(Ticket ticket, const Trace& trace) {
  const Out out = returned(ticket);
  Node& leaf = *out.leaf;
  const std::uint32_t depth = leaf.depth;
  if (trace.threads.size() > base_.threads.size()) base_.threads = trace.threads;
  const std::uint32_t from = go_along(leaf, trace, out.prefix);
  if (depth > 0 && (order_.ends_in_vain() || made_.size() < depth)) return give_up(leaf, from);

  order_.stands_still() ? ++counts_.blocked : ++executions_;
  for (std::uint32_t k = from; k < depth; ++k) tree_.came_through(*path_[k + 1].node, made_[k]);
  if (depth == 0) leaf.state = State::Run;
  if (depth > 0 && made_[depth - 1]->fails) tree_.failed_at(leaf);

  // Nodes are made as far down as something is inserted; behind that something may be from elsewhere, unless all to the left is over.
  const bool leftmost = tree_.is_leftmost(leaf);
  const std::uint32_t until = first_asleep(trace);
  std::uint32_t deepest = depth;
  for (const Race& race : order_.races())
    if (race.at <= until) deepest = std::max(deepest, race.first + 1);
  grow(std::min(deepest, until));
  const std::size_t last = path_.size() - 1, end = std::min<std::size_t>(made_.size(), until);
  if (!leftmost && last < end) tree_.leave_tail(*path_[last].node, std::span(made_).subspan(last, end - last));
  insert_races(until);
  tree_.insert_again();
  tree_.close();
}

/// What could have been overtaken instead is inserted before the leaf is given up: it may be the last thing to be done there. An execution
/// that failed before it came to the leaf was one all the same; where the others stood then makes no difference.
void Optimal::give_up(Node& leaf, std::uint32_t from) {
  for (std::uint32_t k = from; k + 1 < path_.size() && k < made_.size(); ++k)
    if (path_[k + 1].node != &leaf) ExecutionTree::turned_out(*path_[k + 1].node, made_[k]);
  const bool failed = !made_.empty() && made_.back()->fails;
  ++(failed ? counts_.redundant : counts_.blocked);
  insert_races(UINT32_MAX);
  tree_.give_up(leaf);
  tree_.close();
  path_.clear();
  slept_ = 0;
}

/// Makes path_ go as far as before transition `until`.
void Optimal::grow(std::uint32_t until) {
  for (std::size_t k = path_.size() - 1; k < until && k < made_.size(); ++k) {
    Node& next = tree_.grow(*path_[k].node, made_[k]);
    path_.push_back({&next, next.serial});
  }
}

/// Makes asleep_ go up to `last`: what has been explored elsewhere and still can be done without making a difference.
void Optimal::sleep_along(std::uint32_t last) {
  if (asleep_.size() <= last) asleep_.resize(last + 1);
  if (slept_ == 0) asleep_[slept_++].clear();
  for (; slept_ <= last; ++slept_) {
    const std::uint32_t k = slept_ - 1;
    Sequence& after = asleep_[slept_];
    after.clear();
    const auto keep = [&](KnownAction sleeper) {
      if (!dependent(*sleeper, *made_[k])) after.push_back(tree_.actions().after(sleeper, made_[k]));
    };
    for (const KnownAction sleeper : asleep_[k]) keep(sleeper);
    if (slept_ >= path_.size()) continue;
    for (const Node* sibling = path_[k].node->first_child; sibling != path_[slept_].node; sibling = sibling->next) keep(sibling->action);
  }
}

bool Optimal::sleeps(std::uint32_t k, Process p) const {
  return std::ranges::any_of(asleep_[k], [&](KnownAction sleeper) { return sleeper->process == p; });
}

bool Optimal::would_find_new(Ticket ticket, const Trace& trace) {
  const auto out = std::ranges::find(out_, ticket, &Out::serial);
  check(out != out_.end(), "a strategy is asked about what it asked for");
  const std::uint32_t depth = out->leaf->depth;
  go_along(*out->leaf, trace, out->prefix);
  if (depth > 0 && (order_.ends_in_vain() || order_.stands_still() || made_.size() < depth)) return false;
  for (std::uint32_t k = depth; k < made_.size(); ++k) {
    sleep_along(k);
    if (sleeps(k, made_[k]->process)) return false;
  }
  return true;
}

/// Where the execution, past its leaf, did something that has been explored elsewhere: only possible when it was not known in advance what
/// an operation would touch. What came after that is redundant; something else must be tried there, if there is anything.
std::uint32_t Optimal::first_asleep(const Trace& trace) {
  const auto depth = static_cast<std::uint32_t>(path_.size() - 1);
  for (std::uint32_t k = depth; k < made_.size(); ++k) {
    sleep_along(k);
    if (asleep_[k].empty()) break;
    if (!sleeps(k, made_[k]->process)) continue;
    ++counts_.redundant;
    --executions_;
    grow(k);
    const Choice& choice = trace.choices[order_.transitions()[k].choice];
    for (const Decision& d : std::span(trace.alternatives).subspan(choice.first_alternative, choice.alternatives)) {
      if (sleeps(k, process_of(d))) continue;
      Action other;
      other.process = process_of(d);
      other.decision = d;
      other.ends = true;  // nothing is known of what it touches
      tree_.plan(*path_[k].node, Sequence{tree_.actions()[other]});
      break;
    }
    return k;
  }
  return UINT32_MAX;
}

/// Transition k, as it is when not `race.first` comes before it but what overtakes that.
KnownAction Optimal::without(const Race& race, std::uint32_t k) {
  const std::uint32_t flush = order_.transitions()[k].own_flush;
  if (flush == none || flush < race.first || !order_.happens_before(race.first, flush)) return made_[k];
  if (flush == race.at && made_[flush]->process == race.action.process) return made_[k];  // which overtakes
  Action served = *made_[k];
  serve_from_buffer(served, *made_[flush]);
  return tree_.actions()[served];
}

/// The steps of an iteration, left out as it leads nowhere, with which what overtakes begins: `race.first` has no part in what they read.
/// Nothing if something else that stays before it has, as they could not be made any more; then it begins, there, with other values.
std::span<const Race::Step> Optimal::leading(const Race& race) const {
  for (const Race::Step& step : race.leading) {
    if (step.action.served.bytes != 0) return {};
    for (std::uint32_t k = step.at; k <= race.first; ++k)
      if (dependent(step.action, *made_[k])) return {};
  }
  return race.leading;
}

/// What the execution did that neither depends on `race.first` nor on what overtakes it, with that in its place. Returns how much of it is
/// needed to overtake.
std::size_t Optimal::reverse(const Race& race) {
  reversed_.clear();
  const std::span<const Race::Step> led_by = leading(race);
  auto step = led_by.begin();
  const auto lead_until = [&](std::uint32_t k) {
    for (; step != led_by.end() && step->at <= k; ++step) reversed_.push_back(tree_.actions()[step->action]);
  };
  for (std::uint32_t k = race.first + 1; k < race.at; ++k) {
    lead_until(k);
    if (!order_.depends_on_overtaken(race, k)) reversed_.push_back(without(race, k));
  }
  lead_until(UINT32_MAX);
  // Once it has been made, what its thread does next and what reaches memory of that are known to come after it, or not to.
  const Process process = race.action.process;
  const bool made = race.at < made_.size() && made_[race.at]->process == process;
  const bool otherwise = race.undisturbed;
  const auto follows = [&](const Action& other, std::uint32_t k) {
    const bool of_its_thread = made ? other.process == process : thread_of(other.process) == thread_of(process);
    const auto depends_on = [&](const Race::Step& earlier) { return dependent(other, earlier.action); };
    if (of_its_thread || std::any_of(led_by.begin(), led_by.end(), depends_on)) return true;
    return otherwise ? made && order_.happens_before(race.at, k) : dependent(other, race.action);
  };
  Sequence& rest = rest_;
  rest.clear();
  behind_.clear();  // what comes after the overtaking one
  for (std::uint32_t k = race.at; k < made_.size(); ++k) {
    if (order_.depends_on_overtaken(race, k)) continue;
    if (std::any_of(behind_.begin(), behind_.end(), [&](std::uint32_t b) { return order_.happens_before(b, k); })) continue;
    const KnownAction other = without(race, k);
    if (follows(*other, k))
      behind_.push_back(k);
    else
      rest.push_back(other);
  }
  // Where it does something else than it did, what depends on that, but not on what it did, comes before it: the order that the execution
  // has of them means nothing.
  if (otherwise) reversed_.insert(reversed_.end(), rest.begin(), rest.end());
  reversed_.push_back(tree_.actions()[race.action]);
  const std::size_t needed = reversed_.size();
  if (!otherwise) reversed_.insert(reversed_.end(), rest.begin(), rest.end());
  return needed;
}

void Optimal::insert_races(std::uint32_t until) {
  for (const Race& race : order_.races()) {
    if (race.at > until || race.first + 1 >= path_.size()) continue;
    const std::size_t needed = reverse(race);
    sleep_along(race.first);
    const KnownAction sleeper = tree_.insert(*path_[race.first].node, *path_[race.first + 1].node, reversed_, needed, asleep_[race.first]);
    if (sleeper != nullptr) rely_on_sleeper(race, *sleeper, needed);
  }
}

/// With several workers something may sleep that has not been run yet, and will be found to fail.
void Optimal::rely_on_sleeper(const Race& race, const Action& sleeper, std::size_t needed) {
  if (in_turn_) return;
  for (std::uint32_t k = race.first + 1; k-- > 0;)
    for (Node* sibling = path_[k].node->first_child; sibling != path_[k + 1].node; sibling = sibling->next)
      if (sibling->action->process == sleeper.process)
        return tree_.rely_on(*sibling, *path_[race.first].node, path_[race.first + 1].node, reversed_, needed);
}

std::string Optimal::covers() const { return covered_schedules(base_); }

std::string Optimal::save() const {
  ByteWriter out;
  put_progress(out, executions_, counts_, base_.threads, fruitless_);
  tree_.save(out);
  return out.take();
}

bool Optimal::load(std::string_view bytes) {
  ByteReader in(bytes);
  get_progress(in, executions_, counts_, base_.threads, fruitless_);
  return in.ok() && tree_.load(in, base_.max_steps) && in.at_end();
}

std::optional<double> Optimal::estimate() const {
  if (executions_ == 0) return std::nullopt;
  return tree_.estimate();
}

}  // namespace treadle
