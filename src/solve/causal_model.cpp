// SPDX-License-Identifier: Apache-2.0
#include "solve/causal_model.h"

#include <algorithm>
#include <chrono>
#include <unordered_map>

namespace treadle {
namespace {

class Stopwatch {
 public:
  explicit Stopwatch(double& seconds) : seconds_(seconds) {}
  ~Stopwatch() { seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double& seconds_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace

CausalStatistics& CausalStatistics::operator+=(const CausalStatistics& other) {
  reads += other.reads;
  constraints += other.constraints;
  queries += other.queries;
  seconds += other.seconds;
  return *this;
}

CausalModel::CausalModel(const Trace& trace, const CausalOptions& options, std::unique_ptr<OrderSolver> solver)
    : options_(options), units_(modelled_units(trace, options.model, options.races)), solver_(std::move(solver)) {
  const Stopwatch stopwatch(statistics_.seconds);
  fix_prefix(trace);
  const UnitId end = units_.unmodelled ? units_.unmodelled->unit : nothing;
  formula_ = std::make_unique<CausalFormula>(units_, prefix_, end, *solver_);
  auto memory = std::make_unique<CausalMemory>(*formula_, trace, options_.dependence);
  memory_ = memory.get();
  parts_ = std::make_unique<CausalParts>(*formula_, trace, std::move(memory));
  parts_->encode();
}

CausalModel::~CausalModel() = default;

void CausalModel::fix_prefix(const Trace&) {
  prefix_.assign(units_.all.size(), 0);
  const UnitId end = units_.unmodelled ? units_.unmodelled->unit : nothing;
  for (UnitId u = 0; u < units_.all.size(); ++u) {
    const Unit& unit = units_.all[u];
    if (unit.left_out || unit.choice == nothing || unit.choice >= options_.fixed || u >= end || unit.ends) continue;
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

Answer CausalModel::solve(std::vector<Truth> wanted) {
  ++statistics_.queries;
  std::vector<Literal> assumptions;
  for (const Truth& t : wanted) {
    if (t.is_false()) return Answer::No;
    if (t.is_open()) assumptions.push_back(t.literal());
  }
  return solver_->solve(assumptions, options_.limit);
}

Reply CausalModel::ask(const Question& question) {
  const Stopwatch stopwatch(statistics_.seconds);
  const UnitId u = question.unit;
  std::vector<Truth> wanted{formula_->reached(u)};
  keep_reads_before(question, wanted);
  if (question.is_read()) {
    parts_->add_as_recorded(u, wanted);
    wanted.push_back(memory_->reads(u, question.read, question.value));
  } else {
    wanted.push_back((*parts_)[question.part].can_be(question.other));
  }
  if (half_fixed_ != nothing && half_fixed_ != u) {
    wanted.push_back(formula_->happens(half_fixed_));
    for (std::uint32_t r = 0; r < options_.fixed_reads; ++r) wanted.push_back(memory_->keeps({half_fixed_, r}));
    for (UnitId other = 0; other < units_.all.size(); ++other)
      if (other != half_fixed_ && !formula_->in_prefix(other) && !formula_->must_precede(other, half_fixed_))
        wanted.push_back(formula_->before(half_fixed_, other));
  }
  const Answer answer = solve(std::move(wanted));
  if (answer != Answer::Yes) return {answer, {}, {}, {}};
  const Target target{u, question.is_read() ? question.read + 1 : 0};
  Past past(*formula_, std::span(&target, 1));
  if (half_fixed_ != nothing) past.include(half_fixed_);
  parts_->close(past);
  return reply(past, question);
}

void CausalModel::keep_reads_before(const Question& question, std::vector<Truth>& wanted) {
  const UnitId u = question.unit;
  const auto& reads = units_.all[u].reads;
  for (std::uint32_t r = 0; question.is_read() && r < question.read; ++r)
    if (options_.keep_all_before || u == half_fixed_ || memory_->kept().steers(reads[r], reads[question.read]))
      wanted.push_back(memory_->keeps({u, r}));
  if (options_.dependence == nullptr || !options_.keep_all_before) return;
  for (UnitId earlier = 0; earlier < units_.all.size(); ++earlier)
    if (!formula_->in_prefix(earlier) && formula_->must_precede(earlier, u))
      for (std::uint32_t r = 0; r < units_.all[earlier].reads.size(); ++r) wanted.push_back(memory_->keeps({earlier, r}));
}

Reply CausalModel::reply(const Past& past, const Question& question) const {
  Reply out{Answer::Yes, past.in_order(), {}, {}, {}};
  for (UnitId u = 0; u < units_.all.size(); ++u)
    if (formula_->in_prefix(u)) out.decisions.insert(out.decisions.end(), units_.all[u].decisions.begin(), units_.all[u].decisions.end());
  const std::vector<Decision> behind = parts_->decisions(out.units, past);
  out.decisions.insert(out.decisions.end(), behind.begin(), behind.end());
  if (!question.is_read()) out.decisions.back().kind = question.other.decision;
  return out;
}

CausalStatistics CausalModel::statistics() const {
  CausalStatistics out = statistics_;
  out.reads = memory_->reads_encoded();
  out.constraints = formula_->constraints();
  return out;
}

}  // namespace treadle
