// SPDX-License-Identifier: Apache-2.0
// Which reads explain a finding.
import type { Run } from "./model";

const LAST_READS = 3;

/** Reads whose values explain the finding: those it names, or the last ones of the thread that failed. */
export function tellingReads(run: Run): number[] {
  const named = [...run.named].sort((a, b) => a - b);
  const reads = named.filter((event) => run.operationOf(event).reads);
  const failed = named.find((event) => run.operationOf(event).class === "end");
  if (failed === undefined) return reads;
  const before: number[] = [];
  const seen = new Set<number>();
  for (let event = failed - 1; event >= 0 && before.length < LAST_READS; event--) {
    const tells = run.thread[event] === run.thread[failed] && run.operationOf(event).reads && run.telling[event] === 1;
    if (!tells || seen.has(run.object[event])) continue;
    seen.add(run.object[event]);
    before.unshift(event);
  }
  return [...reads, ...before];
}
