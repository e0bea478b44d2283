// SPDX-License-Identifier: Apache-2.0
#include "solve/order_graph.h"

#include <algorithm>
#include <utility>

namespace treadle {

OrderNode OrderGraph::add_node() {
  const auto node = static_cast<std::uint32_t>(position_.size());
  position_.push_back(node);
  out_.emplace_back();
  in_.emplace_back();
  marked_.push_back(0);
  arrival_.push_back({});
  has_moved_.push_back(false);
  return static_cast<OrderNode>(node);
}

bool OrderGraph::insert(OrderNode from, OrderNode to, Literal because) {
  const std::uint32_t a = index(from);
  const std::uint32_t b = index(to);
  if (position_[a] > position_[b]) {
    if (reach_forward(b, a)) {
      explain(b, a);
      return false;
    }
    reach_backward(a, position_[b]);
    exchange_places();
  }
  out_[a].push_back({b, because});
  in_[b].push_back(a);
  return true;
}

void OrderGraph::remove_last(OrderNode from, OrderNode to) {
  out_[index(from)].pop_back();
  in_[index(to)].pop_back();
}

bool OrderGraph::line_up(std::span<const OrderNode> line) {
  if (line.size() != position_.size()) return false;
  places_.resize(line.size());
  for (std::uint32_t place = 0; place < line.size(); ++place) places_[index(line[place])] = place;
  for (std::uint32_t node = 0; node < out_.size(); ++node)
    for (const Edge& edge : out_[node])
      if (places_[edge.end] < places_[node]) return false;
  for (std::uint32_t node = 0; node < places_.size(); ++node) {
    if (std::exchange(position_[node], places_[node]) == places_[node] || has_moved_[node]) continue;
    has_moved_[node] = true;
    moved_.push_back(static_cast<OrderNode>(node));
  }
  return true;
}

void OrderGraph::forget_moved() {
  for (const OrderNode node : moved_) has_moved_[index(node)] = false;
  moved_.clear();
}

void OrderGraph::start_marking() {
  if (++mark_ != 0) return;
  std::fill(marked_.begin(), marked_.end(), 0);
  mark_ = 1;
}

bool OrderGraph::mark(std::uint32_t node) {
  if (marked_[node] == mark_) return false;
  marked_[node] = mark_;
  ++visits_;
  return true;
}

/// Collects what must come after `from` and stands before `target`. True: `target` is among it.
bool OrderGraph::reach_forward(std::uint32_t from, std::uint32_t target) {
  const std::uint32_t limit = position_[target];
  start_marking();
  after_.assign(1, from);
  mark(from);
  for (std::size_t i = 0; i < after_.size(); ++i) {
    for (const Edge& edge : out_[after_[i]]) {
      if (edge.end == target) return true;
      if (position_[edge.end] < limit && mark(edge.end)) after_.push_back(edge.end);
    }
  }
  return false;
}

void OrderGraph::reach_backward(std::uint32_t from, std::uint32_t lowest) {
  before_.assign(1, from);
  mark(from);
  for (std::size_t i = 0; i < before_.size(); ++i) {
    for (const std::uint32_t node : in_[before_[i]]) {
      if (position_[node] > lowest && mark(node)) before_.push_back(node);
    }
  }
}

/// What must come before goes to the front of the places that both groups had, in the order it had.
void OrderGraph::exchange_places() {
  const auto by_position = [&](std::uint32_t a, std::uint32_t b) { return position_[a] < position_[b]; };
  std::sort(before_.begin(), before_.end(), by_position);
  std::sort(after_.begin(), after_.end(), by_position);
  before_.insert(before_.end(), after_.begin(), after_.end());
  places_.clear();
  for (const std::uint32_t node : before_) places_.push_back(position_[node]);
  std::sort(places_.begin(), places_.end());
  for (std::size_t i = 0; i < before_.size(); ++i) {
    const std::uint32_t node = before_[i];
    position_[node] = places_[i];
    if (has_moved_[node]) continue;
    has_moved_[node] = true;
    moved_.push_back(static_cast<OrderNode>(node));
  }
}

/// Breadth first over numbers of literals: edges that hold always are followed within a round, others lead to the next one.
void OrderGraph::explain(std::uint32_t from, std::uint32_t target) {
  const std::uint32_t limit = position_[target];
  start_marking();
  std::vector<std::uint32_t>& round = after_;
  round.assign(1, from);
  mark(from);
  while (marked_[target] != mark_) {
    for (std::size_t i = 0; i < round.size(); ++i) {
      for (const Edge& edge : out_[round[i]]) {
        if (edge.because != always || position_[edge.end] > limit || !mark(edge.end)) continue;
        arrival_[edge.end] = {round[i], always};
        round.push_back(edge.end);
      }
    }
    next_.clear();
    for (const std::uint32_t node : round) {
      for (const Edge& edge : out_[node]) {
        if (edge.because == always || position_[edge.end] > limit || !mark(edge.end)) continue;
        arrival_[edge.end] = {node, edge.because};
        next_.push_back(edge.end);
      }
    }
    round.swap(next_);
  }
  cycle_.clear();
  for (std::uint32_t node = target; node != from; node = arrival_[node].from) {
    if (arrival_[node].because != always) cycle_.push_back(arrival_[node].because);
  }
}

}  // namespace treadle
