// SPDX-License-Identifier: Apache-2.0
#include "explore/search.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <thread>

#include "base/check.h"
#include "base/deadline.h"
#include "explore/guard.h"
#include "explore/interrupt.h"
#include "explore/open_reasons.h"
#include "explore/samples.h"

namespace treadle {
namespace {

struct Worker {
  Worker(Runner& its_program, std::uint64_t guard_every) : program(its_program), guard(its_program, guard_every) {}
  Runner& program;
  Guard guard;
  Recording recording;
  std::vector<Schedule> schedules;  // the batch it works on
  std::vector<Ticket> tickets;
  std::vector<Trace> traces;
  std::vector<Digest> digests;
};

/// Workers hold the lock whenever they are here, and let go of it only to run and to wait. Findings are confirmed under it too: they are
/// few, and debug information can be asked by one at a time.
class Search {
 public:
  Search(Strategy& strategy, std::span<Runner* const> programs, const Symbols& symbols, const SearchOptions& options)
      : strategy_(strategy),
        options_(options),
        ledger_(symbols, options.leaks),
        meter_(options.budget, static_cast<unsigned>(programs.size())),
        recording_(wanted()),
        probes_(options.size, options.schedule, strategy.classes()) {
    for (Runner* program : programs) workers_.emplace_back(*program, options.guard_every);
  }

  SearchResult go() {
    Interrupt interrupt;
    std::optional<Deadline> deadline;
    if (!options_.checkpoint) deadline.emplace(options_.budget.seconds);  // what is saved must be whole
    if (auto restored = restore(); !restored) {
      problem_ = restored.problem();
      may_save_ = false;  // what could not be looked at again must not be lost
    }
    {
      std::vector<std::jthread> others;
      for (std::size_t i = 1; i < workers_.size(); ++i) others.emplace_back([this, i] { work(workers_[i]); });
      work(workers_.front());
    }
    save_state();
    return conclusion();
  }

 private:
  void work(Worker& worker) {
    std::unique_lock lock(mutex_);
    while (take(worker, lock)) {
      lock.unlock();
      auto ran = worker.guard.run_batch(worker.schedules, worker.recording, worker.traces);
      if (ran) summarise(worker);
      lock.lock();
      out_ -= worker.tickets.size();
      if (ran)
        give_back(worker);
      else if (!problem_)
        problem_ = ran.problem();
      probe(worker, lock);
      samples_.take_if_due([this] { return sample(); }, meter_.seconds());
      if (progress_.is_due(meter_.seconds())) progress_.show(how_far());
      if (meter_.seconds() - saved_at_ >= options_.checkpoint_every) save_state();
      changed_.notify_all();
    }
    changed_.notify_all();
  }

  /// A batch for the worker; false: the search is over. Waits while all work there is depends on what others are running.
  bool take(Worker& worker, std::unique_lock<std::mutex>& lock) {
    for (;; changed_.wait(lock)) {
      bool asked = false;
      do {
        if (!stopped_) stopped_ = why_stop();
        if (stopped_ || exhausted_) return false;
        asked = ask(worker);
      } while (!asked && strategy_.thinking());
      if (asked) return true;
      if (out_ == 0) {
        if (!stopped_) stopped_ = why_stop();
        exhausted_ = !stopped_;
        return false;
      }
    }
  }

  bool ask(Worker& worker) {
    worker.schedules.clear();
    worker.tickets.clear();
    const std::size_t ahead = strategy_.ahead();
    check(ahead > 0, "a strategy of which nothing is out can be asked");
    for (std::size_t n = meter_.batch(ahead, {ledger_.tally().executions, ledger_.tally().steps, out_}); n > 0; --n) {
      std::optional<Item> item;
      in_time([&] { item = strategy_.next(); });
      if (!item) break;
      worker.schedules.push_back(std::move(item->schedule));
      worker.tickets.push_back(item->ticket);
    }
    worker.recording = recording_ = wanted();  // a strategy may want something else from here on; what others run stays as it was asked for
    out_ += worker.tickets.size();
    return !worker.tickets.empty();
  }

