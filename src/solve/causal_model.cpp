// SPDX-License-Identifier: Apache-2.0
#include "solve/causal_model.h"

#include <algorithm>
#include <ctime>
#include <unordered_map>

#include "solve/unit_parts.h"

namespace treadle {
namespace {

/// Of the processor: what else the machine does says nothing about a formula.
class Stopwatch {
 public:
  explicit Stopwatch(double& seconds) : seconds_(seconds) {}
  ~Stopwatch() { seconds_ += now() - begin_; }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  static double now() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }

  double& seconds_;
  double begin_ = now();
};

/// For a formula that nobody asks.
class Unasked final : public OrderSolver {
 public:
  OrderNode add_node() override { return OrderNode{nodes_++}; }
  void add_edge(OrderNode, OrderNode) override {}
  Literal add_literal() override { return {2 * literals_++}; }
  Literal before(OrderNode, OrderNode) override { return add_literal(); }
  void add_clause(std::span<const Literal>) override {}
  Answer solve(std::span<const Literal>, const SolveLimit&) override { return Answer::Unknown; }
  bool holds(Literal) const override { return false; }
  std::uint32_t position(OrderNode) const override { return 0; }
  std::vector<Literal> core() const override { return {}; }

 private:
  std::uint32_t nodes_ = 0, literals_ = 0;
};

}  // namespace

CausalStatistics& CausalStatistics::operator+=(const CausalStatistics& other) {
  reads += other.reads;
  constraints += other.constraints;
  queries += other.queries;
  seconds += other.seconds;
  return *this;
}

/// One question's formula.
struct CausalModel::Asked {
  Asked(const CausalModel& model, const Scope& scope)
      : solver(model.make_solver_()), formula(model.units_, model.prefix_, model.end_, *solver, model.formula_->pasts(), scope) {
    auto own_memory = std::make_unique<CausalMemory>(formula, *model.kept_, *model.writers_, &scope);
    memory = own_memory.get();
    parts = std::make_unique<CausalParts>(formula, model.trace_, std::move(own_memory));
    parts->encode();
  }

  std::unique_ptr<OrderSolver> solver;
  CausalFormula formula;
  CausalMemory* memory;
  std::unique_ptr<CausalParts> parts;
};

CausalModel::CausalModel(const Trace& trace, const CausalOptions& options, SolverMaker make_solver)
    : trace_(trace),
      options_(options),
      make_solver_(std::move(make_solver)),
      units_(modelled_units(trace, options.model, options.races)),
      no_solver_(std::make_unique<Unasked>()) {
  for (std::uint32_t e = 0; e < trace.events.size(); ++e) {  // it has more than one other result, and a question is about one
    const Event& event = trace.events[e];
    if (units_.unit_of[e] == nothing) continue;
    if (event.kind == TREADLE_EV_SEM_GETVALUE) tell_unmodelled(units_, units_.unit_of[e], "sem_getvalue");
    if (event.kind == TREADLE_EV_FUTEX_WAKE && event.size != 1 && event.extra > 1)
      tell_unmodelled(units_, units_.unit_of[e], "how many a futex call wakes");
  }
  fix_prefix();
  formula_ = std::make_unique<CausalFormula>(units_, prefix_, end_, *no_solver_);
  kept_ = std::make_unique<KeptReads>(units_, prefix_, trace, options_.dependence);
  writers_ = std::make_unique<CellWriters>(*formula_);
  groups_ = std::make_unique<SyncGroups>(*formula_, trace);
  auto memory = std::make_unique<CausalMemory>(*formula_, *kept_, *writers_);
  memory_ = memory.get();
  parts_ = std::make_unique<CausalParts>(*formula_, trace, std::move(memory));
}

CausalModel::~CausalModel() = default;

void CausalModel::fix_prefix() {
  prefix_.assign(units_.all.size(), 0);
  end_ = units_.unmodelled ? units_.unmodelled->unit : nothing;
  for (UnitId u = 0; u < units_.all.size(); ++u) {
    const Unit& unit = units_.all[u];
    if (unit.left_out || unit.choice == nothing || unit.choice >= options_.fixed || u >= end_ || unit.ends) continue;
    const bool is_last = unit.choice + unit.decisions.size() >= options_.fixed;
    if (is_last && options_.fixed_reads < unit.reads.size()) {
      half_fixed_ = u;
      continue;
    }
    prefix_[u] = 1;
  }
}

bool CausalModel::prefix_led_nowhere() const {
  return options_.fixed > 0 && std::any_of(units_.all.begin(), units_.all.end(), [&](const Unit& unit) {
           return unit.left_out && unit.choice != nothing && unit.choice < options_.fixed &&
                  unit.choice + unit.decisions.size() >= options_.fixed;
         });
}

std::string CausalModel::limits() const { return units_.unmodelled ? units_.unmodelled->why : ""; }

std::vector<Question> CausalModel::questions() const {
  std::vector<Question> all;
  std::unordered_multimap<UnitId, Question> results;
  for (std::uint32_t p = 0; p < parts_->size(); ++p)
    for (const OtherResult& other : (*parts_)[p].other_results()) results.emplace(other.unit, Question{other.unit, nothing, 0, p, other});
  for (UnitId u = 0; u < units_.all.size(); ++u) {
    if (formula_->in_prefix(u) || formula_->is_cut_off(u) || formula_->reached(u).is_false()) continue;
    const auto& reads = units_.all[u].reads;
    const auto [first, last] = results.equal_range(u);
    for (auto one = first; one != last && u != half_fixed_; ++one) all.push_back(one->second);
    for (std::uint32_t r = u == half_fixed_ ? options_.fixed_reads : 0; r < reads.size(); ++r)
      for (const ValueId value : memory_->other_values(u, r)) all.push_back({u, r, value, 0, {}});
  }
  return all;
}

