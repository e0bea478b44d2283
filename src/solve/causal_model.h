// SPDX-License-Identifier: Apache-2.0
// The maximal causal model of one execution (Huang 2015; Huang and Huang 2016 for TSO and PSO): all executions that every program must be
// capable of which is capable of this one. Each thread is followed as far as its reads have the values they had, and one step further.
//
// What must come before what, who can be read from and what the program depends on is found once for each trace. Each question gets a small
// formula of its own, about what can belong to its answer (question_scope.h): after a prefix that is mostly far less than the trace, and
// cheaper than one formula for all of them. A Yes comes with the shortest part of an execution that shows it, as decisions for a
// Schedule; it has been thought through, not run: the program decides.
//
// What has no model (Units::unmodelled) cuts the trace off there: nothing behind it is asked about, and limits() says so.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "solve/causal_memory.h"
#include "solve/causal_parts.h"
#include "solve/direct_answer.h"
#include "solve/order_solver.h"
#include "solve/question_scope.h"
#include "solve/units.h"

namespace treadle {

struct CausalOptions {
  MemoryModel model = MemoryModel::Sc;
  Races races = Races::Stop;
  std::uint32_t fixed = 0;              // so many decisions keep their order and what they brought about
  std::uint32_t fixed_reads = nothing;  // of the last of them, so many reads do; the rest may be asked about
  SolveLimit limit;
  const Dependence* dependence = nullptr;  // what is known of the program; null: every read counts for everything behind it
  bool keep_all_before = true;             // the read in question keeps all that must have been read before it, known to matter or not
  bool direct_answers = false;             // see direct_answer.h; with keep_all_before only
};

/// Could this have been otherwise?
struct Question {
  UnitId unit = 0;
  std::uint32_t read = nothing;  // this read of it has the value
  ValueId value = 0;
  std::uint32_t part = 0;  // or else: that part's other result
  OtherResult other;
  bool is_read() const { return read != nothing; }
};

struct CausalStatistics {
  std::uint64_t reads = 0, constraints = 0, queries = 0;
  double seconds = 0;
  CausalStatistics& operator+=(const CausalStatistics& other);
};

using SolverMaker = std::function<std::unique_ptr<OrderSolver>()>;

class CausalModel {
 public:
  CausalModel(const Trace& trace, const CausalOptions& options, SolverMaker make_solver);
  ~CausalModel();

  const Units& units() const { return units_; }
  bool in_prefix(UnitId unit) const { return formula_->in_prefix(unit); }
  bool is_cut_off(UnitId unit) const { return formula_->is_cut_off(unit); }

  /// The last decision of the prefix was a step of a fruitless iteration: it is as if it had not been made.
  bool prefix_led_nowhere() const;

  /// Why this is not all of the trace; empty: it is.
  std::string limits() const;

  /// All that can be asked: what stands behind the prefix, in the order of the trace.
  std::vector<Question> questions() const;
  Reply ask(const Question& question);

  const CausalStatistics& statistics() const { return statistics_; }

 private:
  struct Asked;

  void fix_prefix();
  QuestionScope scope_of(const Question& question, const std::vector<ReadOf>& kept) const;
  std::vector<Truth> wanted(const Question& question, const std::vector<ReadOf>& kept, const QuestionScope& scope, Asked& asked) const;
  Answer solve(const std::vector<Truth>& wanted, OrderSolver& solver);
  /// The reads that the question wants to keep, by itself.
  std::vector<ReadOf> kept_before(const Question& question) const;
  Reply reply(const Past& past, const Question& question, const CausalParts& parts) const;
  std::vector<Decision> prefix_decisions() const;
  std::optional<Reply> answer_directly(const Question& question);
  Reply ask_solver(const Question& question);

  const Trace& trace_;
  CausalOptions options_;
  SolverMaker make_solver_;
  Units units_;
  std::vector<char> prefix_;
  UnitId end_ = nothing;
  UnitId half_fixed_ = nothing;  // the last unit of the prefix, when something of it may be asked about
  std::unique_ptr<OrderSolver> no_solver_;
  std::unique_ptr<CausalFormula> formula_;  // of the whole trace: what is known beforehand
  std::unique_ptr<KeptReads> kept_;
  std::unique_ptr<CellWriters> writers_;
  std::unique_ptr<SyncGroups> groups_;
  CausalMemory* memory_ = nullptr;
  std::unique_ptr<CausalParts> parts_;
  std::unique_ptr<DirectAnswer> direct_;
  CausalStatistics statistics_;
};

}  // namespace treadle
