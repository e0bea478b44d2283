// SPDX-License-Identifier: Apache-2.0
// The formula of the seed (Section 6.3.3), asked of the run that came furthest: is there an order in which every thread goes the way that
// it went (path; in a led run that is the recorded one), operations of synchronisation and the memory model allow it (synchronisation,
// memory order), each read finds what one of its writes left (read-write), and the thread that left its way there, or passed by what failed
// in the recorded run, does not (bug)? What a path touches, and with which values, the symbolic build has told by running it: there is no
// interpreter, and calls, pointers and the heap are as they are. An address that depends on what was read keeps its value.
//
// The answer has been thought through; the led program is run with it, and goes on from there. What has no model cuts the question off.
#pragma once

#include <vector>

#include "reproduce/failure.h"

namespace treadle {

/// `led`: a run along the recording, of a symbolic build, with expressions, and `exact`, its Schedule. Beginnings of runs in which the
/// first thread that left its way goes on; or else in which what failed does so.
std::vector<Schedule> solve_for(const Trace& led, const Schedule& exact, const RecordedFailure& failure, double seconds);

}  // namespace treadle