Answer CausalModel::solve(const std::vector<Truth>& wanted, OrderSolver& solver) {
  std::vector<Literal> assumptions;
  for (const Truth& t : wanted) {
    if (t.is_false()) return Answer::No;
    if (t.is_open()) assumptions.push_back(t.literal());
  }
  return solver.solve(assumptions, options_.limit);
}

Reply CausalModel::ask(const Question& question) {
  const Stopwatch stopwatch(statistics_.seconds);
  ++statistics_.queries;
  if (auto found = answer_directly(question)) return *std::move(found);
  return ask_solver(question);
}

/// What it is about is found out with the first question, and counts as solving.
std::optional<Reply> CausalModel::answer_directly(const Question& question) {
  if (!options_.direct_answers || options_.model != MemoryModel::Sc || !question.is_read()) return std::nullopt;
  if (direct_ == nullptr)
    direct_ = std::make_unique<DirectAnswer>(*formula_, *memory_, *writers_, *kept_, trace_, half_fixed_, options_.fixed_reads);
  const Answer answer = direct_->ask({question.unit, question.read}, question.value);
  if (answer == Answer::Unknown) return std::nullopt;
  if (answer == Answer::No) return Reply{};
  Reply out{Answer::Yes, direct_->order(), prefix_decisions(), {}, {}};
  for (const UnitId u : out.units)
    out.decisions.insert(out.decisions.end(), units_.all[u].decisions.begin(), units_.all[u].decisions.end());
  return out;
}

Reply CausalModel::ask_solver(const Question& question) {
  const std::vector<ReadOf> kept = kept_before(question);
  const QuestionScope scope = scope_of(question, kept);
  Asked asked(*this, scope.found());
  const Answer answer = solve(wanted(question, kept, scope, asked), *asked.solver);
  statistics_.reads += asked.memory->reads_encoded();
  statistics_.constraints += asked.formula.constraints();
  if (answer != Answer::Yes) return {answer, {}, {}, {}, {}};
  const Target target{question.unit, question.is_read() ? question.read + 1 : 0};
  Past past(asked.formula, std::span(&target, 1));
  if (half_fixed_ != nothing) past.include(half_fixed_);
  asked.parts->close(past);
  return reply(past, question, *asked.parts);
}

QuestionScope CausalModel::scope_of(const Question& question, const std::vector<ReadOf>& kept) const {
  QuestionScope scope(*formula_, *memory_, *kept_, *groups_, question.unit);
  for (const ReadOf& read : kept) scope.need_kept(read);
  if (question.is_read()) scope.need({question.unit, question.read}, question.value);
  const bool besides = half_fixed_ != nothing && half_fixed_ != question.unit;
  if (besides) scope.include(half_fixed_);
  scope.close();
  scope.make_certain(question.unit);
  if (besides) scope.make_certain(half_fixed_);
  return scope;
}

std::vector<Truth> CausalModel::wanted(const Question& question, const std::vector<ReadOf>& kept, const QuestionScope& scope,
                                       Asked& asked) const {
  const UnitId u = question.unit;
  std::vector<Truth> all{asked.formula.reached(u)};
  for (const ReadOf& read : kept) asked.memory->require_kept(read);
  if (question.is_read()) {
    asked.parts->add_as_recorded(u, all);
    asked.memory->require(u, question.read, question.value);
  } else {
    all.push_back((*asked.parts)[question.part].can_be(question.other));
  }
  if (half_fixed_ != nothing && half_fixed_ != u) {
    all.push_back(asked.formula.happens(half_fixed_));
    for (const UnitId other : scope.units())
      if (other != half_fixed_ && !asked.formula.must_precede(other, half_fixed_)) all.push_back(asked.formula.before(half_fixed_, other));
  }
  return all;
}

std::vector<ReadOf> CausalModel::kept_before(const Question& question) const {
  const UnitId u = question.unit;
  const auto& reads = units_.all[u].reads;
  std::vector<ReadOf> kept;
  for (std::uint32_t r = 0; question.is_read() && r < question.read; ++r)
    if (options_.keep_all_before || u == half_fixed_ || kept_->steers(reads[r], reads[question.read])) kept.push_back({u, r});
  if (half_fixed_ != nothing && half_fixed_ != u)
    for (std::uint32_t r = 0; r < options_.fixed_reads; ++r) kept.push_back({half_fixed_, r});
  if (options_.dependence == nullptr || !options_.keep_all_before) return kept;
  for (UnitId earlier = 0; earlier < units_.all.size(); ++earlier)
    if (!formula_->in_prefix(earlier) && formula_->must_precede(earlier, u))
      for (std::uint32_t r = 0; r < units_.all[earlier].reads.size(); ++r) kept.push_back({earlier, r});
  return kept;
}

std::vector<Decision> CausalModel::prefix_decisions() const {
  std::vector<Decision> all;
  for (UnitId u = 0; u < units_.all.size(); ++u)
    if (formula_->in_prefix(u)) all.insert(all.end(), units_.all[u].decisions.begin(), units_.all[u].decisions.end());
  return all;
}

Reply CausalModel::reply(const Past& past, const Question& question, const CausalParts& parts) const {
  Reply out{Answer::Yes, past.in_order(), prefix_decisions(), {}, {}};
  const std::vector<Decision> behind = parts.decisions(out.units, past);
  out.decisions.insert(out.decisions.end(), behind.begin(), behind.end());
  if (!question.is_read()) out.decisions.back().kind = question.other.decision;
  return out;
}

}  // namespace treadle
