// SPDX-License-Identifier: Apache-2.0
#include "predict/assertion.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace treadle {
namespace {

constexpr std::uint32_t widest_bound = 6;  // beyond it any number is asked for at once

class Assertions {
 public:
  Assertions(const Trace& trace, const AssertionOptions& options)
      : trace_(trace), options_(options), model_(trace, model_options(), options.make_solver()) {}

  Predictions predict() {
    for (std::uint32_t note = 0; note < trace_.notes.size(); ++note)
      if (guards_failure(trace_.notes[note]) && trace_.notes[note].expression != 0) ask(note);
    out_.coverage.limits = model_.limits();
    out_.coverage.complete = out_.coverage.unanswered == 0 && out_.coverage.limits.empty() && out_.coverage.context_bound == 0;
    return std::move(out_);
  }

 private:
  using Place = std::tuple<std::uint64_t, std::uint8_t, std::uint8_t>;

  TraceModelOptions model_options() const {
    TraceModelOptions out;
    out.model = options_.model;
    out.races = options_.races;
    out.kind = options_.kind;
    out.count_switches = options_.context_bound != 0 || options_.widen_bound;
    out.limit = options_.limit;
    return out;
  }

  void ask(std::uint32_t note) {
    const Note& what = trace_.notes[note];
    const Place place{what.pc, what.kind, what.reason};
    const auto known = what.pc == 0 ? failing_.end() : failing_.find(place);
    if (known != failing_.end() && known->second.ways >= options_.ways) return;
    const Truth holds = model_.holds(note);
    if (holds.is_true()) return;
    std::vector<Truth> wanted{~holds};
    const auto target = model_.way_to(note, wanted);
    if (!target) return;
    ++out_.coverage.questions;
    const Reply reply = answer(wanted, *target);
    if (reply.answer == Answer::Unknown) ++out_.coverage.unanswered;
    if (reply.answer != Answer::Yes) return;
    Failing& here = known != failing_.end() ? known->second : failing_[place];
    if (here.ways++ == 0 || what.pc == 0) here.group = note;
    Prediction found;
    found.kind = PredictionKind::Assertion;
    found.guarded = static_cast<TreadleGuarded>(what.reason);
    found.note = note;
    found.pc = what.pc;
    found.group = here.group;
    found.units = reply.units;
    found.decisions = reply.decisions;
    out_.found.push_back(std::move(found));
  }

  Reply answer(const std::vector<Truth>& wanted, const Target& target) {
    const std::span ends(&target, 1);
    if (options_.widen_bound) {
      for (std::uint32_t bound = 1; bound <= widest_bound; ++bound)
        if (const Reply reply = within(bound, wanted, ends); reply.answer != Answer::No || !bounded_) return reply;
      return model_.ask(wanted, ends);
    }
    if (options_.context_bound == 0) return model_.ask(wanted, ends);
    Reply reply = within(options_.context_bound, wanted, ends);
    if (reply.answer == Answer::No && bounded_) out_.coverage.context_bound = options_.context_bound;
    return reply;
  }

  /// After No, bounded_ says whether more switches might give another answer.
  Reply within(std::uint32_t bound, std::vector<Truth> wanted, std::span<const Target> ends) {
    const Truth few = model_.switches_within(bound);
    wanted.push_back(few);
    Reply reply = model_.ask(wanted, ends);
    bounded_ = std::find(reply.core.begin(), reply.core.end(), few) != reply.core.end();
    return reply;
  }

  const Trace& trace_;
  const AssertionOptions& options_;
  TraceModel model_;
  Predictions out_;
  struct Failing {
    std::uint32_t group = 0, ways = 0;
  };
  std::map<Place, Failing> failing_;
  bool bounded_ = false;
};

}  // namespace

Predictions predict_assertions(const Trace& trace, const AssertionOptions& options) { return Assertions(trace, options).predict(); }

}  // namespace treadle
