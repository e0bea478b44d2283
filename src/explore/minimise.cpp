// SPDX-License-Identifier: Apache-2.0
#include "explore/minimise.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "finding/diagnose.h"
#include "finding/triage.h"

namespace treadle {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t most_at_a_time = 24;
constexpr double a_moment = 0.02;  // seconds

/// Decisions of one thread, one after another; its stores on their way to memory go with it.
struct Block {
  ThreadId thread{};
  std::vector<Decision> decisions;
};

std::vector<Block> blocks_of(const std::vector<Decision>& decisions) {
  std::vector<Block> blocks;
  for (const Decision& decision : decisions) {
    if (blocks.empty() || blocks.back().thread != decision.thread) blocks.push_back({decision.thread, {}});
    blocks.back().decisions.push_back(decision);
  }
  return blocks;
}

std::vector<Decision> decisions_in(const std::vector<Block>& blocks) {
  std::vector<Decision> decisions;
  for (const Block& block : blocks) decisions.insert(decisions.end(), block.decisions.begin(), block.decisions.end());
  return decisions;
}

std::optional<std::size_t> next_of(const std::vector<Block>& blocks, std::size_t at) {
  for (std::size_t i = at + 1; i < blocks.size(); ++i)
    if (blocks[i].thread == blocks[at].thread) return i;
  return std::nullopt;
}

class Minimiser {
 public:
  Minimiser(const Finding& finding, const Schedule& schedule, Runner& program, const Symbols& symbols, bool leaks,
            const MinimiseLimits& limits)
      : finding_(finding), best_(schedule), program_(program), symbols_(symbols), limits_(limits), precise_(is_precise(finding)) {
    recording_.leaks = leaks;
    // What the finding is told apart by must be in the trace.
    recording_.plain = finding.witness.schedule.races == Races::Explore && wants_plain_accesses(finding);
  }

  Result<Minimised> run() {
    if (auto ran = run_all({best_.prefix, {}}); !ran) return ran.problem();
    if (!fails(traces_[0])) return Problem{"the schedule does not fail any more in the way it did", "run `treadle check` again"};
    take(traces_[0]);
    const Effort before = effort_;
    if (is_better(traces_[1])) take(traces_[1]);
    while (!spent()) {
      auto better = one_round();
      if (!better) return better.problem();
      if (!*better) break;
    }
    return Minimised{best_, before, effort_, runs_};
  }

 private:
  /// Something in the list helped: the first that does. They are run many at a time, since to hand one over takes as long as to run it.
  Result<bool> one_round() {
    const auto blocks = blocks_of(best_.prefix);
    std::vector<std::vector<Decision>> prefixes;
    for (std::size_t i = blocks.size(); i-- > 0 && !spent();) {
      for (const auto& changed : changes(blocks, i)) prefixes.push_back(decisions_in(changed));
      if (prefixes.size() < at_a_time() && i > 0) continue;
      if (auto ran = run_all(std::exchange(prefixes, {})); !ran) return ran.problem();
      for (const Trace& trace : traces_)
        if (is_better(trace)) {
          take(trace);
          return true;
        }
    }
    return false;
  }

  static std::vector<std::vector<Block>> changes(const std::vector<Block>& blocks, std::size_t at) {
    std::vector<std::vector<Block>> all;
    auto without = blocks;
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(at));
    // The rest is left to itself from here on.
    all.emplace_back(blocks.begin(), blocks.begin() + static_cast<std::ptrdiff_t>(at));
    all.push_back(without);
    if (const auto next = next_of(blocks, at)) {
      auto put_off = without;
      put_off.insert(put_off.begin() + static_cast<std::ptrdiff_t>(*next - 1), blocks[at]);
      all.push_back(std::move(put_off));
      auto fetched = blocks;
      fetched.erase(fetched.begin() + static_cast<std::ptrdiff_t>(*next));
      fetched.insert(fetched.begin() + static_cast<std::ptrdiff_t>(at + 1), blocks[*next]);
      all.push_back(std::move(fetched));
    }
    return all;
  }

  Result<Done> run_all(const std::vector<std::vector<Decision>>& prefixes) {
    std::vector<Schedule> schedules(prefixes.size(), best_);
    for (std::size_t i = 0; i < prefixes.size(); ++i) schedules[i].prefix = prefixes[i];
    runs_ += prefixes.size();
    return program_.run_batch(schedules, recording_, traces_);
  }

  /// As many as take a moment.
  std::size_t at_a_time() const {
    const double each = seconds() / static_cast<double>(runs_);
    const auto left = static_cast<std::size_t>(limits_.runs - std::min(limits_.runs, runs_));
    return std::min({most_at_a_time, left, static_cast<std::size_t>(a_moment / std::max(each, 1e-6))});
  }

  bool is_better(const Trace& trace) { return fails(trace) && effort_of(trace) < effort_; }
  bool fails(const Trace& trace) { return trace.end.ending != TREADLE_END_DIVERGED && shows_it(trace); }

  /// To diagnose takes longer than to run: what has been diagnosed once is known by its key from then on. Not where everybody waits, which
  /// may tell of other troubles as well.
  bool shows_it(const Trace& trace) {
    const auto keys = quick_keys(trace);
    if (keys.empty()) return false;
    const bool by_key = precise_ && trace.end.ending != TREADLE_END_DEADLOCK && trace.end.ending != TREADLE_END_LIVELOCK;
    if (by_key && std::ranges::all_of(keys, [&](std::uint64_t key) { return is_it_.contains(key); }))
      return std::ranges::any_of(keys, [&](std::uint64_t key) { return is_it_.at(key); });
    const auto findings = diagnose(trace, symbols_);
    const Finding* const same = matching(findings, finding_);
    if (by_key)
      for (const Finding& finding : findings) is_it_[finding.key] = &finding == same;
    return same != nullptr;
  }

  void take(const Trace& trace) {
    effort_ = effort_of(trace);
    best_ = exactly(best_, trace);
  }

  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }
  bool spent() const { return runs_ >= limits_.runs || seconds() >= limits_.seconds; }

  const Finding& finding_;
  Schedule best_;
  Effort effort_;
  Runner& program_;
  const Symbols& symbols_;
  Recording recording_;
  MinimiseLimits limits_;
  bool precise_;
  std::unordered_map<std::uint64_t, bool> is_it_;  // by the keys of troubles
  std::vector<Trace> traces_;                      // of what was run last
  std::uint64_t runs_ = 0;
  Clock::time_point begin_ = Clock::now();
};

}  // namespace

Effort effort_of(const Trace& trace) {
  Effort effort{trace.preemptions, 0, static_cast<std::uint32_t>(trace.choices.size())};
  std::optional<ThreadId> last;
  for (const Choice& choice : trace.choices) {
    if (choice.taken.kind == DecisionKind::Flush) continue;
    if (last && *last != choice.taken.thread) ++effort.switches;
    last = choice.taken.thread;
  }
  return effort;
}

Result<Minimised> minimise(const Finding& finding, const Schedule& schedule, Runner& program, const Symbols& symbols, bool leaks,
                           const MinimiseLimits& limits) {
  return Minimiser(finding, schedule, program, symbols, leaks, limits).run();
}

}  // namespace treadle
