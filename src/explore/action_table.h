// SPDX-License-Identifier: Apache-2.0
// Each action that a search has seen, kept once. A search meets the same few actions over and over: its trees, sequences and sleep sets
// hold pointers, which are cheap to copy, to compare and to throw away. The table grows with what the program can do, not with how often
// it is run.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "explore/transition.h"

namespace treadle {

/// An action of the table: equal ones are the same one. Lives as long as the table.
using KnownAction = const Action*;
using Sequence = std::vector<KnownAction>;

class ActionTable {
 public:
  KnownAction operator[](const Action& action);

  /// What `waiting` will be after `done`, see pass_by().
  KnownAction after(KnownAction waiting, KnownAction done) { return waiting->served.bytes == 0 ? waiting : after_flush(*waiting, *done); }

 private:
  struct Entry {
    std::uint64_t hash = 0;
    KnownAction action = nullptr;  // null: free
  };

  KnownAction after_flush(Action waiting, const Action& done);
  void grow();

  std::deque<Action> actions_;
  std::vector<Entry> entries_{256};  // open addressing
};

}  // namespace treadle
