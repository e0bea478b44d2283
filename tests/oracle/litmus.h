// SPDX-License-Identifier: Apache-2.0
// Classic litmus tests in the oracle's program form, with what is known about them.
//
// Shapes and verdicts under SC and TSO: Alglave, Maranget, Tautschnig, "Herding cats" (2014), tables of SB … Z6.5; Sewell, Sarkar, Owens,
// Zappa Nardelli, Myreen, "x86-TSO" (2010) and Intel's and AMD's examples there (iwp2.x, amdN, nN). PSO: SPARC v8/v9 (Weaver, Germond
// 1994), where a store may overtake an older store to another location; with this project's release stores and release fences (DESIGN.md
// §4).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "program.h"

namespace oracle {

/// The strongest model that allows the condition; weaker ones allow it too.
enum class AllowedFrom { Sc, Tso, Pso, Never };

struct Litmus {
  std::string name;
  Program program;
  std::map<std::string, int> condition;  // a conjunction over the names of observed_names
  AllowedFrom allowed = AllowedFrom::Never;
  int outcomes[3] = {};  // how many outcomes there are in all, under SC, TSO, PSO

  bool allowed_under(Model model) const { return static_cast<int>(allowed) <= static_cast<int>(model); }
};

const std::vector<Litmus>& litmus_tests();
const Litmus* find_litmus(const std::string& name);

}  // namespace oracle
