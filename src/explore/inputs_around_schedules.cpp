// SPDX-License-Identifier: Apache-2.0
#include "explore/inputs_around_schedules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/check.h"
#include "base/clock.h"
#include "base/hash.h"
#include "explore/coverage.h"
#include "trace/spin_iterations.h"

namespace treadle {
namespace {

constexpr double patience = 0.2;  // seconds until the search gets a word in

std::string counted(std::size_t count, const char* what, const char* many) { return fmt::format("{} {}", count, count == 1 ? what : many); }

/// Somebody went round in vain in a loop that carries something from one iteration to the next: with other inputs, which would change that,
/// he might have got somewhere. It does not show in the trace what was carried.
bool may_have_carried_inputs(const Trace& trace) {
  std::array<bool, 256> carries;
  carries.fill(true);
  for (const Event& event : trace.events) {
    if (event.kind == TREADLE_EV_ITERATION) carries[event.thread] = event.address == 0 || event.extra != 0;
    if (event.kind == TREADLE_EV_SPIN && carries[event.thread]) return true;
  }
  return std::ranges::any_of(trace.pending, [&](const PendingOperation& p) { return stands_in_loop(p) && carries[index_of(p.thread)]; });
}

}  // namespace

bool asks_for_inputs(const Trace& trace) {
  return std::ranges::any_of(trace.events, [](const Event& e) { return e.kind == TREADLE_EV_INPUT; });
}

std::uint64_t number_of_path(const PathExecution& execution) {
  Hash path;
  path.add(execution.failed());
  const auto& threads = execution.turns().of_threads();
  for (std::uint32_t t = 0; t < threads.size(); ++t) {
    path.add(t);
    for (std::uint32_t k = 0; k < execution.turns_before_failure(t); ++k) path.add(threads[t][k].label);
  }
  return path.value();
}

InputsAroundSchedules::InputsAroundSchedules(Schedule base, Options options, Earlier earlier)
    : base_(std::move(base)),
      options_(std::move(options)),
      search_(std::move(earlier.without_inputs)),
      without_inputs_(!earlier.has_inputs),
      first_(std::move(earlier.first)),
      branches_(std::move(earlier.branches)),
      paths_(std::move(earlier.paths)) {
  base_.prefix.clear();
  base_.policy = Policy::Continue;
  if (!without_inputs_)
    begin();
  else if (search_ == nullptr)
    search_ = std::make_unique<Value>(base_, ClassBy::Values);
}

/// Wants what optimal wants, and what conditions are made of.
Recording InputsAroundSchedules::needs() const {
  Recording recording = recording_for_paths();
  recording.spins_block = true;
  return recording;
}

void InputsAroundSchedules::begin() {
  search_ = std::make_unique<Optimal>(base_);
  present_class_ = {};
  if (!first_) return;
  const auto item = search_->next();
  search_->learn_from(item->ticket, *first_);
  take_in(*first_);
  tell_gaps(*first_, PathExecution(*first_, base_, 0));
  first_.reset();
}

std::optional<Item> InputsAroundSchedules::next() {
  thinking_ = false;
  while (!is_over_) {
    if (begins_anew_) {
      if (out_ > 0) return std::nullopt;
      begins_anew_ = false;
      blocked_before_ += search_->counts().blocked;
      begin();
    }
    if (search_) {
      if (auto item = search_->next()) {
        ++out_;
        if (!given_.empty()) item->schedule.inputs = given();
        if (without_inputs_ && item->schedule.prefix.empty()) first_out_ = item->ticket;
        return item;
      }
      thinking_ = search_->thinking();
      if (thinking_ || out_ > 0) return std::nullopt;
      close_class();
    }
    if (is_over_ || !find_others()) return std::nullopt;
    begin();
  }
  return std::nullopt;
}

void InputsAroundSchedules::learn_from(Ticket ticket, const Trace& trace) {
  check(search_ != nullptr && out_ > 0, "a strategy learns only from what it asked for");
  --out_;
  if (trace.threads.size() > base_.threads.size()) base_.threads = trace.threads;
  if (first_out_ == ticket && trace.end.ending != TREADLE_END_DIVERGED) first_ = trace;
  if (without_inputs_ && asks_for_inputs(trace)) {
    without_inputs_ = false;
    begins_anew_ = true;
  }
  const std::uint64_t blocked = search_->counts().blocked;
  const bool is_a_check = search_->is_a_check(ticket);
  search_->learn_from(ticket, trace);
  const bool counts = !without_inputs_ && !begins_anew_;
  if (counts) take_in(trace);
  if (trace.end.ending == TREADLE_END_DIVERGED) return;
  const PathExecution execution(trace, base_, 0);
  const bool was_cut_short = search_->counts().blocked > blocked;
  branches_.add(execution.turns(), ends_a_path(trace) && !was_cut_short);
  if (!was_cut_short && !is_a_check && !paths_.insert(number_of_path(execution)).second) ++counts_.redundant;
  if (counts) tell_gaps(trace, execution);
}

void InputsAroundSchedules::tell_gaps(const Trace& trace, const PathExecution& execution) {
  if (inputs_.empty()) return;
  if (execution.units().changes_unseen) gaps_.tell("what code without hooks wrote may depend on inputs");
  if (may_have_carried_inputs(trace)) gaps_.tell("what a spin loop carries from round to round may depend on inputs");
}

void InputsAroundSchedules::take_in(const Trace& trace) {
  const InputConditions found = conditions_on_inputs(trace, given_, terms_);
  if (found.is_full) gaps_.tell("not what follows when there was no more room for expressions");
  if (found.is_lost) gaps_.tell("a value was computed from what is not known to have been read");
  for (const InputSeen& seen : found.inputs) know(seen);
  std::vector<InputTerms::Term> before;
  for (const InputCondition& condition : found.all) {
    const bool is_new = condition.pinned ? present_class_.pins.insert({condition.term, *condition.pinned, condition.value}).second
                                         : present_class_.conditions.insert(condition.term).second;
    if (condition.is_assumed && is_new) {
      before.push_back(static_cast<InputTerms::Term>(terms_.negated({TermValue::Kind::Term, condition.term}).what));
      terms_.rule_out(before);
      before.pop_back();
    }
    before.push_back(condition.term);
  }
}

/// Each has one value for all schedules: whoever asks for one that nobody has asked for before settles it.
void InputsAroundSchedules::know(const InputSeen& seen) {
  Known& known = inputs_.try_emplace(seen.which(), Known{seen.value}).first->second;
  if (seen.range)
    known.ranges.insert(*seen.range);
  else
    known.has_any_value = true;
  const std::uint64_t given = given_.try_emplace(seen.which(), seen.given).first->second;
  const std::uint64_t mask = seen.bytes >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * seen.bytes) - 1;
  if (((seen.range ? seen.range->brought_in(given) : given) & mask) == (seen.value & mask)) return;
  went_astray_ = true;
  gaps_.tell("an input that has no value of its own yet was asked for in two ways at once");
}

