// SPDX-License-Identifier: Apache-2.0
// The ways that the threads of a symbolic trace went: for each of them the turns at which it could have gone on otherwise. What a thread
// does is determined by its turns: two threads of that name that made the same turns made the same steps, whatever they read.
//
// Two traces number their expressions and events as they come. Here a condition is a formula over "the n-th that this thread read", so that
// turns of different traces can be compared, and the condition of one be asked about in the other.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "solve/trace_model.h"

namespace treadle {

enum class TurnKind : std::uint8_t {
  Branch,  // a condition of the program, or a case of a switch
  Pin,     // a value used in a way that has no model: as far as we know each value may lead elsewhere
  Check,   // would fail otherwise
  Assume,  // what the program asked for
  Result   // a try that succeeded or not, a wait that timed out or not, the last at a barrier
};

struct Turn {
  TurnKind kind = TurnKind::Branch;
  bool fails = false;  // otherwise the program would fail
  UnitId unit = 0;
  std::vector<std::uint32_t> notes;      // whose conditions held; of a Result none
  std::uint64_t label = 0;               // which way it went: equal for equal ways of turns that are reached in the same way
  std::optional<std::uint64_t> count{};  // what sem_getvalue said, how many were woken: a Result that may have more than two values
};

/// Formulas that hold together, over what threads read; they belong to no trace.
struct PortableCondition {
  std::vector<Expression> expressions{Expression{}};  // READ and INPUT: `a` is which one of its thread, and readers[] whose
  std::vector<std::uint16_t> readers{0};              // by expression: the thread, of leaves
  std::vector<std::uint64_t> hashes{0};
  std::vector<ExpressionId> hold;
};

/// Whenever one does not hold the other does. False: not known to be so.
bool are_complements(const PortableCondition& a, const PortableCondition& b);

class Turns {
 public:
  /// Of the decisions so many were made; what comes behind was only thought of.
  Turns(const Trace& trace, const Units& units, std::size_t made);

  /// By thread, in its order.
  const std::vector<std::vector<Turn>>& of_threads() const { return threads_; }

  PortableCondition portable(const Turn& turn) const;

  /// Only about what the thread has read before it came to that turn of its own, as far as it is about that thread.
  bool is_about_reads_before(std::uint32_t thread, const Turn& turn, const PortableCondition& condition) const;

  /// The same over what this trace's threads have read, as expressions that are added to `trace`. None: it has not been read here.
  std::optional<std::vector<ExpressionId>> brought_into(Trace& trace, const PortableCondition& condition);

 private:
  void find_reads();
  void hash_expressions();
  void find_turns();
  Turn turn_of(std::uint32_t note) const;
  bool continues(const Turn& turn, std::uint32_t note) const;
  std::optional<Turn> result_of(UnitId unit) const;

  const Trace& trace_;
  const Units& units_;
  std::size_t made_;
  std::vector<std::uint32_t> ordinal_;             // by event: which one of its thread's reads; `nothing`: none
  std::vector<std::vector<std::uint32_t>> reads_;  // by thread: those events
  std::vector<std::uint64_t> hash_;                // by expression
  std::vector<UnitId> unit_of_note_;               // `nothing`: of none that counts
  std::unordered_map<std::uint64_t, ExpressionId> by_hash_;
  std::vector<std::vector<Turn>> threads_;
};

}  // namespace treadle
