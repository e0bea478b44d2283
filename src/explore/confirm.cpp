// SPDX-License-Identifier: Apache-2.0
#include "explore/confirm.h"

#include <algorithm>

#include "finding/diagnose.h"
#include "finding/inputs.h"

namespace treadle {

void drop_entry_frames(SourceStack& stack) {
  const auto outermost = std::ranges::find_if(stack.frames.rbegin(), stack.frames.rend(), is_user_code);
  if (outermost != stack.frames.rend()) stack.frames.erase(outermost.base(), stack.frames.end());
}

Result<Finding> confirm(Finding finding, const Schedule& schedule, Runner& program, const Symbols& symbols, bool leaks, Trace& detailed) {
  finding.witness.schedule = schedule;
  finding.confirmed = false;
  Recording recording;
  recording.plain = wants_plain_accesses(finding);
  recording.leaks = leaks;
  if (auto ran = program.run(schedule, recording, detailed); !ran) return ran.problem();
  const auto shown = diagnose(detailed, symbols);
  if (!matching(shown, finding)) return finding;

  // Which stacks explain it is known only now that every event has its number.
  recording.stacks_at = stacks_wanted(detailed, finding);
  if (auto ran = program.run(schedule, recording, detailed); !ran) return ran.problem();
  const auto in_full = diagnose(detailed, symbols);
  const Finding* same = matching(in_full, finding);
  if (!same) return finding;

  Finding result = *same;
  for (Part& part : result.parts) drop_entry_frames(part.where);
  result.execution = finding.execution;
  result.witness = finding.witness;
  result.inputs = inputs_of(detailed);
  result.confirmed = true;
  return result;
}

}  // namespace treadle
