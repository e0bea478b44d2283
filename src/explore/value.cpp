// SPDX-License-Identifier: Apache-2.0
#include "explore/value.h"

#include <algorithm>
#include <chrono>

#include "base/check.h"
#include "explore/same_trace.h"
#include "finding/trouble.h"
#include "trace/spin_iterations.h"

namespace treadle {
namespace {

using Clock = std::chrono::steady_clock;

bool is_failure(Ending ending) {
  switch (ending) {
    case TREADLE_END_COMPLETED:
    case TREADLE_END_DEADLOCK:
    case TREADLE_END_LIVELOCK:
      return false;
    default:
      return ran_to_its_end(ending);
  }
}

/// Some thread has found out in it that it waits for others. Who stands still for good in a loop has come to an end that the walk over
/// states does not tell from the middle of an iteration. It has no rules for futexes either.
/// And where somebody is cut off it matters how far everybody had come: that is for those who look at orders.
bool cannot_be_walked(const Trace& trace) {
  if (is_failure(trace.end.ending)) return true;
  const auto tells = [](const Event& event) {
    return event.kind == TREADLE_EV_SPIN || event.kind == TREADLE_EV_ITERATION || is_at_futex(event.kind);
  };
  return trace.end.ending == TREADLE_END_STOPPED || trace.end.ending == TREADLE_END_LIVELOCK || std::ranges::any_of(trace.events, tells) ||
         std::ranges::any_of(trace.pending, [](const PendingOperation& p) { return stands_in_loop(p) || is_at_futex(p.kind); });
}

using Way = std::vector<std::uint64_t>;

/// Of each thread, from its beginning to where it is.
std::vector<Way> ways_to(std::span<const Place* const> places) {
  std::vector<Way> ways;
  for (const Place* place : places) {
    Way& way = ways.emplace_back();
    for (; place != nullptr; place = place->before) way.push_back(place->key);
    std::ranges::reverse(way);
  }
  return ways;
}

/// Does one of them lead to the other? What a thread has seen until then is in the key of each place.
bool on_one_way(const Way& a, const Way& b) {
  const std::size_t common = std::min(a.size(), b.size());
  return common == 0 || a[common - 1] == b[common - 1];
}

constexpr std::size_t most_known = 1'000'000;  // events of executions that are kept
constexpr unsigned most_tries = 32;
constexpr std::size_t most_alike = 64;
constexpr std::size_t most_places_of_failures = 4'000'000;
constexpr auto a_moment = std::chrono::milliseconds(20);
constexpr std::uint64_t first_states = 1'000'000;  // are walked over before anything else is tried
constexpr std::uint64_t states_at_a_time = 20'000;
constexpr std::uint64_t steps_for_a_state = 2;  // of rehearsals; what takes as long would be four

}  // namespace

Value::Value(Schedule base, ClassBy by, bool self_check)
    : base_(base),
      inner_(std::make_unique<Optimal>(base)),
      rehearsal_(program_, base),
      by_(by),
      self_check_(self_check),
      walk_(program_, rehearsal_, by == ClassBy::ReadsFrom),
      walking_(base.races == Races::Explore && by == ClassBy::Values && !self_check),
      runs_(base.races, base.model),
      watches_races_(base.races != Races::Ignore) {}

Recording Value::needs() const {
  Recording recording = inner_->needs();
  recording.plain = true;
  return recording;
}

bool Value::is_a_check(Ticket ticket) const {
  const auto found = out_.find(ticket);
  return found != out_.end() && found->second.why == Why::Race;
}

/// Of what was acted out last.
bool Value::shows_a_new_race() {
  if (!watches_races_) return false;
  bool is_new = false;
  const auto pairs = race_watch_.look_at(rehearsal_.trace());
  for (const RacingPair& pair : pairs) {
    const Suspicion& suspicion = races_[pair.key()];
    is_new |= !suspicion.shown && suspicion.tries < most_tries;
  }
  const bool all_edges_known =
      std::ranges::none_of(rehearsal_.trace().events, [](const Event& e) { return e.kind == TREADLE_EV_SIGNAL_THREAD; });
  if (is_new && all_edges_known)
    for (const RacingPair& pair : pairs) {
      std::uint8_t& tries = races_[pair.key()].tries;
      if (tries < most_tries) ++tries;
    }
  return is_new;
}

void Value::note_races(const Trace& trace) {
  for (const Event& event : trace.events)
    if (event.kind == TREADLE_EV_RACE) races_[pair_of_race(event).key()].shown = true;
}

/// False: it was of a class that has been run, and its lesson is learned.
bool Value::rehearse(Item& item) {
  const bool is_known = rehearsal_.act(item.schedule.prefix);
  rehearsed_steps_ += rehearsal_.trace().choices.size();
  if (!is_known) {
    if (teach_what_was_run(item)) return false;
    if (unknown_out_) {
      waiting_.push_back(std::move(item));
      return false;
    }
    unknown_out_ = true;
    out_.emplace(item.ticket, Out{Why::Unknown, 0});
    return true;
  }
  const Ending ending = rehearsal_.trace().end.ending;
  if (self_check_) {
    seen_.insert(key());
    out_.emplace(item.ticket, Out{Why::NewClass, key()});
    rehearsed_.emplace(item.ticket, rehearsal_.trace());
    return true;
  }
  const std::uint64_t expected = key();
  const bool known = ending == TREADLE_END_STOPPED || failed_before() || seen_.contains(expected);
  if (!known && teach_what_was_run(item)) return false;
  if (known && !shows_a_new_race()) {
    ++skipped_;
    inner_->learn_from(item.ticket, rehearsal_.trace());
    return false;
  }
  if (!known) seen_.insert(expected);
  out_.emplace(item.ticket, Out{known ? Why::Race : Why::NewClass, expected});
  return true;
}

Item Value::walked(const std::vector<Decision>& decisions, Why why, std::uint64_t expected) {
  Item item{base_, by_walk | ++walked_};
  item.schedule.prefix = decisions;
  item.schedule.policy = Policy::Continue;
  item.schedule.threads = program_.threads;
  out_.emplace(item.ticket, Out{why, expected});
  return item;
}

/// Nobody knows beforehand whether there are more states or more classes, so that both searches take turns once the walk has become long.
/// It gets about two thirds of the time: mostly it is the one that comes to its end.
bool Value::is_turn_of_walk() {
  if (!walking_) return false;
  if (walks_on_ && walk_.states() >= std::max(first_states, rehearsed_steps_ / steps_for_a_state)) walks_on_ = false;
  if (!walks_on_ && walk_.states() + states_at_a_time <= rehearsed_steps_ / steps_for_a_state) walks_on_ = true;
  return walks_on_;
}

void Value::stop_walking(bool everything_seen) {
  walking_ = false;
  if (skipped_ == 0) surprises_ = rehearsal_.surprises();
  const auto not_shown = [&](std::uint64_t pair) { return !races_[pair].shown; };
  finished_ = everything_seen && std::ranges::none_of(walk_.unmet_races(), not_shown);
}

std::optional<Item> Value::walk() {
  const auto until = Clock::now() + a_moment;
  while (is_turn_of_walk() && !unknown_out_) {
    switch (walk_.go_on()) {
      case StateWalk::Came::ToAnEnd:
        if (seen_.insert(key()).second) return walked(walk_.decisions(), Why::NewClass, key());
        break;
      case StateWalk::Came::ToARace:
        if (Suspicion& suspicion = races_[walk_.race().pair.key()]; !suspicion.shown && suspicion.tries++ < most_tries)
          return walked(walk_.race().decisions, Why::Race, 0);
        break;
      case StateWalk::Came::ToUnknown:
        unknown_out_ = true;
        return walked(walk_.decisions(), Why::Unknown, 0);
      case StateWalk::Came::Nowhere:
        break;
      case StateWalk::Came::ToItsEnd:
        if (out_.empty()) stop_walking(true);
        return std::nullopt;
      case StateWalk::Came::OutOfItsDepth:
        stop_walking(false);
        break;
    }
    if (Clock::now() > until) {
      thinking_ = true;
      break;
    }
  }
  return std::nullopt;
}

std::optional<Item> Value::next() {
  thinking_ = false;
  if (to_begin_with_) {
    if (!out_.empty()) return std::nullopt;
    begin_with(*std::exchange(to_begin_with_, std::nullopt));
  }
  if (is_turn_of_walk())
    if (auto item = walk(); item || is_turn_of_walk()) return item;
  if (finished_) return std::nullopt;
  const auto until = Clock::now() + a_moment;
  for (unsigned n = 0;; ++n) {
    std::optional<Item> item;
    if (!unknown_out_ && !waiting_.empty()) {
      item = std::move(waiting_.front());
      waiting_.pop_front();
    } else {
      if (waiting_.size() > 256) return std::nullopt;
      item = inner_->next();
    }
    if (!item && out_.empty() && foresaw_wrongly()) {
      surprises_ = rehearsal_.surprises();
      skipped_ = 0;
      doubts_ = false;
      inner_ = std::make_unique<Optimal>(base_);
      runs_.begin_search();
      continue;
    }
    if (!item) return std::nullopt;
    if (rehearse(*item)) return item;
    if (n % 64 == 63 && Clock::now() > until) {
      thinking_ = true;
      return std::nullopt;
    }
  }
}

void Value::note_failure(const HowItEnded& end) {
  if (!is_failure(end.ending) || places_of_failures_ >= most_places_of_failures) return;
  auto ways = ways_to(rehearsal_.places());
  if (index_of(end.thread) >= ways.size() || ways[index_of(end.thread)].empty()) return;
  auto& alike = failures_[ways[index_of(end.thread)].back()];
  if (alike.size() >= most_alike) return;
  for (const Way& way : ways) places_of_failures_ += way.size();
  alike.push_back({end.ending, end.pc, std::move(ways)});
}

/// The same thread has failed like that, having seen the same; and the others were on the same ways, only not as far, or further. How far
/// they get before is no combination of its own.
bool Value::failed_before() const {
  const HowItEnded& end = rehearsal_.trace().end;
  if (failures_.empty() || !is_failure(end.ending)) return false;
  const auto ways = ways_to(rehearsal_.places());
  if (index_of(end.thread) >= ways.size() || ways[index_of(end.thread)].empty()) return false;
  const auto alike = failures_.find(ways[index_of(end.thread)].back());
  return alike != failures_.end() && std::ranges::any_of(alike->second, [&](const Failure& failure) {
           if (failure.ending != end.ending || failure.pc != end.pc) return false;
           for (std::size_t id = 0; id < std::min(ways.size(), failure.ways.size()); ++id)
             if (!on_one_way(ways[id], failure.ways[id])) return false;
           return true;
         });
}

/// Whatever order its independent steps are made in, it can be acted out, and every thread sees the same: it will not be run again. What
/// races is no step of its own unless that is explored, and may be seen in either order.
bool Value::settles_its_class(const Trace& trace) {
  if (!rehearsal_.could_act_it_out()) return false;
  const bool may_be_unsure = rehearsal_.went_beyond_the_rules() || is_failure(trace.end.ending);
  if (may_be_unsure && !rehearsal_.act(decisions_of(trace))) {
    rehearsal_.learn(trace);
    return false;
  }
  return base_.races == Races::Explore || !may_have_raced(trace);
}

bool Value::may_have_raced(const Trace& trace) {
  if (base_.races == Races::Ignore) return !race_watch_.look_at(without_troubles(trace)).empty();
  return std::ranges::any_of(trace.events, [](const Event& e) { return e.kind == TREADLE_EV_RACE; });
}

/// What is known by its circumstances may turn out to be foreseen wrongly, and is not acted out from then on.
void Value::keep(const Trace& trace, bool is_settled, KnownRuns::Told told) {
  if ((is_settled && !beyond_rules_) || !ran_to_its_end(trace.end.ending) || runs_.events() >= most_known) return;
  const bool raced = base_.races != Races::Explore && may_have_raced(trace);
  if (!raced) told = KnownRuns::Told::No;  // in another order the search may ask for it once more, where it does not know what it touches
  runs_.keep(without_troubles(trace), rehearsal_.followed() ? rehearsal_.places() : std::vector<const Place*>{}, !raced, told);
}

/// Another execution begins as this one is to begin, when its independent steps are made in another order, and is as good.
bool Value::teach_what_was_run(const Item& item) {
  if (runs_.empty()) return false;
  const auto is_of_use = [&](const Trace& trace) { return inner_->would_find_new(item.ticket, trace); };
  const auto known = runs_.beginning_with(item.schedule.prefix, rehearsal_.places_behind_prefix(), is_of_use);
  if (known) inner_->learn_from(item.ticket, *known);
  return known.has_value();
}

/// The search by classes is begun (anew) with an execution that was made for another reason. What it has run before is known, and is not
/// run again.
void Value::begin_with(const Trace& trace) {
  begun_ = true;
  walking_ = false;
  waiting_.clear();
  inner_ = std::make_unique<Optimal>(base_);
  runs_.begin_search();
  surprises_ = rehearsal_.surprises();
  skipped_ = 0;
  const auto first = inner_->next();
  inner_->learn_from(first->ticket, without_troubles(trace));
}

void Value::take_note(const Trace& trace, Begins how) {
  note_races(trace);
  rehearsal_.learn(trace);
  surprises_ = rehearsal_.surprises();  // nothing has been skipped yet
  beyond_rules_ |= rehearsal_.went_beyond_the_rules();
  noted_new_ = !ran_to_its_end(trace.end.ending) || !rehearsal_.followed() || seen_.insert(key()).second;
  if (rehearsal_.followed()) note_failure(trace.end);
  if (beyond_rules_ || cannot_be_walked(trace)) walking_ = false;
  if (how == Begins::Anew || !ran_to_its_end(trace.end.ending)) return;
  const bool settled = settles_its_class(trace);
  if (!settled && !begun_) begin_with(trace);
  keep(trace, settled, KnownRuns::Told::No);
}

const Trace* Value::foreseen(std::span<const Decision> prefix) {
  const bool is_known = rehearsal_.act(prefix) && ran_to_its_end(rehearsal_.trace().end.ending);
  return is_known ? &rehearsal_.trace() : nullptr;
}

const Trace* Value::known(std::span<const Decision> prefix) {
  if (!rehearsal_.act(prefix)) return nullptr;
  const Trace& trace = rehearsal_.trace();
  const bool leads_nowhere = trace.end.ending == TREADLE_END_STOPPED;
  return leads_nowhere || (ran_to_its_end(trace.end.ending) && (seen_.contains(key()) || failed_before())) ? &trace : nullptr;
}

std::optional<std::uint64_t> Value::state_before_last(std::span<const Decision> prefix) {
  if (prefix.empty() || !rehearsal_.start()) return std::nullopt;
  for (const Decision& decision : prefix.first(prefix.size() - 1)) {
    const auto possible = [&] { return std::ranges::find(rehearsal_.moves(), decision) != rehearsal_.moves().end(); };
    if (rehearsal_.over() || !rehearsal_.find_moves() || !possible() || !rehearsal_.step(decision)) return std::nullopt;
  }
  if (rehearsal_.over()) return std::nullopt;
  return rehearsal_.state_key(false);
}

/// Returns how many executions were in vain.
std::uint64_t Value::teach_inner(Ticket ticket, const Trace& trace) {
  const Counts before = inner_->counts();
  const Trace clean = without_troubles(trace);
  if (const auto rehearsed = rehearsed_.extract(ticket); !rehearsed.empty()) {
    const auto difference = first_difference(rehearsed.mapped(), clean);
    check(!difference, difference ? difference->c_str() : "");
  }
  inner_->learn_from(ticket, clean);
  return inner_->counts().blocked - before.blocked;
}

void Value::learn_from(Ticket ticket, const Trace& trace) {
  const auto found = out_.find(ticket);
  check(found != out_.end(), "a strategy learns only from what it asked for");
  const Out out = found->second;
  out_.erase(found);
  if (out.why == Why::Unknown) unknown_out_ = false;
  note_races(trace);
  const std::size_t places = program_.places().size();
  rehearsal_.learn(trace);
  if (walking_ && (out.why == Why::Unknown || program_.places().size() > places)) walk_.learned();
  const bool by_rules = !rehearsal_.went_beyond_the_rules();
  beyond_rules_ |= !by_rules;
  const bool settled = settles_its_class(trace);
  if (walking_ && (!settled || !by_rules || rehearsal_.surprises() > surprises_ || cannot_be_walked(trace))) stop_walking(false);
  std::uint64_t blocked = 0;
  if ((ticket & by_walk) != 0) {
    blocked = trace.end.ending == TREADLE_END_STOPPED ? 1 : 0;
    if (!settled && out.why != Why::Race && ran_to_its_end(trace.end.ending)) to_begin_with_ = trace;
  } else {
    blocked = teach_inner(ticket, trace);
  }
  if (settled && blocked == 0) note_failure(trace.end);
  if (blocked == 0) keep(trace, settled, (ticket & by_walk) != 0 ? KnownRuns::Told::No : KnownRuns::Told::Yes);
  const bool shows_a_class = ran_to_its_end(trace.end.ending) && rehearsal_.followed();
  const bool as_expected = out.why == Why::NewClass && shows_a_class && key() == out.expected;
  // Also one that the search gives up, because who stands still in it might have waited without going there first: what it was run for it
  // has shown, and nothing else will be run for that.
  if (as_expected) return;
  if (out.why == Why::NewClass) seen_.erase(out.expected);  // it has not been run after all
  if (out.why != Why::Race) counts_.blocked += blocked;
  if (blocked > 0 || !shows_a_class) return;  // an attempt that led nowhere is no execution of any class
  const bool is_new = seen_.insert(key()).second;
  if (!is_new && out.why != Why::Race) ++counts_.redundant;
}

}  // namespace treadle
