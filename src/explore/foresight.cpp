// SPDX-License-Identifier: Apache-2.0
#include "explore/foresight.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "explore/listener.h"
#include "trace/lost_signal.h"

namespace treadle {
namespace {

/// Who could not go on in the end.
Standstill stood_still(const Trace& trace) {
  Standstill waiting;
  if (trace.end.ending != TREADLE_END_DEADLOCK && trace.end.ending != TREADLE_END_LIVELOCK) return waiting;
  for (const PendingOperation& pending : trace.pending)
    if (pending.state != TREADLE_THREAD_FINISHED)
      waiting.insert(standing_still(trace.events, pending.thread, pending.pc, pending.kind, pending.address));
  return waiting;
}

}  // namespace

StandingStill standing_still(std::span<const Event> events, ThreadId thread, std::uint64_t pc, EventKind kind, std::uint64_t object) {
  const std::uint64_t signal = kind == TREADLE_EV_COND_WOKEN ? lost_signal(events, thread, object) : UINT64_MAX;
  return {thread, pc, signal == UINT64_MAX ? 0 : events[signal].pc};
}

Foresight::Foresight(std::unique_ptr<Strategy> strategy, Ask ask, const Recording& also, Gaps gaps)
    : strategy_(std::move(strategy)), ask_(std::move(ask)), also_(also), gaps_(std::move(gaps)) {}

/// A deadlock that is run because of a hint may be what the strategy would have run next: one that listens should hear of it first, and the
/// other way round.
bool Foresight::must_wait() const {
  if (dynamic_cast<Listener*>(strategy_.get()) == nullptr) return false;
  const auto is_about_a_deadlock = [](const auto& hint) { return hint.second.is_deadlock; };
  return hints_.empty() ? std::ranges::any_of(out_, is_about_a_deadlock) : others_out_ > 0 && !hints_.front().waits.empty();
}

std::optional<Item> Foresight::next() {
  std::erase_if(hints_, [&](const Hint& hint) { return was_seen(hint); });
  if ((waits_ = must_wait())) return std::nullopt;
  if (!hints_.empty()) {
    Hint hint = std::move(hints_.front());
    hints_.pop_front();
    return run(std::move(hint));
  }
  auto item = strategy_->next();
  if (!item) return one_that_could_wait();
  check(!item || (item->ticket & ours) == 0, "a strategy leaves the highest bit of its tickets alone");
  ++others_out_;
  return item;
}

Item Foresight::run(Hint hint) {
  Item item{std::move(hint.schedule), ours | made_++};
  out_.emplace(item.ticket, Out{!hint.waits.empty(), hint.is_race, hint.can_wait, hint.key});
  return item;
}

/// One at a time, when nothing else is left.
std::optional<Item> Foresight::one_that_could_wait() {
  if (strategy_->thinking() || others_out_ > 0 || !out_.empty()) return std::nullopt;
  if (strategy_->runs_everything()) waiting_.clear();
  while (!waiting_.empty()) {
    Hint hint = std::move(waiting_.front());
    waiting_.pop_front();
    if (!hint.is_wanted || hint.is_wanted()) return run(std::move(hint));
  }
  return std::nullopt;
}

void Foresight::learn_from(Ticket ticket, const Trace& trace) {
  if (Standstill still = stood_still(trace); !still.empty()) seen_.insert(std::move(still));
  if (const auto hint = out_.extract(ticket); !hint.empty()) {
    auto* listener = dynamic_cast<Listener*>(strategy_.get());
    if (listener != nullptr && hint.mapped().is_deadlock) listener->hear_of(trace);
    const auto is_race = [](const Event& event) { return event.kind == TREADLE_EV_RACE; };
    const auto is_misuse = [](const Event& event) { return event.kind == TREADLE_EV_MISUSE; };
    if (hint.mapped().could_wait && std::ranges::any_of(trace.events, is_misuse))
      std::erase_if(waiting_, [&](const Hint& other) { return other.key == hint.mapped().key; });
    if (hint.mapped().is_race) (std::ranges::any_of(trace.events, is_race) ? shown_ : not_shown_).insert(hint.mapped().key);
    return;
  }
  --others_out_;
  strategy_->learn_from(ticket, trace);
  if (strategy_->runs_everything()) return;
  for (Hint& hint : ask_(trace))
    if (!was_seen(hint) && tried_[hint.key]++ < most_tries) (hint.can_wait ? waiting_ : hints_).push_back(std::move(hint));
}

bool Foresight::was_seen(const Hint& hint) const {
  return !hint.waits.empty() && std::ranges::any_of(seen_, [&](const Standstill& seen) { return std::ranges::includes(seen, hint.waits); });
}

std::string Foresight::gaps() const {
  std::string all = strategy_->gaps();
  if (!gaps_ || strategy_->runs_everything()) return all;
  const auto add = [&](const std::string& own) { all += (all.empty() || own.empty() ? "" : ", ") + own; };
  add(gaps_());
  const auto in_vain = std::ranges::count_if(not_shown_, [&](std::uint64_t key) { return !shown_.contains(key); });
  if (in_vain > 0) add(fmt::format("{} data race{} that executions imply did not show when run", in_vain, in_vain == 1 ? "" : "s"));
  return all;
}

Recording Foresight::needs() const {
  Recording needs = strategy_->needs();
  needs.plain |= also_.plain;
  needs.symbolic |= also_.symbolic;
  return needs;
}

std::size_t Foresight::ahead() const {
  const std::size_t ahead = strategy_->ahead();
  return ahead == any_number ? ahead : ahead + hints_.size() + out_.size();
}

std::optional<double> Foresight::estimate() const {
  const auto inner = strategy_->estimate();
  return inner ? std::optional(*inner + static_cast<double>(made_ + hints_.size())) : std::nullopt;
}

}  // namespace treadle
