// SPDX-License-Identifier: Apache-2.0
// Random programs for MadeUpSymbolicRun; for tests.
#pragma once

#include "solve/made_up_symbolic_run.h"

namespace treadle {

using Program = std::vector<std::vector<SymbolicOp>>;

struct Mix {
  bool locks = false, sizes = false, plain = false, opaque = false;
};

inline Program random_program(std::mt19937& random, const Mix& mix) {
  Program threads(2 + random() % 2);
  for (auto& ops : threads) {
    const std::size_t length = threads.size() == 2 ? 4 + random() % 4 : 3 + random() % 2;
    while (ops.size() < length) {
      SymbolicOp op;
      op.variable = random() % MadeUpSymbolicRun::variables;
      op.reg = random() % MadeUpSymbolicRun::registers;
      op.constant = random() % 8;
      if (mix.sizes && random() % 2 == 0) {
        op.bytes = 1u << random() % 2;
        op.offset = op.bytes * (random() % 2);
      }
      op.plain = mix.plain && random() % 2 == 0 && !ops.empty();
      switch (random() % 10) {
        case 0:
        case 1:
          op.kind = mix.opaque && random() % 3 == 0 ? SymbolicOp::Opaque : SymbolicOp::Load;
          break;
        case 2:
        case 3:
          op.kind = SymbolicOp::Store;
          break;
        case 4:
          op.kind = random() % 2 == 0 ? SymbolicOp::Add : SymbolicOp::Exchange;
          op.plain = false;
          break;
        case 5:
          op.kind = SymbolicOp::Branch;
          break;
        case 6:
        case 7:
          op.kind = SymbolicOp::Assert;
          break;
        case 8:
          op.kind = SymbolicOp::Pin;
          break;
        default:
          if (!mix.locks) continue;
          if (random() % 3 == 0) {
            op.kind = random() % 2 == 0 ? SymbolicOp::Post : SymbolicOp::Wait;
            op.variable = 0;
            op.plain = false;
            break;
          }
          op.plain = false;
          op.kind = SymbolicOp::Lock;
          op.variable = 0;
          if (std::count_if(ops.begin(), ops.end(), [](const SymbolicOp& o) { return o.kind == SymbolicOp::Lock; }) >
              std::count_if(ops.begin(), ops.end(), [](const SymbolicOp& o) { return o.kind == SymbolicOp::Unlock; }))
            op.kind = SymbolicOp::Unlock;
      }
      const bool local = op.kind == SymbolicOp::Branch || op.kind == SymbolicOp::Assert || op.kind == SymbolicOp::Pin;
      if (local && ops.empty()) continue;
      ops.push_back(op);
    }
  }
  return threads;
}

}  // namespace treadle
