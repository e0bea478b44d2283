// SPDX-License-Identifier: Apache-2.0
#include "explore/icb_dpor.h"

#include <algorithm>
#include <utility>

#include "base/bytes.h"
#include "base/check.h"
#include "explore/coverage.h"
#include "trace/codec.h"

namespace treadle {
namespace {

/// The run to which a decision point belongs: the one that got there by itself. Where a run branched off belongs to its parent.
const std::shared_ptr<Run>& owner_of(const std::shared_ptr<Run>& run, std::uint32_t node) {
  const std::shared_ptr<Run>* owner = &run;
  while ((*owner)->parent && node <= (*owner)->from) owner = &(*owner)->parent;
  return *owner;
}

/// What the owner of a decision point did there itself.
bool took(const Run& owner, std::uint32_t node, auto is_it) {
  const std::uint32_t index = node - owner.from;
  return index < owner.decisions.size() && is_it(owner.decisions[index]);
}

}  // namespace

IcbDpor::IcbDpor(Schedule base, std::optional<std::uint32_t> most) : base_(std::move(base)), most_(most), order_(base_.races) {
  base_.prefix.clear();
  base_.policy = Policy::Continue;  // makes no preemption of its own
}

Recording IcbDpor::needs() const {
  Recording recording;
  recording.choices = true;
  return recording;
}

std::size_t IcbDpor::ahead() const { return std::max<std::size_t>(open_.size() + in_flight_.size(), 1); }

std::optional<Item> IcbDpor::next() {
  if (started_ && open_.empty()) {
    if (!in_flight_.empty() || !cut_ || bound_ == most_) return std::nullopt;
    ++bound_;
    started_ = cut_ = false;
  }
  Schedule schedule = base_;
  OpenRuns::Taken taken;
  if (std::exchange(started_, true)) taken = *open_.take(schedule.prefix);
  in_flight_.emplace(next_ticket_, std::move(taken));
  return Item{std::move(schedule), next_ticket_++};
}

void IcbDpor::learn_from(Ticket ticket, const Trace& trace) {
  const auto returned = in_flight_.extract(ticket);
  check(!returned.empty(), "a strategy learns only from what it asked for");
  if (trace.threads.size() > base_.threads.size()) base_.threads = trace.threads;

  const OpenRuns::Taken& began = returned.mapped();
  const Path path{trace, run_of(began, trace), preemptions_before(trace)};
  try_other_ways(path, began.branch.first_new());
  order_.take_in(trace, began.run ? began.branch.position : 0);
  for (std::size_t n = 0; n < order_.needs(); ++n) try_needed(path, order_.need(n));
}

/// A thread that could move in several ways (whom a signal wakes) does so in all of them.
void IcbDpor::try_other_ways(const Path& path, std::uint32_t from) {
  for (std::size_t i = from; i < path.trace.choices.size(); ++i)
    try_thread(path, static_cast<std::uint32_t>(i), path.trace.choices[i].taken.thread);
}

void IcbDpor::try_needed(const Path& path, const Needed& needed) {
  if (needed.all) {
    for (const ThreadId thread : needed.one_of) try_thread(path, needed.node, thread);
    return;
  }
  for (const ThreadId thread : needed.one_of)
    if (is_tried(path, needed.node, thread)) return;
  check(!needed.one_of.empty(), "somebody makes the first step");
  try_thread(path, needed.node, needed.one_of.front());
}

void IcbDpor::try_thread(const Path& path, std::uint32_t node, ThreadId thread) {
  for (const Decision& decision : alternatives_at(path.trace, node))
    if (decision.thread == thread) try_decision(path, node, decision);
}

bool IcbDpor::is_tried(const Path& path, std::uint32_t node, ThreadId thread) const {
  const Run& owner = *owner_of(path.run, node);
  if (took(owner, node, [&](const Decision& d) { return d.thread == thread; })) return true;
  return std::ranges::any_of(owner.tried, [&](const Branch& other) { return other.position == node && other.decision.thread == thread; });
}

void IcbDpor::try_decision(const Path& path, std::uint32_t node, const Decision& decision) {
  const auto& owner = owner_of(path.run, node);
  if (took(*owner, node, [&](const Decision& d) { return d == decision; })) return;
  for (const Branch& other : owner->tried)
    if (other.position == node && other.decision == decision) return;
  const Branch branch{node, decision, path.preemptions[node] + running_before(path.trace, node).preempted_by(decision), 0};
  if (branch.preemptions > bound_) {
    cut_ = true;
    return;
  }
  owner->tried.push_back(branch);
  open_.open(owner, branch);
}

std::string IcbDpor::covers() const {
  const std::string what = covered_schedules(base_);
  return cut_ ? with_at_most(what, bound_) : what;
}

std::optional<std::string> IcbDpor::covers_already() const {
  if (bound_ == 0) return std::nullopt;
  return with_at_most(covered_schedules(base_), bound_ - 1);
}

std::string IcbDpor::save() const {
  std::vector<OpenRuns::Taken> not_back;
  for (const auto& [ticket, taken] : in_flight_) not_back.push_back(taken);
  const bool first_is_out = !not_back.empty() && !not_back.front().run;
  ByteWriter out;
  put(out, base_.threads);
  out.varint(bound_);
  out.byte(started_ && !first_is_out);
  out.byte(cut_);
  open_.save(out, not_back);
  return out.take();
}

bool IcbDpor::load(std::string_view bytes) {
  ByteReader in(bytes);
  base_.threads = get_threads(in);
  bound_ = static_cast<std::uint32_t>(in.up_to(most_.value_or(UINT32_MAX)));
  started_ = in.up_to(1) != 0;
  cut_ = in.up_to(1) != 0;
  open_.load(in, base_.max_steps);
  return in.ok() && in.at_end() && !base_.threads.empty() && (started_ || open_.empty());
}

}  // namespace treadle
