// SPDX-License-Identifier: Apache-2.0
// Chooses schedules by how far the last ones came along the recording: a walk through schedules that goes back where a thread left its way.
//
// A run whose decision k made a thread leave its recorded way is right up to k. So the next ones begin with the same k decisions, let
// another thread move there, and go on at random. What led a thread astray may have been read long before the branch: when nothing gets any
// further, they go back further, more and more, and in the end begin anew. No proof of anything: whoever finds nothing with this may
// still find it, or find that there is nothing, by searching all schedules.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/schedule.h"
#include "trace/trace.h"

namespace treadle {

class Steering {
 public:
  explicit Steering(const Schedule& base);

  /// So many schedules that do not depend on each other's outcome.
  std::vector<Schedule> next(std::size_t count);

  /// What they did, with all alternatives recorded.
  void learn_from(const std::vector<Trace>& traces);

 private:
  void begin_anew();
  Schedule one_more();
  void consider(const Trace& trace);
  std::uint32_t draw(std::uint32_t below);

  Schedule base_;
  std::uint64_t random_;
  Trace best_;                   // the run to go back into
  std::uint64_t score_ = 0;      // how far it came
  std::uint32_t turn_ = 0;       // its first decision that led astray
  std::uint32_t in_vain_ = 0;    // runs since anything got further
  std::uint32_t patience_ = 64;  // how many of them until the walk begins anew
};

/// Blocks entered as recorded, of all threads.
std::uint64_t matched_blocks(const Trace& trace);

}  // namespace treadle
