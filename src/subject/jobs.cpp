// SPDX-License-Identifier: Apache-2.0
#include "subject/jobs.h"

#include <algorithm>
#include <cstring>

#include "abi/inputs.h"
#include "abi/wish.h"
#include "base/check.h"

namespace treadle {

namespace {

TreadleDecision in_session(const Decision& d, const std::vector<std::uint8_t>& numbers) {
  auto number = [&](unsigned foreign) { return foreign < numbers.size() ? numbers[foreign] : static_cast<std::uint8_t>(foreign); };
  const auto wish = static_cast<std::uint16_t>(d.argument & TREADLE_WISH);
  const std::uint16_t argument = d.kind == DecisionKind::Wake ? static_cast<std::uint16_t>(number(d.argument - wish) | wish) : d.argument;
  return {static_cast<std::uint8_t>(d.kind), number(index_of(d.thread)), argument};
}

std::uint64_t words_for(const GivenInputs& inputs) {
  constexpr std::uint64_t header = sizeof(TreadleInputList) / sizeof(std::uint64_t);
  std::uint64_t words = (header + 1) * inputs.names.size();
  for (const auto& [thread, values] : inputs.threads) words += header + values.size();
  return words;
}

/// -> how many words
std::uint64_t write_inputs(const GivenInputs& inputs, std::span<std::uint64_t> to) {
  std::uint64_t used = 0;
  const auto list = [&](std::uint64_t whose, std::uint32_t kind, std::span<const std::uint64_t> values) {
    const TreadleInputList header{whose, kind, static_cast<std::uint32_t>(values.size())};
    std::memcpy(&to[used], &header, sizeof header);
    used += sizeof header / sizeof to[0];
    for (const std::uint64_t value : values) to[used++] = value;
  };
  for (const auto& [thread, values] : inputs.threads)
    if (const auto hash = thread_hash(thread)) list(*hash, TREADLE_INPUTS_OF_THREAD, values);
  for (const auto& [name, value] : inputs.names)
    list(treadle_input_hash(name.data(), name.size()), TREADLE_INPUTS_OF_NAME, std::span(&value, 1));
  return used;
}

/// The layout is the same on both sides of the fence.
std::size_t copy_decisions(const std::vector<Decision>& from, TreadleDecision* to) {
  if (!from.empty()) std::memcpy(to, from.data(), from.size() * sizeof(Decision));
  return from.size();
}

}  // namespace

bool JobWriter::add(const Schedule& schedule, const Recording& recording, const Snapshots& snapshots) {
  if (count_ == TREADLE_MAX_BATCH || decisions_ + schedule.prefix.size() > memory_.decisions().size() ||
      inputs_ + words_for(schedule.inputs) > memory_.inputs().size())
    return false;
  TreadleJob& job = memory_.block().jobs[count_++];
  std::memset(&job, 0, sizeof job);
  const auto translated = threads_.translation(schedule.threads);
  job.first_decision = static_cast<std::uint32_t>(decisions_);
  if (translated)
    for (const Decision& d : schedule.prefix) memory_.decisions()[decisions_++] = in_session(d, *translated);
  else
    decisions_ += copy_decisions(schedule.prefix, &memory_.decisions()[decisions_]);
  job.decision_count = static_cast<std::uint32_t>(schedule.prefix.size());
  job.first_input = static_cast<std::uint32_t>(inputs_);
  inputs_ += write_inputs(schedule.inputs, memory_.inputs().subspan(inputs_));
  job.input_words = static_cast<std::uint32_t>(inputs_ - job.first_input);
  job.policy = static_cast<std::uint32_t>(schedule.policy);
  job.pct_depth = schedule.pct_depth;
  job.pct_length = schedule.pct_length;
  job.flags = (recording.plain ? TREADLE_RECORD_PLAIN : 0u) | (recording.choices ? TREADLE_RECORD_CHOICES : 0u) |
              (recording.leaks ? TREADLE_CHECK_LEAKS : 0u) | (recording.symbolic ? TREADLE_RECORD_SYMBOLIC : 0u) |
              (recording.spins_block ? TREADLE_SPINS_BLOCK : 0u) | (recording.spins_stop ? TREADLE_SPINS_STOP : 0u) |
              (schedule.spurious_wakeups ? TREADLE_SPURIOUS_WAKEUPS : 0u) | (schedule.status_matters ? TREADLE_STATUS_MATTERS : 0u) |
              (options_.show_output ? TREADLE_SHOW_OUTPUT : 0u);
  job.races = static_cast<std::uint32_t>(schedule.races);
  job.model = static_cast<std::uint32_t>(schedule.model);
  job.seed = schedule.seed;
  job.max_heap_bytes = options_.max_heap_bytes;
  job.max_steps = schedule.max_steps;
  job.max_milliseconds = options_.max_milliseconds;
  job.thread_names = static_cast<std::uint32_t>(threads_.names().size());
  job.resume_from = snapshots.resume_from;
  job.save_snapshot_at = snapshots.save_as == 0 ? UINT32_MAX : snapshots.save_at;
  job.save_snapshot_as = snapshots.save_as;
  std::fill(std::begin(job.stack_requests), std::end(job.stack_requests), UINT64_MAX);
  check(recording.stacks_at.size() <= TREADLE_MAX_STACK_REQUESTS, "a run takes at most eight stacks");
  std::copy(recording.stacks_at.begin(), recording.stacks_at.end(), job.stack_requests);
  job.stop_at_event = recording.stop_at_event;
  return true;
}

void JobWriter::finish() {
  check(count_ > 0, "a schedule fits into the shared block");
  TreadleSharedBlock& block = memory_.block();
  const auto& names = threads_.names();
  for (std::size_t id = 0; id < names.size() && id < std::size(block.names); ++id) block.names[id] = {names[id].parent, names[id].ordinal};
  block.job_count = count_;
  block.results_done = 0;
}

}  // namespace treadle
