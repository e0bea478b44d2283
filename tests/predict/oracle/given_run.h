// SPDX-License-Identifier: Apache-2.0
// An execution of a generated program, made by the engine and understood by the interpreter, and what the engine makes of it: the bridge
// between the two, and the only place that includes both.
//
// All in one process, as `treadle predict` would do it: starting that for every program, and reading the debug information of the batch
// each time, took five times as long as the predictions.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "machine.h"
#include "program.h"

namespace oracle {

/// Programs that were compiled together.
struct Batch {
  explicit Batch(std::string path);
  ~Batch();

  struct Names;  // of what is at its addresses
  std::string binary;
  std::unique_ptr<Names> names;  // read once for all of them
};

class GivenRuns {
 public:
  /// Of number `number` of the batch. Throws std::runtime_error when it cannot be run.
  GivenRuns(Batch& batch, std::size_t number, const Program& program, Model model);
  ~GivenRuns();

  /// A random execution in which nothing fails and nobody gets stuck, saved as a trace in `file` if that has a name; none: there is hardly
  /// one. Throws std::runtime_error when the engine did what the interpreter does not know.
  std::optional<std::vector<Move>> passing(std::uint64_t seed, const std::string& file);

  /// What is predicted from that execution, as `treadle predict --json` says it. Throws std::runtime_error when it has a problem.
  nlohmann::json predicted(bool maximal);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace oracle