  /// A strategy that was interrupted while it thought is not asked any more.
  template <class Think>
  void in_time(Think think) {
    if (gave_up_) return;
    try {
      think();
    } catch (const OutOfTime&) {
      gave_up_ = true;
      stopped_ = why_stop().value_or("interrupted");
    }
  }

  Recording wanted() const {
    Recording recording = strategy_.needs();
    recording.leaks |= options_.leaks;
    return recording;
  }

  void summarise(Worker& worker) const {
    worker.digests.clear();
    for (const Trace& trace : worker.traces) worker.digests.push_back(digest(trace, options_.outcomes));
  }

  void give_back(Worker& worker) {
    for (std::size_t i = 0; i < worker.tickets.size() && !enough(); ++i) {
      if (strategy_.is_a_check(worker.tickets[i])) worker.digests[i].tally = {};
      in_time([&] { strategy_.learn_from(worker.tickets[i], worker.traces[i]); });
      if (worker.traces[i].end.ending == TREADLE_END_DIVERGED && strategy_.is_tentative(worker.tickets[i])) continue;
      auto taken = ledger_.take_in(worker.schedules[i], worker.traces[i], worker.digests[i], worker.program);
      if (!taken && !problem_) problem_ = taken.problem();
    }
    if (auto difference = worker.guard.take()) ledger_.not_determined(*difference);
  }

  /// A few executions at random, besides those of the strategy: they are in no count but the estimate's.
  void probe(Worker& worker, std::unique_lock<std::mutex>& lock) {
    const std::size_t due = problem_ || enough() ? 0 : probes_.due(made());
    if (due == 0) return;
    worker.schedules.clear();
    for (std::size_t i = 0; i < due; ++i) worker.schedules.push_back(probes_.next());
    Recording recording = recording_;
    recording.choices = true;
    lock.unlock();
    auto ran = worker.program.run_batch(worker.schedules, recording, worker.traces);
    if (ran) summarise(worker);
    lock.lock();
    if (!ran) {
      if (!problem_) problem_ = ran.problem();
      return;
    }
    for (std::size_t i = 0; i < due && !enough(); ++i) {
      probes_.learn_from(worker.traces[i]);
      Digest uncounted;
      uncounted.troubled = worker.digests[i].troubled;
      auto taken = ledger_.take_in(worker.schedules[i], worker.traces[i], uncounted, worker.program);
      if (!taken && !problem_) problem_ = taken.problem();
    }
  }

  bool enough() const { return options_.stop_at_first && !ledger_.findings().empty(); }

  std::optional<std::string> why_stop() const {
    if (problem_) return "the program cannot be run any further";
    if (Interrupt::raised()) return "interrupted";
    if (enough()) return "stopped at the first finding";
    return meter_.spent(ledger_.tally().executions);
  }

  Result<Done> restore() {
    auto checkpoint = options_.checkpoint ? options_.checkpoint->take() : std::nullopt;
    if (!checkpoint) return Done{};
    resumed_ = checkpoint->tally.executions > 0;
    meter_.add_earlier(checkpoint->seconds);
    probes_.begin_at(checkpoint->tally.executions - std::min(checkpoint->tally.executions, strategy_.counts().blocked));
    ledger_.restore(checkpoint->tally, std::move(checkpoint->outcomes));
    for (const KnownFinding& known : checkpoint->findings)
      if (auto seen = ledger_.see_again(known, recording_, workers_.front().program); !seen) return seen;
    return Done{};
  }

