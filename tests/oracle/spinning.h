// SPDX-License-Identifier: Apache-2.0
// Hand-written programs that spin: flags, spin locks, ticket locks, loops over two variables, loops that an older value would leave, too.
#pragma once

#include <vector>

#include "classes.h"
#include "expected.h"

namespace oracle {

struct Spinning {
  Case program;
  std::uint64_t classes[3] = {};  // under SC, TSO, PSO
};

const std::vector<Spinning>& spinning_programs();

}  // namespace oracle
