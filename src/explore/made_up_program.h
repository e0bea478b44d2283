// SPDX-License-Identifier: Apache-2.0
// A tiny concurrent program in memory, for the tests of strategies and search: a Runner without a process.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "explore/runner.h"

namespace treadle {

struct Op {
  enum Kind { Write, Read, Lock, Unlock, FailIf, Assume, Observe, Random } kind;
  unsigned at = 0;          // variable or mutex
  std::uint64_t value = 0;  // written, or the one that FailIf fails on and Assume asks for
};

struct MadeUpProgram {
  std::vector<std::vector<Op>> threads;  // all start at once
};

/// n threads of `steps` writes each: (n*steps)! / steps!^n schedules.
MadeUpProgram independent_writers(unsigned n, unsigned steps);

class MadeUpRunner final : public Runner {
 public:
  explicit MadeUpRunner(MadeUpProgram program) : program_(std::move(program)) {}
  Result<Done> run(const Schedule& schedule, const Recording& recording, Trace& out) override;
  Result<Done> run_batch(const std::vector<Schedule>& schedules, const Recording& recording, std::vector<Trace>& out) override;

  std::uint64_t runs = 0;
  std::size_t largest_batch = 0;

 private:
  MadeUpProgram program_;
};

}  // namespace treadle