  /// What cannot be saved is told at the end: the search itself is worth more than its checkpoint.
  void save_state() {
    saved_at_ = meter_.seconds();
    if (!options_.checkpoint || !may_save_ || save_problem_) return;
    auto saved =
        options_.checkpoint->save({{}, meter_.seconds(), ledger_.tally(), ledger_.outcomes(), ledger_.known_findings(), strategy_.save()});
    if (!saved) save_problem_ = saved.problem();
  }

  /// Estimates are of those alone: what was given up on the way does not count.
  std::uint64_t made() const {
    const std::uint64_t all = ledger_.tally().executions;
    return all - std::min(all, strategy_.counts().blocked);
  }

  /// A lower bound would be taken for an estimate where there is no room to say what it is.
  std::optional<double> estimated_executions() {
    const auto known = estimate();
    return known && !known->at_least ? std::optional(known->executions) : std::nullopt;
  }

  Sample sample() { return {meter_.seconds(), made(), strategy_.counts().redundant, ledger_.findings().size(), estimated_executions()}; }

  HowFar how_far() {
    return {made(), ledger_.findings().size(), meter_.seconds(), estimated_executions(), options_.budget.executions, meter_.deadline()};
  }

  /// By the probes, unless the search has come further than they say: then by the shape of what it has explored.
  std::optional<Estimate> estimate() {
    const auto so_far = static_cast<double>(made());
    if (strategy_.samples() || so_far == 0) return std::nullopt;
    auto estimate = exhausted_ ? std::nullopt : probes_.size();
    if (!estimate || (estimate->executions <= so_far && (estimate->at_least || strategy_.classes() == nullptr))) {
      const auto from_shape = strategy_.estimate();
      if (!from_shape) return std::nullopt;
      estimate = Estimate{.executions = *from_shape};
    }
    estimate->executions = std::max(estimate->executions, so_far);
    estimate->seconds_left = (estimate->executions - so_far) * meter_.seconds() / so_far;
    return estimate;
  }

  SearchResult conclusion() {
    SearchResult result;
    result.verdict = conclude(strategy_, options_.schedule, ledger_.tally(), stopped_, !ledger_.findings().empty());
    result.gaps = strategy_.gaps();
    result.open = open_reasons(strategy_, options_.schedule, ledger_.tally(), stopped_);
    result.tally = ledger_.tally();
    result.counts = strategy_.counts();
    result.solver = strategy_.solver().value_or(SolverCounts{});
    result.findings = ledger_.findings();
    result.unconfirmed = ledger_.unconfirmed();
    result.outcomes = ledger_.outcomes();
    result.seconds = meter_.seconds();
    if (stopped_) result.estimate = estimate();
    result.samples = samples_.taken();
    result.samples.push_back(sample());
    const auto most = options_.budget.executions;
    result.can_go_on = stopped_ && !problem_ && !enough() && !(most && ledger_.tally().executions >= *most);
    result.resumed = resumed_;
    result.problem = problem_ ? problem_ : save_problem_;
    return result;
  }

  Strategy& strategy_;
  const SearchOptions& options_;
  Ledger ledger_;
  Meter meter_;
  Recording recording_;
  Probes probes_;
  Progress progress_;
  Samples samples_;
  std::deque<Worker> workers_;

  std::mutex mutex_;
  std::condition_variable changed_;  // results have come in, or it is over
  std::size_t out_ = 0;              // items that workers have
  std::optional<std::string> stopped_;
  bool exhausted_ = false, gave_up_ = false;
  bool resumed_ = false, may_save_ = true;
  double saved_at_ = 0;
  std::optional<Problem> problem_, save_problem_;
};

}  // namespace

bool is_complete(const SearchResult& result) {
  return result.verdict.kind == VerdictKind::Clean || (result.verdict.kind == VerdictKind::Bugs && !result.can_go_on && !result.problem);
}

SearchResult search(Strategy& strategy, std::span<Runner* const> programs, const Symbols& symbols, const SearchOptions& options) {
  return Search(strategy, programs, symbols, options).go();
}

}  // namespace treadle
