// SPDX-License-Identifier: Apache-2.0
// From what an execution did to what is wrong with the program. Pure: the same Trace gives the same findings.
//
// Stacks cost time, so a search records none. The flow for something new:
//   run                                     the cheap trace of the search
//   diagnose(trace)                         kind, message, positions (from single pcs): is its fingerprint new?
//   replay, Recording{plain}                -> detailed (plain as wants_plain_accesses says)
//   stacks_wanted(detailed, finding)        the events whose stacks explain it, in that trace
//   replay, Recording{plain, stacks_at}     -> detailed trace with stacks
//   diagnose(detailed)                      the finding with the same kind and full parts: matching() picks it out
#pragma once

#include <cstdint>
#include <vector>

#include "finding/finding.h"
#include "finding/symbols.h"
#include "trace/trace.h"

namespace treadle {

/// Everything that this execution shows, the most telling first (how it ended), each fingerprint once. `confirmed` is false and `witness`
/// is empty: both are the caller's to fill in.
std::vector<Finding> diagnose(const Trace& trace, const Symbols& symbols);

/// Should the replays that explain a finding record plain accesses? A loop that never ends would fill all memory with them, and only then
/// end.
bool wants_plain_accesses(const Finding& finding);

/// Event numbers of `trace` (recorded with plain accesses) whose stacks belong into the finding; at most TREADLE_MAX_STACK_REQUESTS.
std::vector<std::uint64_t> stacks_wanted(const Trace& trace, const Finding& finding);

/// The one among `findings` (of a replay) that is the same bug as `original`; null when the replay did not show it.
const Finding* matching(const std::vector<Finding>& findings, const Finding& original);

/// One key for the ending, if it is trouble, and for each TROUBLE event. No symbols, no allocation beyond the result: kinds and pcs
/// hashed. Equal keys mean equal findings, except where code of the standard library that was not inlined makes the call (see Triage).
std::vector<std::uint64_t> quick_keys(const Trace& trace);

/// All of them in one, whatever their order; 0 when there is nothing wrong.
std::uint64_t quick_key(const Trace& trace);

}  // namespace treadle
