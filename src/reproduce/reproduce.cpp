// SPDX-License-Identifier: Apache-2.0
#include "reproduce/reproduce.h"

#include <algorithm>
#include <chrono>

#include "base/check.h"
#include "explore/confirm.h"
#include "explore/essence.h"
#include "explore/minimise.h"
#include "explore/strategies.h"
#include "finding/diagnose.h"
#include "reproduce/delays.h"
#include "reproduce/formula.h"
#include "reproduce/steering.h"

namespace treadle {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t batch = 16;
constexpr double first_turn = 0.5;         // seconds
constexpr std::size_t most_asked = 5'000;  // steps of a run that the formula is about
constexpr int ways_on = 4;                 // from where an answer leads

class Reproducer {
 public:
  Reproducer(const Ways& ways, const RecordedFailure& failure, const Cast& cast, const Symbols& symbols, const ReproduceOptions& options,
             const std::function<void(const Reproduced&)>& tell)
      : ways_(ways), failure_(failure), cast_(cast), symbols_(symbols), options_(options), tell_(tell) {
    if (cast.ordered != nullptr)
      for (const Way& way : ways.threads) result_.gates += way.gates.size();
  }

  Result<Reproduced> run() {
    Schedule base = options_.schedule;
    base.races = Races::Explore;
    Schedule coarse = base;
    coarse.races = Races::Ignore;
    Steering with_plain(base), without_plain(coarse), ordered_with_plain(base), ordered_without_plain(coarse);
    StrategyOptions wish;
    wish.schedule = base;
    const auto entry = strategy_for("optimal", wish);
    check(bool(entry), "optimal partial order reduction knows all memory models");
    const auto everything = (*entry)->make(wish);
    const auto at_first = without_switches(base);
    if (!at_first) return at_first.problem();
    bool is_exhausted = false;
    for (double turn = first_turn; !is_over(); turn *= 2) {
      if (cast_.ordered != nullptr)
        for (Steering* steering : {&ordered_without_plain, &ordered_with_plain})
          if (auto done = steer(*steering, *cast_.ordered, turn / 2, "the order on each core"); !done) return done.problem();
      for (Steering* steering : {&without_plain, &with_plain})
        if (auto done = steer(*steering, cast_.following, turn / 2, "steering"); !done) return done.problem();
      if (auto done = aim(turn); !done) return done.problem();
      if (auto done = ask(with_plain, turn); !done) return done.problem();
      if (auto done = search(*everything, turn, is_exhausted); !done) return done.problem();
      if (is_exhausted) break;
    }
    if (!result_.found && early_)
      if (auto done = take_early(); !done) return done.problem();
    if (!result_.found && is_exhausted) {
      const auto in_the_end = without_switches(base);
      if (!in_the_end) return in_the_end.problem();
      conclude(*everything, *at_first == *in_the_end);
    }
    result_.seconds = seconds();
    return std::move(result_);
  }

 private:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }
  bool is_over() const { return result_.found || seconds() >= options_.seconds || options_.interrupted(); }

  Result<Done> steer(Steering& steering, Runner& program, double turn, const char* who) {
    const double until = seconds() + turn;
    Recording recording;
    recording.choices = true;
    while (!is_over() && seconds() < until) {
      const auto schedules = steering.next(batch);
      if (auto done = run_all(program, schedules, recording, who); !done) return done;
      steering.learn_from(traces_);
    }
    return Done{};
  }

  /// From the runs that came furthest; in the end those in which everybody was led to the end of its record and nothing failed. Then
  /// steering has nothing to go by any more, and this gets more time.
  Result<Done> aim(double turn) {
    const double start = seconds();
    const auto is_done = [&] { return seconds() >= start + (result_.best.share() == 1 ? 4 * turn : turn); };
    Recording recording;
    recording.choices = true;
    while (!is_over() && !is_done()) {
      const auto schedules = delays_.next(batch);
      if (schedules.empty()) break;
      if (auto done = run_all(cast_.following, schedules, recording, "delays"); !done) return done;
    }
    return Done{};
  }

