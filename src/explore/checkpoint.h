// SPDX-License-Identifier: Apache-2.0
// A search that was interrupted, as a file from which it goes on: `--resume DIR`.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "explore/coverage.h"
#include "explore/ledger.h"
#include "explore/outcomes.h"

namespace treadle {

/// One thing that must not change between an interrupted search and its continuation: {"the strategy", "exhaustive"}.
struct Circumstance {
  std::string name, value;
  bool operator==(const Circumstance&) const = default;
};

struct Checkpoint {
  std::vector<Circumstance> circumstances;
  double seconds = 0;  // spent so far
  Tally tally;
  std::set<Outcome> outcomes;
  std::vector<KnownFinding> findings;
  std::string strategy;  // Strategy::save()
};

std::string encode(const Checkpoint& checkpoint);
Result<Checkpoint> decode_checkpoint(std::string_view bytes, const std::string& name);

/// Where a search keeps its state.
class CheckpointFolder {
 public:
  /// Makes the folder if need be. If there is a search in it already, under the same circumstances, the strategy goes on from there.
  static Result<CheckpointFolder> open(std::string folder, std::vector<Circumstance> circumstances, Strategy& strategy);

  /// All else that was there, or nothing. Taken out: a second call gives nothing.
  std::optional<Checkpoint> take();

  Result<Done> save(Checkpoint checkpoint) const;
  const std::string& folder() const { return folder_; }

 private:
  CheckpointFolder(std::string folder, std::vector<Circumstance> circumstances)
      : folder_(std::move(folder)), circumstances_(std::move(circumstances)) {}
  std::string path() const { return folder_ + "/search.checkpoint"; }

  std::string folder_;
  std::vector<Circumstance> circumstances_;
  std::optional<Checkpoint> found_;
};

}  // namespace treadle
