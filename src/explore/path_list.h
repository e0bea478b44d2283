// SPDX-License-Identifier: Apache-2.0
// The paths that a search has executed, for people: the turns of each thread as places, ways and conditions, the inputs, and how it ended.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "explore/turns.h"
#include "finding/finding.h"

namespace treadle {

struct PathTurn {
  TurnKind kind = TurnKind::Branch;
  SourceFrame where;
  std::string way;        // "true", "false", "case", "default"; of a try "succeeds", "fails", …; else empty
  std::string condition;  // what held: "i == 3"; of a try: what was tried
  bool guards = false;    // the other way leads straight into a failure
};

struct ThreadWay {
  std::string thread;                // stable name
  std::vector<std::uint32_t> turns;  // numbers in PathList::turns
};

struct ListedPath {
  std::vector<ThreadWay> threads;
  std::vector<InputValue> inputs;
  std::string ended;                      // "completed", "assertion failed"
  bool counts = false;                    // as a path: not one that an assumption, a bound or a standstill ended
  std::vector<std::uint32_t> findings;    // numbers in the findings of the search
  std::string witness;                    // file, when executions are kept
  std::vector<std::uint64_t> keys;        // of what went wrong (finding/diagnose.h); not kept in files
  std::vector<std::string> fingerprints;  // likewise
};

struct PathList {
  std::vector<PathTurn> turns;  // each once: equal ones are made by threads that came there in the same way
  std::vector<ListedPath> paths;
  std::uint64_t left_out = 0;  // so many more were executed than are listed
};

const char* text_of(TurnKind kind);  // "branch"

}  // namespace treadle
