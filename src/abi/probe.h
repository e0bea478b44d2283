/* SPDX-License-Identifier: Apache-2.0
 * Probes: executions at random from which the host works out how many there are (explore/class_weight.h).
 *
 * TREADLE_POLICY_PCT with `pct_depth` 0, that is, without priorities: each alternative is as likely as any other, but a favoured one
 * TREADLE_FAVOUR times as likely. A favoured STEP has TREADLE_FAVOURED as its argument in the choice stream; in a prefix it has none. */
#ifndef TREADLE_ABI_PROBE_H
#define TREADLE_ABI_PROBE_H

#define TREADLE_PROBE_DEPTH 0u
#define TREADLE_FAVOUR 32u
#define TREADLE_FAVOURED 1u

#endif
