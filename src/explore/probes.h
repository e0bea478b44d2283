// SPDX-License-Identifier: Apache-2.0
// The size of a search, estimated while it goes on: now and then an execution at random, and the mean of what those stand for that the
// search has not come to (size_estimate.h). What one stands for: classes (class_weight.h), or of all schedules the inverse of its
// probability. The search hears nothing of them, but what they find is reported as whatever it finds itself.
//
// When they are made depends on how many executions the search has made, not on the clock: the same command does the same again.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "explore/class_weight.h"
#include "explore/execution_tree.h"
#include "explore/size_estimate.h"

namespace treadle {

/// What the number of a search's executions comes to, when nothing stops it.
enum class Size : std::uint8_t { Unknown, Schedules, Classes };
Size size_of_search(std::string_view strategy, bool bounded);

class Probes {
 public:
  /// `base` gives everything but prefix and policy. `tree`: what the search has made and means to make; null: it keeps no such thing.
  Probes(Size of, Schedule base, ExecutionTree* tree);

  /// The search goes on from so many executions.
  void begin_at(std::uint64_t executions) { begun_at_ = executions; }

  /// How many to make now that the search has made so many executions: a few at once, because changing over costs time.
  std::size_t due(std::uint64_t executions) const;
  Schedule next();
  void learn_from(Trace& trace);  // and leaves it as that of any other execution

  /// Nothing: too few, or nothing that they can count.
  std::optional<Estimate> size();

 private:
  struct Open {
    ClassWeight::Weight weight;
    ExecutionTree::Sought where;
  };
  struct Weighed {
    Weights exact, rough;
    void add(ClassWeight::Weight weight);
  };

  Size of_;
  Schedule base_;
  std::uint64_t seed_, begun_at_ = 0, asked_ = 0;
  ClassWeight weight_;
  ExecutionTree* tree_;
  std::vector<Open> open_;  // of classes that are not over, as far as it is known
  Weighed over_, nowhere_;  // those whose classes are; those of a search without a tree
};

}  // namespace treadle
