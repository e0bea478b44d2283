// SPDX-License-Identifier: Apache-2.0
#include "solve/question_scope.h"

#include <algorithm>
#include <utility>

namespace treadle {

QuestionScope::QuestionScope(const CausalFormula& whole, const CausalMemory& memory, const KeptReads& kept, const SyncGroups& groups,
                             UnitId target)
    : whole_(whole), memory_(memory), kept_(kept), syncs_(groups), written_(whole.size(), 0) {
  scope_.possible.assign(whole.size(), 0);
  scope_.certain = scope_.plain = scope_.sure = scope_.possible;
  scope_.kept.assign(kept.reads(), 0);
  scope_.target = target;
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
  find_sure();
}

void QuestionScope::close(UnitId unit) {
  const Unit& one = whole_.unit(unit);
  for (const UnitId m : one.must) include(m);
  for (const ReadOf& read : kept_.needed_to_reach(unit)) need_kept(read);
  for (std::uint32_t r = 0; unit != scope_.target && r < one.reads.size(); ++r)
    if (kept_.keeps_itself({unit, r})) need_kept({unit, r});
  std::vector<UnitId> needed;
  syncs_.add(unit, needed);
  for (const UnitId u : needed) include(u);
}

void QuestionScope::need(const ReadOf& which, ValueId value) {
  const UnitRead& read = whole_.unit(which.unit).reads[which.read];
  if (value == read.value && std::exchange(scope_.kept[kept_.number_of(which)], 1) != 0) return;
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
  if (kept_.is_certain(writer) || std::exchange(written_[writer], 1) != 0) return;
  for (const ReadOf& read : kept_.flowing_into(writer)) need_kept(read);
}

void QuestionScope::make_certain(UnitId unit) {
  for (const UnitId u : units_)
    if (u != scope_.target && (u == unit || whole_.must_precede(u, unit))) scope_.certain[u] = 1;
}

void QuestionScope::find_sure() {
  const auto is_kept = [&](const ReadOf& read) { return whole_.in_prefix(read.unit) || scope_.kept[kept_.number_of(read)] != 0; };
  for (const UnitId u : units_) {
    const Unit& one = whole_.unit(u);
    scope_.plain[u] = 1;
    for (std::uint32_t r = 0; r < one.reads.size(); ++r)
      if (scope_.kept[kept_.number_of({u, r})] != 0) scope_.plain[u] = 0;
    if (one.writes.empty() && one.partner == nothing) continue;
    const auto& into = kept_.flowing_into(u);
    scope_.sure[u] = std::ranges::all_of(into, is_kept);
  }
}

}  // namespace treadle
