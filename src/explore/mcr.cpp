// SPDX-License-Identifier: Apache-2.0
#include "explore/mcr.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <span>
#include <utility>

#include "base/check.h"
#include "base/hash.h"
#include "explore/coverage.h"

namespace treadle {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto a_moment = std::chrono::milliseconds(20);

std::uint64_t hash_of(const std::vector<Decision>& prefix) {
  Hash hash;
  for (const Decision& d : prefix)
    hash.add(static_cast<std::uint64_t>(d.kind) | std::uint64_t{index_of(d.thread)} << 8 | std::uint64_t{d.argument} << 16);
  return hash.value();
}

/// The same for two executions in which every thread has read the same.
std::uint64_t state_of(const Units& units, const Trace& trace) {
  std::vector<Hash> threads(256);
  for (const Unit& unit : units.all) {
    if (unit.left_out || unit.is_flush) continue;
    Hash& hash = threads[index_of(unit.thread)];
    for (const UnitRead& read : unit.reads)
      hash.add(trace.events[read.event].address).add(units.values[read.cell][read.value].value_or(~0ull));
    hash.add(unit.kind);
  }
  Hash all;
  for (const Hash& hash : threads) all.add(hash.value());
  return all.value();
}

/// Could it have gone on there? Who waits for what another one gives back with its last step could not, though it can at the end.
bool could_go_on(const Trace& trace, const Choice& choice, ThreadId thread) {
  const auto alternatives = std::span(trace.alternatives).subspan(choice.first_alternative, choice.alternatives);
  return choice.alternatives == 0 || std::ranges::any_of(alternatives, [&](const Decision& decision) {
           return decision.thread == thread && decision.kind != DecisionKind::Flush;
         });
}

}  // namespace

Mcr::Mcr(Schedule base, const McrOptions& options) : base_(std::move(base)), options_(options) {
  base_.prefix.clear();
  base_.policy = Policy::Continue;
  add({});
}

Recording Mcr::needs() const {
  Recording recording;
  recording.plain = true;
  recording.choices = true;  // tells which waits could have timed out
  recording.spins_block = options_.known != nullptr;
  return recording;
}

/// The seed's mcr-s comes to the same prefix on several ways, and runs it for each of them; the others hardly ever do. `after`: what was
/// read in the execution that it comes from. From equal ones it comes once, or a search that lets reads change would never end.
void Mcr::add(Work work, std::uint64_t after) {
  const bool again = options_.dependence != nullptr && !options_.keep_all_before;
  if (asked_.insert(hash_of(work.prefix) ^ (again ? after : 0)).second) open_.push_back(std::move(work));
}

std::vector<Decision> Mcr::whole(const Work& work) {
  std::vector<Decision> all = work.prefix;
  all.insert(all.end(), work.rest.begin(), work.rest.end());
  return all;
}

Item Mcr::item_of(Work work) {
  Item item{base_, next_ticket_ + (work.rest.empty() ? 0 : 1)};
  next_ticket_ += 2;
  item.schedule.prefix = whole(work);
  out_.emplace(item.ticket, std::move(work));
  return item;
}

/// Another prefix has led to the same state, and the same can come of it.
bool Mcr::was_made(const Work& work) {
  const auto state = options_.known->state_before_last(work.prefix);
  if (!state) return false;
  const Decision& last = work.prefix.back();
  const auto step = static_cast<std::uint64_t>(last.kind) | std::uint64_t{index_of(last.thread)} << 8 | std::uint64_t{last.argument} << 16;
  return !begun_.insert(Hash{}.add(*state).add(step).add(work.fixed_reads).value()).second;
}

/// Where it leads, if that need not be run. Who was cut off by a failure goes on only so that it is known what it would have done: when
/// that is known from elsewhere, and it ends with the same failure, there is nothing new in it.
const Trace* Mcr::known(const Work& work) {
  if (!work.cut_off_by) return options_.known->known(whole(work));
  const Trace* const trace = options_.known->foreseen(whole(work));
  if (trace == nullptr) return nullptr;
  const HowItEnded &now = trace->end, &then = *work.cut_off_by;
  if (now.ending == then.ending && now.thread == then.thread && now.pc == then.pc) return trace;
  return options_.known->known(whole(work));
}

/// Different prefixes lead to the same. The seed compares those that it finds in one execution (switch equivalence), and makes reads keep
/// values that do not matter (mcr-s+); we compare all of them by what is known of the program. Of those that lead to the same state one is
/// enough. And an execution in which every thread would see what it has seen in another one need not be made to learn from it.
std::optional<Item> Mcr::next() {
  thinking_ = false;
  const auto until = Clock::now() + a_moment;
  while (!open_.empty()) {
    if (options_.known != nullptr && !out_.empty()) return std::nullopt;
    Work work = std::move(open_.front());
    open_.pop_front();
    if (options_.known == nullptr) return item_of(std::move(work));
    if (!work.is_begun && was_made(work)) continue;
    const Trace* const trace = known(work);
    if (trace == nullptr) return item_of(std::move(work));
    learn_from(work, Trace(*trace));
    if (Clock::now() > until) {
      thinking_ = true;
      return std::nullopt;
    }
  }
  return std::nullopt;
}

