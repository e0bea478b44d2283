// SPDX-License-Identifier: Apache-2.0
#include "solve/implied_past.h"

#include <algorithm>
#include <optional>

namespace treadle {

ImpliedPast::ImpliedPast(const CausalFormula& whole, const CausalMemory& memory, const KeptReads& kept, const PlainMutexes& mutexes,
                         UnitId first, std::uint32_t fixed_reads)
    : whole_(whole),
      memory_(memory),
      kept_(kept),
      mutexes_(mutexes),
      first_(first),
      fixed_reads_(fixed_reads),
      numbers_(whole.size(), nothing),
      is_kept_(kept.reads(), 0) {}

void ImpliedPast::forget() {
  for (const UnitId u : units_) numbers_[u] = nothing;
  for (const Kept& kept : reads_) is_kept_[kept_.number_of(kept.read)] = 0;
  units_.clear();
  reads_.clear();
  writes_.clear();
  takers_.clear();
  order_.clear();
  closed_ = 0;
  state_ = State::Open;
}

ImpliedPast::State ImpliedPast::start(const ReadOf& read, const CausalMemory::Source& source) {
  forget();
  target_ = read;
  const Unit& unit = whole_.unit(read.unit);
  reads_.push_back({read, unit.reads[read.read].cell, source.value, target, open});
  is_kept_[kept_.number_of(read)] = 1;
  give(0, source.writer);
  for (std::uint32_t r = 0; r < read.read; ++r) keep({read.unit, r});
  for (const UnitId m : unit.must)
    if (!whole_.in_prefix(m)) include(m);
  if (first_ != nothing && first_ != read.unit) {
    include(first_);
    for (std::uint32_t r = 0; r < fixed_reads_ && state_ == State::Open; ++r) keep({first_, r});
  }
  follow();
  return state_;
}

ImpliedPast::State ImpliedPast::add(UnitId unit) {
  include(unit);
  follow();
  return state_;
}

ImpliedPast::State ImpliedPast::settle() {
  for (std::size_t i = 0; i < reads_.size() && state_ == State::Open; ++i) {
    if (reads_[i].writer != open) continue;
    const Kept kept = reads_[i];
    const auto lateness = [&](UnitId writer) {  // from what was there at the start to the read, and on to what came behind it
      return writer == nothing ? std::int64_t{-1} : writer < kept.read.unit ? std::int64_t{writer} : -2 - std::int64_t{writer};
    };
    std::optional<UnitId> best;
    for (const auto& source : memory_.sources(kept.read.unit, whole_.unit(kept.read.unit).reads[kept.read.read]))
      if (source.value == kept.value && can_have_written(kept, source) && (!best || lateness(source.writer) > lateness(*best)))
        best = source.writer;
    if (best)
      give(i, *best);
    else
      state_ = State::Contradiction;
    follow();
  }
  return state_;
}

/// A thread goes one way: what must not come before the target comes behind it, or lies along another one.
ImpliedPast::Number ImpliedPast::include(UnitId unit) {
  if (numbers_[unit] != nothing) return numbers_[unit];
  const Unit& one = whole_.unit(unit);
  const bool leads_to_target = whole_.must_precede(unit, target_.unit);
  if (whole_.happens(unit).is_false() || whole_.must_precede(target_.unit, unit) ||
      (one.thread == whole_.unit(target_.unit).thread && !leads_to_target)) {
    state_ = State::Contradiction;
    return open;
  }
  if (units_.size() == ClosedOrder::most || (one.left_out && !leads_to_target)) {
    state_ = State::Unclear;
    return open;
  }
  changed_ = true;
  units_.push_back(unit);
  return numbers_[unit] = order_.add();
}

void ImpliedPast::close(Number number) {
  const UnitId u = units_[number];
  const Unit& unit = whole_.unit(u);
  for (const UnitId m : unit.must)
    if (!whole_.in_prefix(m)) say(include(m), number);
  if (first_ != nothing && first_ != target_.unit && first_ != u && !whole_.must_precede(u, first_)) say(include(first_), number);
  const bool keeps_all = whole_.must_precede(u, target_.unit);
  for (std::uint32_t r = 0; r < unit.reads.size(); ++r)
    if (keeps_all || kept_.keeps_itself({u, r})) keep({u, r});
  for (const ReadOf& read : kept_.needed_to_reach(u)) keep(read);
  for (const UnitWrite& write : unit.writes) writes_.push_back({number, write.cell, write.value});
  if (const auto* use = mutexes_.use_of(u); use != nullptr && use->takes && !mutexes_.is_foreign(u)) takers_.push_back(number);
}

void ImpliedPast::keep(const ReadOf& which) {
  char& is_kept = is_kept_[kept_.number_of(which)];
  if (state_ != State::Open || whole_.in_prefix(which.unit) || is_kept != 0) return;
  is_kept = 1;
  const UnitRead& read = whole_.unit(which.unit).reads[which.read];
  reads_.push_back({which, read.cell, read.value, which.unit == target_.unit ? target : include(which.unit), open});
  if (state_ == State::Open) find_writer(reads_.size() - 1);
}

void ImpliedPast::find_writer(std::size_t number) {
  const Kept kept = reads_[number];
  unsigned ways = 0;
  UnitId writer = nothing;
  for (const auto& source : memory_.sources(kept.read.unit, whole_.unit(kept.read.unit).reads[kept.read.read]))
    if (source.value == kept.value && can_have_written(kept, source)) {
      ++ways;
      writer = source.writer;
    }
  if (ways == 0) state_ = State::Contradiction;
  if (ways == 1) give(number, writer);
}

bool ImpliedPast::can_have_written(const Kept& kept, const CausalMemory::Source& source) const {
  const auto hides = [&](const Write& write) { return write.cell == kept.cell && write.value != kept.value; };
  if (source.writer == nothing || whole_.in_prefix(source.writer))
    return std::ranges::none_of(writes_, [&](const Write& w) { return hides(w) && comes_before(w.writer, kept.reader); });
  if (source.writer == target_.unit || whole_.must_precede(target_.unit, source.writer)) return false;
  const Number number = numbers_[source.writer];
  if (number == nothing) return true;
  if (kept.reader != target && order_.comes_before(kept.reader, number)) return false;
  return std::ranges::none_of(writes_, [&](const Write& w) {
    return hides(w) && w.writer != number && order_.comes_before(number, w.writer) && comes_before(w.writer, kept.reader);
  });
}

void ImpliedPast::say(Number a, Number b) {
  if (state_ != State::Open) return;
  switch (order_.say(a, b)) {
    case ClosedOrder::Said::Known:
      break;
    case ClosedOrder::Said::New:
      changed_ = true;
      break;
    case ClosedOrder::Said::Contradiction:
      state_ = State::Contradiction;
      break;
  }
}

/// That it left what it left may be a matter of what it has read.
void ImpliedPast::give(std::size_t kept, UnitId writer) {
  changed_ = true;
  if (writer == nothing || whole_.in_prefix(writer)) {
    reads_[kept].writer = in_front;
    return;
  }
  const Number number = include(writer);
  if (state_ != State::Open) return;
  reads_[kept].writer = number;
  if (reads_[kept].reader != target) say(number, reads_[kept].reader);
  if (!kept_.is_certain(writer))
    for (const ReadOf& read : kept_.flowing_into(writer)) keep(read);
}

void ImpliedPast::follow() {
  for (changed_ = true; changed_ && state_ == State::Open;) {
    changed_ = false;
    while (closed_ < units_.size() && state_ == State::Open) close(static_cast<Number>(closed_++));
    for (std::size_t i = 0; i < reads_.size() && state_ == State::Open; ++i) {
      if (reads_[i].writer == open) find_writer(i);
      if (reads_[i].writer != open) follow_writes(reads_[i]);
    }
    follow_mutexes();
  }
}

/// Whoever writes something else does so before the writer, or behind the reader.
void ImpliedPast::follow_writes(const Kept& kept) {
  for (const Write& write : writes_) {
    if (write.cell != kept.cell || write.value == kept.value || write.writer == kept.writer || write.writer == kept.reader) continue;
    if (kept.writer != in_front && comes_before(write.writer, kept.reader))
      say(write.writer, kept.writer);
    else if (kept.reader == target)
      state_ = State::Contradiction;
    else if (kept.writer == in_front || order_.comes_before(kept.writer, write.writer))
      say(kept.reader, write.writer);
  }
}

/// Who takes a mutex comes behind whoever has taken it before and has given it back. Who cannot give it back takes it last.
void ImpliedPast::follow_mutexes() {
  const auto follow = [&](Number next, const PlainMutexes::Use& use) {
    if (const UnitId holder = mutexes_.holder(use.mutex); holder != nothing) leave_before(*mutexes_.use_of(holder), next);
    const bool leaves = can_leave(use);
    const Number left = leaves ? numbers_[use.release] : nothing;
    for (std::size_t i = 0; i < takers_.size() && state_ == State::Open; ++i) {
      const Number earlier = takers_[i];
      const auto& other = *mutexes_.use_of(units_[earlier]);
      if (earlier == next || other.mutex != use.mutex) continue;
      if (comes_before(earlier, next) || !leaves || (left != nothing && order_.comes_before(earlier, left))) leave_before(other, next);
    }
  };
  for (std::size_t i = 0; i < takers_.size() && state_ == State::Open; ++i) follow(takers_[i], *mutexes_.use_of(units_[takers_[i]]));
  const auto* const use = mutexes_.use_of(target_.unit);
  if (use != nullptr && use->takes && !mutexes_.is_foreign(target_.unit) && state_ == State::Open) follow(target, *use);
}

/// Before the target, which may lie within the section.
bool ImpliedPast::can_leave(const PlainMutexes::Use& use) const {
  return use.release != nothing && use.release != target_.unit && !whole_.must_precede(target_.unit, use.release) &&
         !whole_.happens(use.release).is_false();
}

void ImpliedPast::leave_before(const PlainMutexes::Use& use, Number next) {
  if (!can_leave(use)) {
    state_ = State::Contradiction;
    return;
  }
  const Number number = include(use.release);
  if (next != target) say(number, next);
}

}  // namespace treadle