/// All inputs that fulfil its conditions are done with. Those that were given are, in any case.
void InputsAroundSchedules::close_class() {
  blocked_before_ += search_->counts().blocked;
  search_.reset();
  is_over_ = without_inputs_;
  if (is_over_) return;
  for (const Pin& pin : present_class_.pins) {
    auto& values = values_[pin.pinned];
    values.insert(pin.value);
    if (values.size() <= options_.most_values || !too_many_.insert(pin.pinned).second) continue;
    gaps_.tell(fmt::format("a value that is used in a way without a model has more than {} values", options_.most_values));
    for (const Class& known : classes_)
      if (std::ranges::any_of(known.pins, [&](const Pin& other) { return other.pinned == pin.pinned; })) rule_out(known);
  }
  rule_out(present_class_);
  classes_.push_back(std::move(present_class_));
  present_class_ = {};
  if (!std::exchange(went_astray_, false)) return;
  std::vector<InputTerms::Term> all;
  Expression equal{};
  equal.op = TREADLE_OP_EQ;
  equal.bits = 1;
  for (const auto& [which, value] : given_) {
    const TermValue term = terms_.input({which.first, which.second, 8}, 0, 64, value);
    all.push_back(static_cast<InputTerms::Term>(terms_.apply(equal, 64, 64, term, TermValue::number(value), {}).what));
  }
  terms_.rule_out(all);
  is_over_ = ++astray_ > options_.most_values;
}