  /// The formula over the run that came furthest. What comes of its answers, steering goes on with.
  Result<Done> ask(Steering& steering, double turn) {
    const double until = seconds() + turn;
    while (!is_over() && furthest_ && seconds() < until) {
      const Schedule exact = *std::exchange(furthest_, std::nullopt);
      Recording recording;
      recording.choices = recording.plain = recording.symbolic = true;
      if (auto ran = cast_.following.run_batch({exact}, recording, traces_); !ran) return ran;
      const Trace led = std::move(traces_.front());
      if (led.notes.empty()) return Done{};  // not a symbolic build
      std::vector<Schedule> schedules;
      for (Schedule answer : solve_for(led, exact, failure_, until - seconds()))
        for (int i = 0; i < ways_on; ++i) {
          answer.policy = i == 0 ? Policy::Continue : Policy::Random;
          answer.seed = ++seed_;
          schedules.push_back(answer);
        }
      recording.plain = recording.symbolic = false;
      if (schedules.empty()) break;
      if (auto done = run_all(cast_.following, schedules, recording, "the formula"); !done) return done;
      steering.learn_from(traces_);
    }
    return Done{};
  }

  Result<Done> search(Strategy& strategy, double turn, bool& is_exhausted) {
    const double until = seconds() + turn;
    while (!is_over() && seconds() < until) {
      std::vector<Schedule> schedules;
      std::vector<Ticket> tickets;
      while (schedules.size() < batch && schedules.size() < strategy.ahead()) {
        auto item = strategy.next();
        if (!item) break;
        schedules.push_back(std::move(item->schedule));
        tickets.push_back(item->ticket);
      }
      if (schedules.empty()) {
        is_exhausted = !strategy.thinking();
        if (is_exhausted) return Done{};
        continue;
      }
      if (auto done = run_all(cast_.following, schedules, strategy.needs(), "the search of all schedules"); !done) return done;
      for (std::size_t i = 0; i < tickets.size(); ++i) strategy.learn_from(tickets[i], traces_[i]);
    }
    return Done{};
  }

  Result<Done> run_all(Runner& program, const std::vector<Schedule>& schedules, const Recording& recording, const char* who) {
    if (auto ran = program.run_batch(schedules, recording, traces_); !ran) return ran;
    for (std::size_t i = 0; i < schedules.size(); ++i) {
      result_.tally.count(traces_[i]);
      measure(schedules[i], traces_[i]);
      if (result_.found) continue;
      if (!fails_as_recorded(traces_[i], failure_)) {
        consider_early(schedules[i], traces_[i], who);
        delays_.consider(schedules[i], traces_[i]);
        continue;
      }
      if (auto done = take(schedules[i], traces_[i]); !done) return done;
      if (result_.found) result_.by = who;
    }
    tell_(result_);
    return Done{};
  }

  void measure(const Schedule& schedule, const Trace& trace) {
    const std::uint64_t matched = matched_blocks(trace);
    if (matched > best_ || (matched == best_ && !furthest_)) furthest_ = plain_steps(schedule, trace);
    if (matched < best_ || (matched == best_ && !result_.best.threads.empty())) return;
    best_ = matched;
    const auto standings = standings_of(trace);
    result_.best.threads.clear();
    for (const Way& way : ways_.threads) {
      ThreadProgress progress{way.thread, 0, way.blocks.size(), false};
      for (const Standing& standing : standings)
        if (name_of(standing.thread, trace.threads) == way.thread) {
          progress.matched = standing.position;
          progress.left = standing.state == TREADLE_PATH_LEFT;
        }
      result_.best.threads.push_back(std::move(progress));
    }
  }

  /// To be asked about: where each access is a step of its own, and there are not too many of them.
  static std::optional<Schedule> plain_steps(const Schedule& schedule, const Trace& trace) {
    if (schedule.races != Races::Explore || trace.choices.size() > most_asked) return std::nullopt;
    return exactly(schedule, trace);
  }

