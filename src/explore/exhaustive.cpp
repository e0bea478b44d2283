// SPDX-License-Identifier: Apache-2.0
#include "explore/exhaustive.h"

#include <algorithm>
#include <bit>

#include "base/bytes.h"
#include "base/check.h"
#include "explore/coverage.h"
#include "trace/codec.h"

namespace treadle {

Exhaustive::Exhaustive(Schedule base, std::optional<std::uint32_t> preemptions) : base_(std::move(base)), bound_(preemptions) {
  base_.prefix.clear();
  base_.policy = Policy::Continue;  // makes no preemption of its own, so a bound on the prefix bounds the execution
}

Recording Exhaustive::needs() const {
  Recording recording;
  recording.choices = true;
  return recording;
}

std::size_t Exhaustive::ahead() const { return std::max<std::size_t>(open_.size() + in_flight_.size(), 1); }

std::optional<Item> Exhaustive::next() {
  Schedule schedule = base_;
  OpenRuns::Taken taken;
  if (std::exchange(started_, true)) {
    auto deepest = open_.take(schedule.prefix);
    if (!deepest) return std::nullopt;
    taken = std::move(*deepest);
  }
  in_flight_.emplace(next_ticket_, std::move(taken));
  return Item{std::move(schedule), next_ticket_++};
}

void Exhaustive::learn_from(Ticket ticket, const Trace& trace) {
  const auto returned = in_flight_.extract(ticket);
  check(!returned.empty(), "a strategy learns only from what it asked for");
  ++executions_;
  if (trace.threads.size() > base_.threads.size()) base_.threads = trace.threads;

  Alternatives found = alternatives_of(trace, returned.mapped().branch, bound_);
  cut_ |= !found.beyond.empty();
  done_ += found.weight;
  open_.add(returned.mapped(), trace, std::move(found.within));
}

std::string Exhaustive::covers() const {
  const std::string what = covered_schedules(base_);
  return cut_ ? with_at_most(what, *bound_) : what;
}

/// Each execution stands for the share of the tree that it would have if all subtrees of a node were equally large (Knuth 1975, in the form
/// that Kilby et al. 2006 gave it for a depth-first search): exact at the end, an estimate before.
std::optional<double> Exhaustive::estimate() const {
  if (executions_ == 0 || done_ <= 0) return std::nullopt;
  return static_cast<double>(executions_) / done_;
}

std::string Exhaustive::save() const {
  std::vector<OpenRuns::Taken> not_back;
  for (const auto& [ticket, taken] : in_flight_) not_back.push_back(taken);
  const bool first_is_out = !not_back.empty() && !not_back.front().run;
  ByteWriter out;
  put(out, base_.threads);
  out.byte(started_ && !first_is_out);
  out.byte(cut_);
  out.fixed64(std::bit_cast<std::uint64_t>(done_));
  out.varint(executions_);
  open_.save(out, not_back);
  return out.take();
}

bool Exhaustive::load(std::string_view bytes) {
  ByteReader in(bytes);
  base_.threads = get_threads(in);
  started_ = in.up_to(1) != 0;
  cut_ = in.up_to(bound_ ? 1 : 0) != 0;
  done_ = std::bit_cast<double>(in.fixed64());
  executions_ = in.varint();
  open_.load(in, base_.max_steps);
  const bool sense = !base_.threads.empty() && (started_ || open_.empty()) && done_ >= 0 && done_ <= 1.5;
  return in.ok() && in.at_end() && sense;
}

}  // namespace treadle
