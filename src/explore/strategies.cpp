// SPDX-License-Identifier: Apache-2.0
#include "explore/strategies.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>

#include "explore/completed.h"
#include "explore/dpor.h"
#include "explore/exhaustive.h"
#include "explore/icb.h"
#include "explore/icb_dpor.h"
#include "explore/mcr.h"
#include "explore/mpc.h"
#include "explore/mpc_s1.h"
#include "explore/optimal.h"
#include "explore/pct.h"
#include "explore/random.h"
#include "explore/value.h"

namespace treadle {
namespace {

constexpr std::uint32_t default_depth = 3;

std::unique_ptr<Strategy> make_exhaustive(const StrategyOptions& options) {
  return std::make_unique<Exhaustive>(options.schedule, options.preemptions);
}
std::unique_ptr<Strategy> make_dpor(const StrategyOptions& options) { return std::make_unique<Dpor>(options.schedule); }
std::unique_ptr<Strategy> make_optimal(const StrategyOptions& options) { return std::make_unique<Optimal>(options.schedule); }
std::unique_ptr<Strategy> make_value(const StrategyOptions& options) {
  return std::make_unique<Value>(options.schedule, ClassBy::Values, options.self_check);
}
std::unique_ptr<Strategy> make_rf(const StrategyOptions& options) {
  return std::make_unique<Value>(options.schedule, ClassBy::ReadsFrom, options.self_check);
}
std::unique_ptr<Strategy> make_icb(const StrategyOptions& options) { return std::make_unique<Icb>(options.schedule, options.preemptions); }
std::unique_ptr<Strategy> make_icb_dpor(const StrategyOptions& options) {
  return std::make_unique<IcbDpor>(options.schedule, options.preemptions);
}
/// Completed, because what keeps prefixes may miss something (completed.h).
std::unique_ptr<Strategy> completed(const StrategyOptions& options, const McrOptions& how) {
  const auto first = how.runs_nothing_twice ? Completed::First::RunsNothingTwice : Completed::First::GoesOn;
  return std::make_unique<Completed>(options.schedule, first, [&](KnownExecutions& known) {
    McrOptions all = how;
    all.known = all.runs_nothing_twice ? &known : nullptr;
    return std::make_unique<Mcr>(options.schedule, all);
  });
}
std::unique_ptr<Strategy> make_mcr(const StrategyOptions& options) { return completed(options, {}); }
std::unique_ptr<Strategy> make_mcr_s(const StrategyOptions& options) {
  return completed(options, {.keep_all_before = false, .dependence = options.dependence});
}
std::unique_ptr<Strategy> make_mcr_s_plus(const StrategyOptions& options) {
  return completed(options, {.runs_nothing_twice = true, .dependence = options.dependence, .direct_answers = true});
}
std::unique_ptr<Strategy> make_se_mcr(const StrategyOptions& options) {
  return completed(options, {.switch_equivalence = true, .runs_nothing_twice = true});
}
std::unique_ptr<Strategy> make_mpc(const StrategyOptions& options) {
  const bool by_schedules = std::getenv("TREADLE_MPC_BY_SCHEDULES") != nullptr;  // for tests
  return std::make_unique<Mpc>(options.schedule, MpcOptions{.jobs = options.jobs, .by_schedules = by_schedules});
}
std::unique_ptr<Strategy> make_mpc_s1(const StrategyOptions& options) { return std::make_unique<MpcS1>(options.schedule); }
std::unique_ptr<Strategy> make_random(const StrategyOptions& options) { return std::make_unique<Random>(options.schedule); }
std::unique_ptr<Strategy> make_pct(const StrategyOptions& options) {
  return std::make_unique<Pct>(options.schedule, options.depth.value_or(default_depth));
}

const Budget for_a_minute{.seconds = 60};
const Budget for_thousand{.executions = 1000};

const std::array table{
    StrategyEntry{"optimal", "each schedule that differs from all others in more than the order of independent steps, exactly once", true,
                  false, false, for_a_minute, make_optimal},
    StrategyEntry{"exhaustive", "every schedule, no reduction; for small programs, or with --preemptions", true, true, false, for_a_minute,
                  make_exhaustive},
    StrategyEntry{"dpor", "every schedule that differs, by dynamic partial order reduction with sleep sets", true, false, false,
                  for_a_minute, make_dpor},
    StrategyEntry{"value", "one execution for each combination of values that the threads can read, none twice", true, false, false,
                  for_a_minute, make_value},
    StrategyEntry{"rf", "one execution for each way in which reads can take their values from writes; for comparison with value", true,
                  false, false, for_a_minute, make_rf},
    StrategyEntry{
        "icb",
        "every schedule in the order of its preemptions: those without, then those with one, two, ...; most bugs need one or two, "
        "and each bound completed is told; ends after --preemptions K",
        true, true, false, for_a_minute, make_icb},
    StrategyEntry{"icb-dpor", "as icb, but of the schedules that do not differ within a bound only some are run; for larger bounds", false,
                  true, false, for_a_minute, make_icb_dpor},
    StrategyEntry{"mcr", "maximal causality: for each value that a read can have, an execution in which it has", true, false, false,
                  for_a_minute, make_mcr},
    StrategyEntry{"mcr-s", "as mcr, with smaller questions: reads that nothing depends on need not keep their values", true, false, false,
                  for_a_minute, make_mcr_s, true},
    StrategyEntry{"mcr-s+", "as mcr-s, but without running anything twice", true, false, false, for_a_minute, make_mcr_s_plus, true},
    StrategyEntry{"se-mcr", "as mcr, without what two of its executions would find in either order", true, false, false, for_a_minute,
                  make_se_mcr},
    StrategyEntry{"mpc", "all schedules and all inputs: one execution for each path that the threads can take", true, false, false,
                  for_a_minute, make_mpc, false, true, true},
    StrategyEntry{"mpc-s1", "as mpc, by the paper's simpler strategy, which misses paths; for comparison", true, false, false, for_a_minute,
                  make_mpc_s1, false, true},
    StrategyEntry{"random", "each step at random; for programs with too many schedules", true, false, false, for_thousand, make_random},
    StrategyEntry{"pct", "random priorities that change at a few points; finds bugs of --depth D with a known probability", true, false,
                  true, for_thousand, make_pct},
};

std::string known_names() {
  std::string names;
  for (const auto& entry : table) names += fmt::format("{}{}", names.empty() ? "" : ", ", entry.name);
  return names;
}

}  // namespace

std::span<const StrategyEntry> strategies() { return table; }

Result<const StrategyEntry*> strategy_for(std::string_view name, const StrategyOptions& options) {
  for (const auto& entry : table) {
    if (entry.name != name) continue;
    if (options.schedule.model != MemoryModel::Sc && !entry.tso_pso)
      return Problem{fmt::format("strategy {} does not support model {}", name, options.schedule.model == MemoryModel::Tso ? "tso" : "pso"),
                     "use --model sc, or --strategy icb"};
    if (options.preemptions && !entry.preemptions)
      return Problem{fmt::format("strategy {} does not support --preemptions", name), "use --strategy icb"};
    if (options.depth && !entry.depth) return Problem{fmt::format("strategy {} does not support --depth", name), "use --strategy pct"};
    return &entry;
  }
  return Problem{fmt::format("there is no strategy {}", name), "known: " + known_names()};
}

}  // namespace treadle