void InputsAroundSchedules::rule_out(const Class& what) {
  std::vector<InputTerms::Term> all(what.conditions.begin(), what.conditions.end());
  for (const Pin& pin : what.pins)
    if (!too_many_.contains(pin.pinned)) all.push_back(pin.condition);
  terms_.rule_out(all);
}

/// False: there are none, or it is not known yet.
bool InputsAroundSchedules::find_others() {
  const double begin = seconds_now();
  const Answer answer = terms_.choose_any(within_ranges(), patience);
  const double taken = seconds_now() - begin;
  seconds_ += taken;
  solver_.seconds += taken;
  if (answer == Answer::Unknown && seconds_ < options_.seconds_per_question) {
    thinking_ = true;
    return false;
  }
  ++solver_.queries;
  seconds_ = 0;
  if (answer == Answer::Yes) {
    choose();
    return true;
  }
  if (answer == Answer::Unknown) gaps_.tell("questions that took the solver too long were given up");
  is_over_ = true;
  return false;
}

/// An execution asks for an input once: to give what lies in no range that it comes from leads nowhere that the value it becomes does not.
std::vector<InputTerms::Term> InputsAroundSchedules::within_ranges() {
  std::vector<InputTerms::Term> wanted;
  Expression at_most{};
  at_most.op = TREADLE_OP_SLE;
  at_most.bits = 1;
  for (const auto& [which, known] : inputs_) {
    if (known.has_any_value) continue;
    const TermValue given = terms_.input({which.first, which.second, 8}, 0, 64, known.value);
    TermValue in_none = TermValue::number(1);
    for (const InputRange& range : known.ranges) {
      const TermValue above = terms_.apply(at_most, 64, 64, TermValue::number(range.lowest), given, {});
      const TermValue below = terms_.apply(at_most, 64, 64, given, TermValue::number(range.highest), {});
      const TermValue outside = terms_.either(terms_.negated(above), terms_.negated(below));
      Expression both{};
      both.op = TREADLE_OP_AND;
      both.bits = 1;
      in_none = in_none.is_number() ? outside : terms_.apply(both, 1, 1, in_none, outside, {});
    }
    wanted.push_back(static_cast<InputTerms::Term>(terms_.negated(in_none).what));
  }
  return wanted;
}

/// What is in no condition has the value that it had.
void InputsAroundSchedules::choose() {
  for (const auto& [which, known] : inputs_) given_[which] = terms_.value({which.first, which.second, 8}).value_or(known.value);
}

/// What nobody has asked for yet is as it was in the beginning.
GivenInputs InputsAroundSchedules::given() const {
  GivenInputs inputs;
  for (const auto& [which, value] : given_) inputs.add(name_of(ThreadId{static_cast<std::uint8_t>(which.first)}, base_.threads), value);
  for (const auto& [thread, values] : base_.inputs.threads) {
    const auto known = std::ranges::find(inputs.threads, thread, &GivenInputs::OfThread::thread);
    for (std::size_t i = known == inputs.threads.end() ? 0 : known->values.size(); i < values.size(); ++i) inputs.add(thread, values[i]);
  }
  inputs.names = base_.inputs.names;
  return inputs;
}

std::string InputsAroundSchedules::covers() const {
  const std::string inputs = inputs_.empty() ? "" : " for " + counted(classes_.size(), "class of inputs", "classes of inputs");
  return fmt::format("{}, run schedule by schedule{} because of {}", covered_by_paths(base_, branches_.paths()), inputs, options_.why);
}

std::optional<std::string> InputsAroundSchedules::covers_already() const {
  if (classes_.empty()) return std::nullopt;
  return fmt::format("all schedules for {}", counted(classes_.size(), "class of inputs", "classes of inputs"));
}

Counts InputsAroundSchedules::counts() const {
  Counts all = counts_;
  all.blocked = blocked_before_ + (search_ ? search_->counts().blocked : 0);
  all.paths = branches_.paths();
  return all;
}

}  // namespace treadle
