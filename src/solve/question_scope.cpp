// SPDX-License-Identifier: Apache-2.0
#include "solve/question_scope.h"

#include <algorithm>

namespace treadle {

QuestionScope::QuestionScope(const CausalFormula& whole, const CausalMemory& memory, const KeptReads& kept, const SyncGroups& groups,
                             UnitId target)
    : whole_(whole), memory_(memory), kept_(kept), syncs_(groups), scope_{std::vector<char>(whole.size(), 0), {}, {}, {}, target} {
  scope_.certain = scope_.plain = scope_.sure = scope_.possible;
  include(target);
}

void QuestionScope::include(UnitId unit) {
  if (whole_.in_prefix(unit) || scope_.possible[unit] != 0 || whole_.reached(unit).is_false()) return;
  if (whole_.must_precede(scope_.target, unit)) return;  // the target is made last
  scope_.possible[unit] = 1;
  units_.push_back(unit);
}

void QuestionScope::close() {
  for (; closed_ < units_.size(); ++closed_) close(units_[closed_]);
}

void QuestionScope::close(UnitId unit) {
  const Unit& one = whole_.unit(unit);
  for (const UnitId m : one.must) include(m);
  for (const ReadOf& read : kept_.needed_to_reach(unit)) need_kept(read);
  scope_.plain[unit] = 1;
  for (std::uint32_t r = 0; unit != scope_.target && r < one.reads.size(); ++r) {
    if (!kept_.keeps_itself({unit, r})) continue;
    need_kept({unit, r});
    scope_.plain[unit] = 0;
  }
  std::vector<UnitId> needed;
  syncs_.add(unit, needed);
  for (const UnitId u : needed) include(u);
}

void QuestionScope::need(const ReadOf& which, ValueId value) {
  const UnitRead& read = whole_.unit(which.unit).reads[which.read];
  if (value == read.value && !needed_.insert(std::uint64_t{which.unit} << 32 | which.read).second) return;
  if (read.own_flush != nothing) {
    include(read.own_flush);
    if (read.own_value == value) need_written(whole_.unit(read.own_flush).partner);
  }
  for (const auto& source : memory_.sources(which.unit, read)) {
    if (source.writer == nothing || source.value != value) continue;
    include(source.writer);
    need_written(source.writer);
  }
}

void QuestionScope::need_written(UnitId writer) {
  if (kept_.is_certain(writer) || !written_.insert(writer).second) return;
  for (const ReadOf& read : kept_.flowing_into(writer)) need_kept(read);
}

void QuestionScope::make_certain(UnitId unit) {
  for (const UnitId u : units_)
    if (u != scope_.target && (u == unit || whole_.must_precede(u, unit))) scope_.certain[u] = 1;
}

void QuestionScope::find_sure(const std::vector<ReadOf>& kept) {
  std::unordered_set<std::uint64_t> certain;
  const auto add = [&](const ReadOf& read) { certain.insert(std::uint64_t{read.unit} << 32 | read.read); };
  for (const ReadOf& read : kept) add(read);
  for (const UnitId u : units_) {
    if (scope_.certain[u] == 0 && u != scope_.target) continue;
    for (const ReadOf& read : kept_.needed_to_reach(u)) add(read);
    for (std::uint32_t r = 0; u != scope_.target && r < whole_.unit(u).reads.size(); ++r)
      if (kept_.keeps_itself({u, r})) add({u, r});
  }
  for (const UnitId u : units_) {
    if (whole_.unit(u).writes.empty() && whole_.unit(u).partner == nothing) continue;
    const auto& into = kept_.flowing_into(u);
    scope_.sure[u] = std::all_of(into.begin(), into.end(), [&](const ReadOf& read) {
      return whole_.in_prefix(read.unit) || certain.contains(std::uint64_t{read.unit} << 32 | read.read);
    });
  }
}

}  // namespace treadle
