// SPDX-License-Identifier: Apache-2.0
// A smaller program that still has the property.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "program.h"

namespace oracle {

/// Every program that is one step simpler: a statement less, a branch or loop replaced by its body, a thread less. Only those whose
/// locks are used properly in all executions.
std::vector<Program> simpler(const Program& program);

/// Tells which of the candidates still have the property; asked for many at once because compiling them one by one costs too much.
using StillFails = std::function<std::vector<bool>(std::span<const Program>)>;

Program shrink(Program program, const StillFails& still_fails);

}  // namespace oracle
