/* SPDX-License-Identifier: Apache-2.0
 * Probes: executions at random from which the host works out how many there are (explore/class_weight.h).
 *
 * TREADLE_POLICY_PCT with `pct_depth` 0, that is, without priorities: alternatives are drawn by weight. In the choice stream the argument
 * of a STEP is the binary logarithm of its weight; in a prefix it is 0. All else has the weight 1. */
#ifndef TREADLE_ABI_PROBE_H
#define TREADLE_ABI_PROBE_H

#define TREADLE_PROBE_DEPTH 0u
#define TREADLE_WEIGHT_OF_THREADS 12u /* create, start, exit, join: next to nothing can be in their way */
#define TREADLE_WEIGHT_OF_UNLOCKS 5u  /* only those who try to lock and do not wait can tell */

#endif