  /// A run that fails as recorded: by its decisions alone, without the recording, and by as few switches as it takes.
  Result<Done> take(const Schedule& schedule, const Trace& trace) {
    Schedule exact = exactly(schedule, trace);
    const auto findings = diagnose(trace, symbols_);
    if (findings.empty()) return Done{};
    Finding finding = findings.front();
    finding.witness.schedule = exact;
    finding.execution = result_.tally.executions;
    const Schedule led = exact;
    if (auto smaller = minimise(finding, exact, cast_.following, symbols_, false, {.seconds = options_.minimise_seconds}); smaller)
      exact = smaller->schedule;
    Trace detailed;
    auto confirmed = confirm(finding, exact, cast_.free, symbols_, false, detailed);
    if (!confirmed) return confirmed.problem();
    if (!confirmed->confirmed) {
      result_.limits = "a run that failed as recorded did not do so again when it was replayed";
      return Done{};
    }
    confirmed->witness.essence = essence_of(detailed, *confirmed, symbols_, exact.races);
    result_.found = Found{*confirmed, tell(detailed, *confirmed, symbols_)};
    result_.verdict = ReproduceVerdict::Reproduced;
    result_.led = led;
    return Done{};
  }

  void consider_early(const Schedule& schedule, const Trace& trace, const char* who) {
    const auto found = breaks_early(trace, failure_);
    if (!found) return;
    if (!early_ || *found > early_->found) early_ = Early{schedule, trace, *found, who};
  }

  /// Nothing better was found. What comes behind the use of freed memory is not looked at, so nothing is known to be unreachable; a crash
  /// is shown by that use, which it comes of.
  Result<Done> take_early() {
    result_.limits = "a thread uses freed memory on its way, and what comes behind that is not looked at";
    if (!may_come_of_freed_memory(failure_)) return Done{};
    if (auto done = take(early_->schedule, early_->trace); !done) return done;
    if (!result_.found) return Done{};
    result_.early = name_of(early_->trace.end.thread, early_->trace.threads);
    result_.by = early_->by;
    return Done{};
  }

  /// How far each thread comes when nobody is interrupted. Always the same, unless something outside has changed: files that the program
  /// itself writes, for example.
  Result<std::vector<std::uint64_t>> without_switches(const Schedule& base) {
    Schedule schedule = base;
    schedule.policy = Policy::Continue;
    if (auto ran = cast_.following.run_batch({schedule}, {}, traces_); !ran) return ran.problem();
    std::vector<std::uint64_t> positions;
    for (const Standing& standing : standings_of(traces_.front())) positions.push_back(standing.position);
    return positions;
  }

  void conclude(const Strategy& strategy, bool is_repeatable) {
    if (!is_repeatable)
      result_.limits = "the program does not do the same again: it depends on something outside, such as files that it writes";
    if (result_.tally.cut_off() > 0) result_.limits = "some executions were cut off by a limit";
    if (result_.tally.diverged > 0) result_.limits = "some schedules could not be followed";
    if (strategy.leaves_out()) result_.limits = "a bound left schedules out";
    if (result_.limits.empty()) result_.verdict = ReproduceVerdict::Unreachable;
  }

  const Ways& ways_;
  const RecordedFailure& failure_;
  const Cast& cast_;
  const Symbols& symbols_;
  const ReproduceOptions& options_;
  const std::function<void(const Reproduced&)>& tell_;
  Clock::time_point begin_ = Clock::now();
  std::vector<Trace> traces_;
  std::uint64_t best_ = 0;
  Delays delays_{failure_};
  std::optional<Schedule> furthest_;  // that came as far as any, and has not been asked about
  std::uint64_t seed_ = 0;
  struct Early {
    Schedule schedule;
    Trace trace;
    EarlyBreak found;
    const char* by;
  };
  std::optional<Early> early_;
  Reproduced result_;
};

}  // namespace

double Matched::share() const {
  std::uint64_t matched = 0, blocks = 0;
  for (const ThreadProgress& thread : threads) {
    matched += thread.matched;
    blocks += thread.blocks;
  }
  return blocks == 0 ? 1 : static_cast<double>(matched) / static_cast<double>(blocks);
}

Result<Reproduced> reproduce(const Ways& ways, const RecordedFailure& failure, const Cast& cast, const Symbols& symbols,
                             const ReproduceOptions& options, const std::function<void(const Reproduced&)>& tell_progress) {
  return Reproducer(ways, failure, cast, symbols, options, tell_progress).run();
}

}  // namespace treadle
