// SPDX-License-Identifier: Apache-2.0
#include "cli/replayed.h"

#include <fmt/format.h>

#include "cli/confirm_violation.h"
#include "explore/confirm.h"
#include "explore/guard.h"
#include "finding/diagnose.h"

namespace treadle {

Result<Replayed> replay(const Schedule& schedule, Runner& program, const Symbols& symbols, const Options& options) {
  Replayed result;
  Recording recording;
  recording.plain = true;
  recording.leaks = options.leaks;
  recording.symbolic = options.symbolic;
  Guard guard(program, 1);
  if (auto ran = guard.run(schedule, recording, result.trace); !ran) return ran.problem();
  if (result.trace.end.ending == TREADLE_END_DIVERGED)
    return Problem{fmt::format("the schedule cannot be followed beyond its decision number {}", result.trace.end.detail),
                   "the program depends on something besides its schedule: its input, its environment, time?"};
  if (auto difference = guard.take()) {
    const Finding finding = finding_of(*difference, symbols);
    result.findings.push_back({finding, tell(difference->first, finding, symbols)});
  }
  const Schedule exact = exactly(schedule, result.trace);
  for (const Finding& finding : diagnose(result.trace, symbols)) {
    Trace detailed;
    auto confirmed = confirm(finding, exact, program, symbols, options.leaks, detailed);
    if (!confirmed) return confirmed.problem();
    result.findings.push_back({*confirmed, tell(detailed, *confirmed, symbols)});
  }
  const bool sections = options.predict.critical_sections;
  for (const AtomicityViolation& seen : atomicity_violations(result.trace, symbols, sections)) {
    Trace detailed;
    auto confirmed = confirm_violation(seen, exact, program, symbols, sections, detailed);
    if (!confirmed) return confirmed.problem();
    if (*confirmed) result.findings.push_back({**confirmed, tell(detailed, **confirmed, symbols)});
  }
  return result;
}

}  // namespace treadle