void Mcr::learn_from(Ticket ticket, const Trace& trace) {
  auto returned = out_.extract(ticket);
  check(!returned.empty(), "a strategy learns only from what it asked for");
  if (trace.threads.size() > base_.threads.size()) base_.threads = trace.threads;
  if (trace.end.ending == TREADLE_END_DIVERGED) {
    // With nothing behind the prefix the verdict will say so.
    returned.mapped().is_begun = true;
    if (!std::exchange(returned.mapped().rest, {}).empty()) open_.push_back(std::move(returned.mapped()));
    return;
  }
  if (options_.known != nullptr && trace.end.ending == TREADLE_END_STOPPED) ++counts_.blocked;
  if (options_.known != nullptr && !options_.known->last_was_new()) ++counts_.redundant;
  learn_from(returned.mapped(), trace);
}

void Mcr::learn_from(const Work& work, const Trace& trace) {
  const bool went_round_in_vain = trace.end.ending == TREADLE_END_STOPPED && options_.known != nullptr;
  if (!went_round_in_vain && !run_on(work, trace)) ask_all(work, trace);
}

/// A failure, or the end of the program, cuts off what others were about to do. They are let go first, as far as they can: when two that
/// fail have taken turns, so that it is known where either leads, it is a third one's turn.
bool Mcr::run_on(const Work& work, const Trace& trace) {
  switch (trace.end.ending) {
    case TREADLE_END_DEADLOCK:
    case TREADLE_END_LIVELOCK:
    case TREADLE_END_STOPPED:
    case TREADLE_END_STEP_LIMIT:
      return false;
    default:
      break;
  }
  for (const PendingOperation& pending : trace.pending) {
    if (!pending.enabled || pending.kind == TREADLE_EV_FLUSH || trace.choices.empty()) continue;
    std::uint32_t last = static_cast<std::uint32_t>(trace.choices.size()) - 1;
    const ThreadId ended = trace.choices[last].taken.thread;
    if (pending.thread == ended || !could_go_on(trace, trace.choices[last], pending.thread)) continue;
    Work longer{{}, work.fixed, work.fixed_reads, work.skip, {}, false, trace.end};
    for (std::uint32_t c = 0; c < last; ++c) longer.prefix.push_back(trace.choices[c].taken);
    if (last < work.fixed) longer.fixed = last;
    longer.prefix.push_back({DecisionKind::Any, pending.thread, 0});
    const std::size_t before = open_.size();
    add(std::move(longer));
    if (open_.size() > before) return true;
  }
  return false;
}

void Mcr::ask_all(const Work& work, const Trace& trace) {
  CausalOptions options;
  options.model = base_.model;
  options.races = base_.races;
  options.fixed = work.fixed;
  options.fixed_reads = work.fixed_reads;
  options.limit.seconds = options_.seconds_per_question;
  options.dependence = options_.dependence.get();
  options.keep_all_before = options_.keep_all_before;
  options.direct_answers = options_.direct_answers;
  CausalModel model(trace, options, make_acyclic_solver);
  if (model.prefix_led_nowhere()) {
    if (options_.known == nullptr) ++counts_.blocked;
    return;
  }
  const std::uint64_t state = state_of(model.units(), trace);
  if (!states_.insert(state).second && options_.known == nullptr) ++counts_.redundant;

  std::vector<NewPrefix> found;
  for (const Question& question : model.questions()) {
    Reply reply = model.ask(question);
    if (reply.answer == Answer::Yes) found.push_back({question, std::move(reply)});
  }
  statistics_ += model.statistics();
  std::vector<Equivalents> equivalents(found.size());
  std::vector<std::vector<Decision>> rests(found.size());
  std::size_t wanted = found.size();
  if (options_.switch_equivalence) {
    const SwitchEquivalence switches(trace, model);
    // What another one will do comes last: none of the others is left out for its sake, and it is left out behind all of them.
    std::vector<NewPrefix> skipped;
    std::erase_if(found, [&](NewPrefix& one) {
      const bool skip = std::find(work.skip.begin(), work.skip.end(), switches.extension_of(one)) != work.skip.end();
      if (skip) skipped.push_back(std::move(one));
      return skip;
    });
    wanted = found.size();
    std::move(skipped.begin(), skipped.end(), std::back_inserter(found));
    equivalents = switches.among(found);
    // Where nothing is run twice it does not matter how an execution goes on.
    for (std::size_t i = 0; i < wanted && options_.known == nullptr; ++i) rests[i] = switches.rest_as_before(found[i]);
  }
  for (std::size_t i = 0; i < wanted; ++i) {
    Work next;
    next.prefix = std::move(found[i].reply.decisions);
    next.fixed = static_cast<std::uint32_t>(next.prefix.size());
    next.fixed_reads = found[i].question.is_read() ? found[i].question.read + 1 : 0;
    next.skip = std::move(equivalents[i]);
    next.rest = std::move(rests[i]);
    add(std::move(next), state);
  }
}

/// What has no model, and questions too hard for the solver, are made up for as well: see completed.h.
std::string Mcr::covers() const { return covered_schedules(base_) + " that keeping each execution's prefix leads to"; }

std::optional<SolverCounts> Mcr::solver() const {
  return SolverCounts{statistics_.queries, statistics_.seconds, statistics_.reads, statistics_.constraints};
}

}  // namespace treadle
