// SPDX-License-Identifier: Apache-2.0
#include "explore/coverage.h"

#include <fmt/format.h>

#include "explore/open_reasons.h"
#include "finding/verdict.h"

namespace treadle {
namespace {

const char* text_of(MemoryModel model) {
  switch (model) {
    case MemoryModel::Sc:
      return "SC";
    case MemoryModel::Tso:
      return "TSO";
    case MemoryModel::Pso:
      return "PSO";
  }
  return "?";
}

std::string runs(std::uint64_t count) { return fmt::format("{} execution{}", count, count == 1 ? "" : "s"); }

void add_reason(std::string& reasons, const std::string& reason) { reasons += (reasons.empty() ? "" : ", ") + reason; }

/// Executions whose end was not seen.
std::string what_was_cut(const Schedule& schedule, const Tally& tally) {
  std::string reasons;
  if (tally.step_limit) add_reason(reasons, fmt::format("{} cut off after {} steps", runs(tally.step_limit), schedule.max_steps));
  if (tally.time_limit) add_reason(reasons, fmt::format("{} cut off by the time limit of a run", runs(tally.time_limit)));
  if (tally.memory_limit) add_reason(reasons, fmt::format("{} cut off by the memory limit", runs(tally.memory_limit)));
  if (tally.diverged) add_reason(reasons, fmt::format("{} did not follow the schedule", runs(tally.diverged)));
  return reasons;
}

/// What a complete search without races says beyond its own memory model: a program whose only unordered accesses are seq_cst atomics
/// behaves under every weaker model as it does under SC (Adve and Hill 1990; C++ [intro.races]).
std::string beyond_the_model(const Schedule& schedule, const Tally& tally) {
  if (schedule.races != Races::Stop) return "";
  if (tally.opaque_asm) return "; inline assembly was executed whose accesses are not seen";
  const bool sc = schedule.model == MemoryModel::Sc, pso = schedule.model == MemoryModel::Pso;
  const char* const beyond = sc ? "TSO, PSO and beyond" : pso ? "weaker models" : "PSO and beyond";
  if (tally.weak_atomics)
    return fmt::format("; free of data races, but with atomics weaker than seq_cst, so nothing is said on {}", beyond);
  return fmt::format("; free of data races, so this holds for {}", sc ? beyond : pso ? "weaker models too" : "PSO and beyond too");
}

/// What this way to treat races keeps out of sight, whatever the verdict.
std::string out_of_sight(const Schedule& schedule, const Tally& tally) {
  if (schedule.races == Races::Ignore)
    return "; a plain access is one step with the synchronisation before it, and data races are neither looked for nor explored";
  if (schedule.races == Races::Stop && tally.races)
    return "; plain accesses were not interleaved: --races explore shows what the data races lead to";
  return "";
}

}  // namespace

std::string open_reasons(const Strategy& strategy, const Schedule& schedule, const Tally& tally,
                         const std::optional<std::string>& stopped) {
  std::string reasons;
  if (stopped)
    add_reason(reasons, "the search did not come to its end: " + *stopped);
  else if (strategy.samples())
    add_reason(reasons, "only a sample of the schedules was run");
  if (const std::string cut = what_was_cut(schedule, tally); !cut.empty()) add_reason(reasons, cut);
  if (const std::string gaps = strategy.gaps(); !gaps.empty()) add_reason(reasons, gaps);
  if (strategy.leaves_out() && strategy.gaps().empty()) add_reason(reasons, "schedules beyond the bound were not run");
  if (tally.nondeterministic) add_reason(reasons, "the program is not determined by its schedule");
  if (schedule.races == Races::Stop && tally.races) add_reason(reasons, "what the data races lead to was not explored");
  if (schedule.races == Races::Ignore) add_reason(reasons, "data races were not explored");
  if (tally.opaque_asm) add_reason(reasons, "inline assembly was executed whose accesses are not seen");
  return reasons;
}

std::string covered_schedules(const Schedule& schedule) {
  switch (schedule.races) {
    case Races::Ignore:
      return fmt::format("all schedules of synchronisation and atomics under {} for these inputs", text_of(schedule.model));
    case Races::Stop:
      return fmt::format("all schedules under {} for these inputs", text_of(schedule.model));
    case Races::Explore:
      return fmt::format("all schedules under {} for these inputs, with every outcome of racy plain accesses", text_of(schedule.model));
  }
  return "";
}

std::string with_at_most(std::string schedules, std::uint32_t preemptions) {
  const std::string bound = fmt::format(" with at most {} preemption{}", preemptions, preemptions == 1 ? "" : "s");
  return schedules.insert(schedules.find(" under "), bound);
}

void Tally::count(const Trace& trace) {
  ++executions;
  steps += trace.choices.size();
  assumptions_held |= trace.end.ending != TREADLE_END_ASSUMPTION_FAILED && trace.end.ending != TREADLE_END_STOPPED;
  switch (trace.end.ending) {
    case TREADLE_END_ASSUMPTION_FAILED:
      ++assumption_failed;
      break;
    case TREADLE_END_STEP_LIMIT:
      ++step_limit;
      break;
    case TREADLE_END_TIME_LIMIT:
      ++time_limit;
      break;
    case TREADLE_END_MEMORY_LIMIT:
      ++memory_limit;
      break;
    case TREADLE_END_DIVERGED:
      ++diverged;
      break;
    default:
      break;
  }
  if (weak_atomics && opaque_asm && races && asked_for_input) return;
  for (const Event& event : trace.events) {
    switch (event.kind) {
      case TREADLE_EV_ATOMIC_READ:
      case TREADLE_EV_ATOMIC_WRITE:
      case TREADLE_EV_RMW:
      case TREADLE_EV_CAS_OK:
      case TREADLE_EV_CAS_FAIL:
        weak_atomics |= (event.order & 7) < 5;
        break;
      case TREADLE_EV_RACE:
        races = true;
        break;
      case TREADLE_EV_OPAQUE_ASM:
        opaque_asm = true;
        break;
      case TREADLE_EV_INPUT:
        asked_for_input = true;
        break;
      default:
        break;
    }
  }
}

void Tally::add(const Tally& other) {
  executions += other.executions;
  steps += other.steps;
  assumption_failed += other.assumption_failed;
  step_limit += other.step_limit;
  time_limit += other.time_limit;
  memory_limit += other.memory_limit;
  diverged += other.diverged;
  nondeterministic |= other.nondeterministic;
  weak_atomics |= other.weak_atomics;
  races |= other.races;
  opaque_asm |= other.opaque_asm;
  asked_for_input |= other.asked_for_input;
  assumptions_held |= other.assumptions_held;
}

Verdict conclude(const Strategy& strategy, const Schedule& schedule, const Tally& tally, const std::optional<std::string>& stopped,
                 bool found_something) {
  const std::string cut = what_was_cut(schedule, tally);
  const bool complete = !stopped && !strategy.samples();
  std::string covers = stopped && !strategy.samples()
                           ? fmt::format("{} only: {}", runs(tally.executions - strategy.counts().blocked), *stopped)
                           : strategy.covers();
  if (const auto already = stopped ? strategy.covers_already() : std::nullopt) covers += "; among them " + *already;
  if (!cut.empty()) covers += (complete ? " up to bound: " : "; ") + cut;
  const std::string gaps = strategy.gaps();
  if (!gaps.empty()) covers += "; " + gaps;
  Verdict verdict =
      verdict_of(found_something, complete, !cut.empty() || !gaps.empty() || tally.nondeterministic || tally.vacuous(), std::move(covers));
  if (tally.vacuous()) verdict.covers += "; in none of them did the program's assumptions hold, so nothing was checked";
  if (tally.nondeterministic) verdict.covers += "; the program is not determined by its schedule, so this is a sample at most";
  verdict.covers += out_of_sight(schedule, tally);
  if (verdict.kind == VerdictKind::Clean && !strategy.leaves_out()) verdict.covers += beyond_the_model(schedule, tally);
  return verdict;
}

}  // namespace treadle
