// SPDX-License-Identifier: Apache-2.0
#include "solve/direct_answer.h"

#include <algorithm>

namespace treadle {

DirectAnswer::DirectAnswer(const CausalFormula& whole, const CausalMemory& memory, const CellWriters& writers, const KeptReads& kept,
                           const Trace& trace, UnitId first, std::uint32_t fixed_reads)
    : whole_(whole),
      memory_(memory),
      kept_(kept),
      mutexes_(whole, trace),
      past_(whole, memory, kept, mutexes_, first, fixed_reads),
      values_(whole.units().initial),
      changed_(kept.reads(), 0) {
  for (CellId cell = 0; cell < values_.size(); ++cell)
    for (const auto& writer : writers.of(cell))
      if (whole.in_prefix(writer.unit)) values_[cell] = writer.value;
}

Answer DirectAnswer::ask(const ReadOf& read, ValueId value) {
  Answer answer = Answer::No;
  for (const auto& source : memory_.sources(read.unit, whole_.unit(read.unit).reads[read.read])) {
    if (source.value != value || past_.start(read, source) == State::Contradiction) continue;
    if (lead_there(read)) return Answer::Yes;
    answer = Answer::Unknown;
  }
  return answer;
}

/// Where somebody would wait for a mutex for ever, who has it gives it back first.
bool DirectAnswer::lead_there(const ReadOf& read) {
  constexpr unsigned most_tries = 8;
  State state = past_.settle();
  for (unsigned tries = 0; tries < most_tries && state == State::Open; ++tries) {
    if (play(read)) return true;
    if (blocked_by_ == nothing) return false;
    const UnitId release = mutexes_.use_of(blocked_by_)->release;
    if (release == nothing || past_.number_of(release) != nothing) return false;
    past_.add(release);
    state = past_.settle();
  }
  return false;
}

bool DirectAnswer::play(const ReadOf& read) {
  blocked_by_ = nothing;
  const auto units = past_.units();
  done_ = 0;
  now_ = values_;
  holders_.clear();
  for (std::uint32_t m = 0; m < mutexes_.size(); ++m) holders_.push_back(mutexes_.holder(m));
  order_.clear();
  waiting_.resize(units.size());
  for (Number n = 0; n < units.size(); ++n) {
    if (mutexes_.is_foreign(units[n])) return false;
    waiting_[n] = n;
  }
  if (mutexes_.is_foreign(read.unit)) return false;
  std::ranges::sort(waiting_, {}, [&](Number n) { return units[n]; });
  while (!waiting_.empty()) {
    blocked_by_ = nothing;
    const auto next = std::ranges::find_if(waiting_, [&](Number n) { return is_ready(n); });
    if (next == waiting_.end()) return false;
    make(*next);
    waiting_.erase(next);
  }
  order_.push_back(read.unit);
  const auto is_wrong = [&](const ImpliedPast::Kept& kept) { return kept.reader == ImpliedPast::target && now_[kept.cell] != kept.value; };
  return is_free(read.unit) && std::ranges::none_of(past_.kept(), is_wrong);
}

bool DirectAnswer::is_ready(Number number) {
  const UnitId u = past_.units()[number];
  if ((past_.order().before(number) & ~done_) != 0) return false;
  const auto& reads = whole_.unit(u).reads;
  for (std::uint32_t r = 0; r < reads.size(); ++r)
    if (now_[reads[r].cell] != reads[r].value && past_.keeps({u, r})) return false;
  return !would_overwrite(number) && is_free(u);
}

bool DirectAnswer::is_free(UnitId unit) {
  const auto* const use = mutexes_.use_of(unit);
  if (use == nullptr || !use->takes || holders_[use->mutex] == nothing) return true;
  blocked_by_ = holders_[use->mutex];
  return false;
}

/// What somebody else has to find, which is there already.
bool DirectAnswer::would_overwrite(Number number) const {
  const auto& writes = whole_.unit(past_.units()[number]).writes;
  if (writes.empty()) return false;
  return std::ranges::any_of(past_.kept(), [&](const ImpliedPast::Kept& kept) {
    if (kept.reader == number || !is_done(kept.writer) || (kept.reader != ImpliedPast::target && is_done(kept.reader))) return false;
    return std::ranges::any_of(writes, [&](const UnitWrite& w) { return w.cell == kept.cell && w.value != kept.value; });
  });
}

void DirectAnswer::make(Number number) {
  const UnitId u = past_.units()[number];
  const Unit& unit = whole_.unit(u);
  for (std::uint32_t r = 0; r < unit.reads.size(); ++r)
    changed_[kept_.number_of({u, r})] = now_[unit.reads[r].cell] != unit.reads[r].value ? 1 : 0;
  const auto has_changed = [&](const ReadOf& read) { return !whole_.in_prefix(read.unit) && changed_[kept_.number_of(read)] != 0; };
  const bool certain = unit.writes.empty() || kept_.all() || std::ranges::none_of(kept_.flowing_into(u), has_changed);
  for (const UnitWrite& write : unit.writes) now_[write.cell] = certain ? write.value : unknown;
  if (const auto* use = mutexes_.use_of(u)) holders_[use->mutex] = use->takes ? u : nothing;
  order_.push_back(u);
  done_ |= ClosedOrder::bit(number);
}

}  // namespace treadle
