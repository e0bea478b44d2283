// SPDX-License-Identifier: Apache-2.0
#include "cli/confirm_violation.h"

#include "explore/confirm.h"

namespace treadle {

Result<std::optional<Finding>> confirm_violation(const AtomicityViolation& seen, const Schedule& exact, Runner& program,
                                                 const Symbols& symbols, bool critical_sections, Trace& again) {
  Recording recording;
  recording.plain = true;
  recording.stacks_at = {seen.triple.first, seen.triple.remote, seen.triple.last};
  if (auto ran = program.run(exact, recording, again); !ran) return ran.problem();
  for (AtomicityViolation& same : atomicity_violations(again, symbols, critical_sections)) {
    if (same.triple != seen.triple) continue;
    for (Part& part : same.finding.parts) drop_entry_frames(part.where);
    same.finding.confirmed = true;
    same.finding.witness.schedule = exact;
    return std::optional<Finding>(std::move(same.finding));
  }
  return std::optional<Finding>{};
}

}  // namespace treadle
