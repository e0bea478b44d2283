// SPDX-License-Identifier: Apache-2.0
// What threads do behind their last turn, as executions have shown it: they do the same whenever they have come there. So of those that a
// failure cut off it may be known that they would have gone to their ends, or to where they wait for the one that failed, without a turn
// and without anybody noticing. Then no execution is needed to see that.
#pragma once

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "explore/path_execution.h"

namespace treadle {

class KnownEnds {
 public:
  void learn(const PathExecution& execution);

  /// A thread failed, and what the others had still to do cannot matter to anybody. False: not known to be so.
  bool are_dull(const PathExecution& execution) const;
  /// More are known, more may be dull.
  std::size_t size() const { return ends_.size(); }

 private:
  struct Step {
    std::vector<Event> accesses;
    std::uint32_t joins = nothing;  // the end of that thread
    bool is_dull = true;
  };
  struct Pin {
    std::uint32_t turn = 0;
    std::vector<Event> reads;  // whose values may be no others: pins are turns, too
    bool is_dull = true;
  };
  struct End {
    std::uint32_t first = 0;  // so many steps come before it
    std::vector<Step> steps;
    std::vector<Pin> pins;
  };

  static std::shared_ptr<const End> end_of(const PathExecution& execution, std::uint32_t thread, std::uint32_t turns);

  std::map<std::pair<std::uint32_t, PathNode>, std::shared_ptr<const End>> ends_;  // by thread and last turn; `nothing`: it has made none
};

}  // namespace treadle
