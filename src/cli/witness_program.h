// SPDX-License-Identifier: Apache-2.0
// A witness and the program it belongs to, ready to run.
#pragma once

#include <memory>

#include "cli/options.h"
#include "explore/runner.h"
#include "finding/symbols.h"
#include "trace/witness.h"

namespace treadle {

class WitnessProgram {
 public:
  /// The only file of `options` is the witness. A Problem: it is none, its program is gone or another one, the program cannot be started.
  static Result<std::unique_ptr<WitnessProgram>> open(const Options& options);

  const Witness& witness() const { return witness_; }
  const SubjectOptions& how() const { return how_; }
  Runner& runner() { return *runner_; }
  const Symbols& symbols() const { return *symbols_; }

 private:
  Witness witness_;
  SubjectOptions how_;
  std::unique_ptr<Subject> subject_;
  ThreadNumbers numbers_;
  std::unique_ptr<SubjectRunner> runner_;
  std::unique_ptr<Symbols> symbols_;
};

}  // namespace treadle
