// SPDX-License-Identifier: Apache-2.0
#include "explore/minimise.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <vector>

#include "finding/diagnose.h"

namespace treadle {
namespace {

using Clock = std::chrono::steady_clock;

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
      : finding_(finding), best_(schedule), program_(program), symbols_(symbols), limits_(limits) {
    recording_.leaks = leaks;
    // What the finding is told apart by must be in the trace.
    recording_.plain = finding.witness.schedule.races == Races::Explore && wants_plain_accesses(finding);
  }

  Result<Minimised> run() {
    Trace trace;
    auto fails = fails_with(best_, trace);
    if (!fails) return fails.problem();
    if (!*fails) return Problem{"the schedule does not fail any more in the way it did", "run `treadle check` again"};
    take(trace);
    const Effort before = effort_;
    if (auto done = try_prefix({}); !done) return done.problem();
    while (!spent()) {
      auto better = one_round();
      if (!better) return better.problem();
      if (!*better) break;
    }
    return Minimised{best_, before, effort_, runs_};
  }

 private:
  /// Something in the list helped.
  Result<bool> one_round() {
    const auto blocks = blocks_of(best_.prefix);
    for (std::size_t i = blocks.size(); i-- > 0 && !spent();) {
      for (const auto& changed : changes(blocks, i)) {
        auto better = try_prefix(decisions_in(changed));
        if (!better || *better) return better;
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

  Result<bool> try_prefix(std::vector<Decision> prefix) {
    Schedule candidate = best_;
    candidate.prefix = std::move(prefix);
    Trace trace;
    auto fails = fails_with(candidate, trace);
    if (!fails) return fails.problem();
    if (!*fails || effort_of(trace) >= effort_) return false;
    take(trace);
    return true;
  }

  Result<bool> fails_with(const Schedule& schedule, Trace& trace) {
    ++runs_;
    if (auto ran = program_.run(schedule, recording_, trace); !ran) return ran.problem();
    return trace.end.ending != TREADLE_END_DIVERGED && quick_key(trace) != 0 && matching(diagnose(trace, symbols_), finding_) != nullptr;
  }

  void take(const Trace& trace) {
    effort_ = effort_of(trace);
    best_ = exactly(best_, trace);
  }

  bool spent() const { return runs_ >= limits_.runs || std::chrono::duration<double>(Clock::now() - begin_).count() >= limits_.seconds; }

  const Finding& finding_;
  Schedule best_;
  Effort effort_;
  Runner& program_;
  const Symbols& symbols_;
  Recording recording_;
  MinimiseLimits limits_;
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
