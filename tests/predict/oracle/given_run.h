// SPDX-License-Identifier: Apache-2.0
// An execution of a generated program, made by the engine and understood by the interpreter: the bridge between the two, and the only place
// that includes both.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "machine.h"
#include "program.h"

namespace oracle {

class GivenRuns {
 public:
  /// `binary` has been emitted as a batch; this is number `number` of it. Throws std::runtime_error when it cannot be run.
  GivenRuns(const std::string& binary, std::size_t number, const Program& program, Model model);
  ~GivenRuns();

  /// A random execution in which nothing fails and nobody gets stuck, saved as a trace in `file`; none: there is hardly one.
  /// Throws std::runtime_error when the engine did what the interpreter does not know.
  std::optional<std::vector<Move>> passing(std::uint64_t seed, const std::string& file);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace oracle
