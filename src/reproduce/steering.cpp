// SPDX-License-Identifier: Apache-2.0
#include "reproduce/steering.h"

#include <algorithm>

#include "reproduce/failure.h"

namespace treadle {

std::uint64_t matched_blocks(const Trace& trace) {
  std::uint64_t all = 0;
  for (const Standing& standing : standings_of(trace)) all += standing.position;
  return all;
}

Steering::Steering(const Schedule& base) : base_(base), random_(base.seed * 0x9e3779b97f4a7c15ull + 1) { begin_anew(); }

std::uint32_t Steering::draw(std::uint32_t below) {
  random_ ^= random_ << 13;
  random_ ^= random_ >> 7;
  random_ ^= random_ << 17;
  return static_cast<std::uint32_t>((random_ >> 32) % below);
}

void Steering::begin_anew() {
  best_.clear();
  score_ = turn_ = in_vain_ = 0;
}

std::vector<Schedule> Steering::next(std::size_t count) {
  if (in_vain_ > patience_) {
    patience_ = std::min(patience_ * 2, 1u << 14);
    begin_anew();
  }
  std::vector<Schedule> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(one_more());
  return all;
}

Schedule Steering::one_more() {
  Schedule schedule = base_;
  schedule.prefix.clear();
  schedule.seed = random_ ^ draw(UINT32_MAX);
  schedule.policy = draw(4) == 0 ? Policy::Continue : Policy::Random;
  if (best_.choices.empty()) return schedule;
  std::uint32_t at = std::min<std::uint32_t>(turn_, static_cast<std::uint32_t>(best_.choices.size()) - 1);
  // Half of them right there; the others further back, the longer nothing has helped.
  if (draw(2) == 0) at -= std::min(at, draw(2 + in_vain_));
  const Choice& choice = best_.choices[at];
  for (std::uint32_t i = 0; i < at; ++i) schedule.prefix.push_back(best_.choices[i].taken);
  if (choice.alternatives > 1) schedule.prefix.push_back(best_.alternatives[choice.first_alternative + 1 + draw(choice.alternatives - 1)]);
  return schedule;
}

void Steering::learn_from(const std::vector<Trace>& traces) {
  for (const Trace& trace : traces) consider(trace);
}

void Steering::consider(const Trace& trace) {
  if (trace.threads.size() > base_.threads.size()) base_.threads = trace.threads;
  ++in_vain_;
  const std::uint64_t score = matched_blocks(trace);
  if (trace.choices.empty() || score < score_) return;
  if (score > score_) in_vain_ = 0;
  score_ = score;
  best_ = trace;
  turn_ = static_cast<std::uint32_t>(trace.choices.size()) - 1;
  for (const Departure& departure : departures_of(trace)) turn_ = std::min(turn_, departure.decision);
}

}  // namespace treadle
