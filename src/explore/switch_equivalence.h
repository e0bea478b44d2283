// SPDX-License-Identifier: Apache-2.0
// Switch equivalence (Algorithm 9 of the seed): two prefixes found in one execution that could be appended to each other in either order,
// and would give both target reads the same new values, lead to the same state twice. Only one of the orders is run.
//
// The seed compares what the two target reads see. We also ask that everything else in both prefixes sees what it saw: without that the
// combined prefix need not exist.
//
// That one of the orders is enough holds if each execution differs from the one it comes from in nothing but the value asked for (Fig. 5.7
// of the seed takes that for granted): else another read may change by chance, and the sibling comes to the same state once more. So
// behind its prefix an execution goes on as the one before it, as far as nobody sees anything else.
#pragma once

#include <cstdint>
#include <vector>

#include "solve/causal_model.h"
#include "trace/trace.h"

namespace treadle {

struct NewPrefix {
  Question question;
  Reply reply;
};

/// What comes behind a prefix, as seen from any execution: which step of which thread reads what, and which steps come before it.
struct Extension {
  std::vector<std::uint64_t> steps;  // sorted: thread, how-manieth of its units, and whether it is the flush of it
  std::uint64_t target = 0;          // one of them
  std::uint64_t value = 0;           // hash of which read it is and of what it reads
  bool operator==(const Extension&) const = default;
};
using Equivalents = std::vector<Extension>;

class SwitchEquivalence {
 public:
  SwitchEquivalence(const Trace& trace, const CausalModel& model);

  /// For each of them, what need not be explored behind it.
  std::vector<Equivalents> among(const std::vector<NewPrefix>& found) const;

  /// How to go on behind it so that whoever can sees what it saw.
  std::vector<Decision> rest_as_before(const NewPrefix& found) const;

  Extension extension_of(const NewPrefix& found) const { return extension(found.reply.units, found); }

 private:
  struct Memory {
    std::vector<ValueId> values;  // by cell
    std::vector<char> done;       // by unit
    std::vector<std::pair<std::uint64_t, unsigned>> locks;
  };

  Extension extension(const std::vector<UnitId>& units, const NewPrefix& found) const;
  std::vector<UnitId> complete(const std::vector<UnitId>& units) const;
  bool go_through(const std::vector<UnitId>& units, const NewPrefix& one, const NewPrefix& other) const;
  bool make(UnitId unit, Memory& memory, const NewPrefix* target) const;
  bool take_locks(const Unit& unit, Memory& memory) const;
  bool goes_on_by_itself(UnitId unit) const;

  const Trace& trace_;
  const CausalModel& model_;
  std::vector<std::uint64_t> names_;  // by unit
  std::vector<UnitId> next_;          // of the same thread
  Memory after_prefix_;
};

}  // namespace treadle
