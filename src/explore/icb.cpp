// SPDX-License-Identifier: Apache-2.0
#include "explore/icb.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/bytes.h"
#include "base/check.h"
#include "explore/coverage.h"
#include "trace/codec.h"

namespace treadle {

Icb::Icb(Schedule base, std::optional<std::uint32_t> most) : base_(std::move(base)), most_(most) {
  base_.prefix.clear();
  base_.policy = Policy::Continue;  // makes no preemption of its own
}

Recording Icb::needs() const {
  Recording recording;
  recording.choices = true;
  return recording;
}

std::size_t Icb::ahead() const { return std::max<std::size_t>(frontier_.size() + open_.size() + in_flight_.size(), 1); }

/// False: the bound is not complete yet, or it was the last.
bool Icb::to_next_bound() {
  if (!in_flight_.empty() || later_.empty() || bound_ == most_) return false;
  ++bound_;
  frontier_ = std::exchange(later_, {});
  weight_ = 1 / static_cast<double>(frontier_.size());
  done_ = 0;
  executions_before_ = executions_;
  return true;
}

std::optional<Item> Icb::next() {
  Schedule schedule = base_;
  OpenRuns::Taken taken;
  if (std::exchange(started_, true)) {
    if (open_.empty() && frontier_.empty() && !to_next_bound()) return std::nullopt;
    if (open_.empty()) {
      auto execution = frontier_.take();
      for (Branch& branch : execution.branches) {
        branch.preemptions = bound_;
        branch.weight = weight_;
      }
      open_.add(std::move(execution.decisions), std::move(execution.branches));
    }
    taken = *open_.take(schedule.prefix);
  }
  in_flight_.emplace(next_ticket_, std::move(taken));
  return Item{std::move(schedule), next_ticket_++};
}

void Icb::learn_from(Ticket ticket, const Trace& trace) {
  const auto returned = in_flight_.extract(ticket);
  check(!returned.empty(), "a strategy learns only from what it asked for");
  ++executions_;
  if (trace.threads.size() > base_.threads.size()) base_.threads = trace.threads;

  Alternatives found = alternatives_of(trace, returned.mapped().branch, bound_);
  done_ += found.weight;
  later_.add(trace, found.beyond);
  open_.add(returned.mapped(), trace, std::move(found.within));
}

std::string Icb::covers() const {
  const std::string what = covered_schedules(base_);
  return later_.empty() ? what : with_at_most(what, bound_);
}

std::optional<std::string> Icb::covers_already() const {
  if (bound_ == 0) return std::nullopt;
  return with_at_most(covered_schedules(base_), bound_ - 1);
}

/// As for exhaustive, but only the bound under way can be estimated: nothing is known of those to come.
std::optional<double> Icb::estimate() const {
  if (bound_ != most_ || done_ <= 0) return std::nullopt;
  return static_cast<double>(executions_before_) + static_cast<double>(executions_ - executions_before_) / done_;
}

std::string Icb::save() const {
  std::vector<OpenRuns::Taken> not_back;
  for (const auto& [ticket, taken] : in_flight_) not_back.push_back(taken);
  const bool first_is_out = !not_back.empty() && !not_back.front().run;
  ByteWriter out;
  put(out, base_.threads);
  out.varint(bound_);
  out.byte(started_ && !first_is_out);
  out.fixed64(std::bit_cast<std::uint64_t>(weight_));
  out.fixed64(std::bit_cast<std::uint64_t>(done_));
  out.varint(executions_);
  out.varint(executions_before_);
  open_.save(out, not_back);
  frontier_.save(out);
  later_.save(out);
  return out.take();
}

bool Icb::load(std::string_view bytes) {
  ByteReader in(bytes);
  base_.threads = get_threads(in);
  bound_ = static_cast<std::uint32_t>(in.up_to(most_.value_or(UINT32_MAX)));
  started_ = in.up_to(1) != 0;
  weight_ = std::bit_cast<double>(in.fixed64());
  done_ = std::bit_cast<double>(in.fixed64());
  executions_ = in.varint();
  executions_before_ = in.up_to(executions_);
  open_.load(in, base_.max_steps);
  frontier_.load(in, base_.max_steps);
  later_.load(in, base_.max_steps);
  const bool sense = !base_.threads.empty() && (started_ || open_.empty()) && weight_ >= 0 && weight_ <= 1 && done_ >= 0 && done_ <= 1.5;
  return in.ok() && in.at_end() && sense;
}

}  // namespace treadle
