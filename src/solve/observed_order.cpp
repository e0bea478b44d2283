// SPDX-License-Identifier: Apache-2.0
#include "solve/observed_order.h"

#include <algorithm>

namespace treadle {
namespace {

enum class About { Lives, Takes, GivesBack, SomethingElse };  // lives of threads and mutexes: what must come before what tells enough

About subject_of(const Event& event) {
  switch (event.kind) {
    case TREADLE_EV_THREAD_CREATE:
    case TREADLE_EV_THREAD_START:
    case TREADLE_EV_THREAD_EXIT:
    case TREADLE_EV_THREAD_JOIN:
    case TREADLE_EV_MUTEX_INIT:
    case TREADLE_EV_MUTEX_DESTROY:
      return About::Lives;
    case TREADLE_EV_LOCK:
      return event.extra == 0 && event.value == 1 ? About::Takes : About::SomethingElse;
    case TREADLE_EV_UNLOCK:
      return event.extra == 0 && event.value == 0 ? About::GivesBack : About::SomethingElse;
    default:
      return About::SomethingElse;
  }
}

}  // namespace

ObservedOrder::ObservedOrder(const CausalFormula& whole, const CausalMemory& memory, const KeptReads& kept, const Trace& trace,
                             UnitId first)
    : whole_(whole),
      memory_(memory),
      kept_(kept),
      trace_(trace),
      first_(first),
      sources_(kept.reads(), nothing),
      values_(whole.units().initial),
      foreign_(whole.size(), 0),
      included_(whole.size(), 0) {
  walk();
}

/// Through the whole trace: who reads what from whom, and who gives which mutex back.
void ObservedOrder::walk() {
  std::vector<ValueId> values = values_;
  std::vector<UnitId> last(values.size(), nothing);
  for (UnitId u = 0; u < whole_.size(); ++u) {
    const Unit& unit = whole_.unit(u);
    for (std::uint32_t r = 0; r < unit.reads.size(); ++r) {
      const UnitRead& read = unit.reads[r];
      sources_[kept_.number_of({u, r})] = values[read.cell] == read.value ? last[read.cell] : unknown;
    }
    for (const UnitWrite& write : unit.writes) {
      values[write.cell] = write.value;
      last[write.cell] = whole_.in_prefix(u) ? nothing : u;
      if (whole_.in_prefix(u)) values_[write.cell] = write.value;
    }
    for (const std::uint32_t e : unit.syncs) note_lock(u, trace_.events[e]);
    const auto locks = [&](std::uint32_t e) { return subject_of(trace_.events[e]) != About::Lives; };
    if (unit.syncs.size() > 1 && std::ranges::any_of(unit.syncs, locks)) foreign_[u] = 1;
  }
  taken_.clear();
  for (UnitId u = 0; u < whole_.size(); ++u)
    for (const std::uint32_t e : whole_.unit(u).syncs) {
      const Event& event = trace_.events[e];
      if (!foreign_objects_.empty() && foreign_objects_.contains(event.address)) foreign_[u] = 1;
      if (subject_of(event) != About::Takes || !whole_.in_prefix(u)) continue;
      if (const UnitId release = releases_[u]; release == nothing || !whole_.in_prefix(release)) taken_.push_back({event.address, u});
    }
}

/// While the trace is walked through, taken_ is what it was at that point.
void ObservedOrder::note_lock(UnitId unit, const Event& event) {
  switch (subject_of(event)) {
    case About::Takes:
      taken_.push_back({event.address, unit});
      releases_[unit] = nothing;
      break;
    case About::GivesBack:
      for (const Taken& taken : taken_)
        if (taken.mutex == event.address) releases_[taken.by] = unit;
      std::erase_if(taken_, [&](const Taken& taken) { return taken.mutex == event.address; });
      break;
    case About::SomethingElse:
      foreign_[unit] = 1;
      foreign_objects_.insert(event.address);
      if (event.kind == TREADLE_EV_COND_WAIT) foreign_objects_.insert(event.value);  // its mutex
      break;
    case About::Lives:
      break;
  }
}

std::optional<std::vector<UnitId>> ObservedOrder::lead_to(const ReadOf& read, ValueId value) {
  target_ = read;
  wanted_ = value;
  for (const auto& source : memory_.sources(read.unit, whole_.unit(read.unit).reads[read.read])) {
    if (source.value != value) continue;
    if (try_with(source.writer, With::Sources, By::Trace) || try_with(source.writer, With::Musts, By::Trace)) return order_;
    if (source.writer == nothing || whole_.in_prefix(source.writer)) continue;
    if (try_with(source.writer, With::Musts, By::WriterFirst) || try_with(source.writer, With::Musts, By::ReaderFirst)) return order_;
  }
  return std::nullopt;
}

bool ObservedOrder::try_with(UnitId writer, With with, By by) {
  constexpr unsigned most_tries = 8;
  for (const UnitId u : units_) included_[u] = 0;
  units_.clear();
  closed_ = 0;
  if (!add(target_.unit) || (writer != nothing && !add(writer)) || (first_ != nothing && !add(first_))) return false;
  for (unsigned tries = 0; tries < most_tries; ++tries) {
    if (!close(with)) return false;
    put_in_order(writer, by);
    const Played played = play();
    if (played != Played::HasToWait) return played == Played::AsWanted;
    if (missing_ == nothing || included_[missing_] != 0 || !add(missing_)) return false;
  }
  return false;
}

/// False: it cannot be part of such an order.
bool ObservedOrder::add(UnitId unit) {
  if (whole_.in_prefix(unit) || included_[unit] != 0) return true;
  const Unit& one = whole_.unit(unit);
  if (foreign_[unit] != 0 || whole_.reached(unit).is_false()) return false;
  if (unit != target_.unit && (one.left_out || one.ends || whole_.must_precede(target_.unit, unit))) return false;
  included_[unit] = 1;
  units_.push_back(unit);
  return true;
}

bool ObservedOrder::close(With with) {
  for (; closed_ < units_.size(); ++closed_) {
    const UnitId u = units_[closed_];
    for (const UnitId m : whole_.unit(u).must)
      if (!add(m)) return false;
    if (with == With::Musts) continue;
    const auto reads = u == target_.unit ? target_.read : static_cast<std::uint32_t>(whole_.unit(u).reads.size());
    for (std::uint32_t r = 0; r < reads; ++r)
      if (const UnitId source = sources_[kept_.number_of({u, r})]; source == unknown || (source != nothing && !add(source))) return false;
  }
  return true;
}

void ObservedOrder::put_in_order(UnitId writer, By by) {
  const auto rank = [&](UnitId u) {
    if (u == target_.unit) return 4;
    if (first_ != nothing && first_ != target_.unit && (u == first_ || whole_.must_precede(u, first_))) return u == first_ ? 1 : 0;
    if (by == By::WriterFirst) return u == writer || whole_.must_precede(u, writer) ? 2 : 3;
    if (by == By::ReaderFirst) return whole_.must_precede(u, target_.unit) ? 2 : 3;
    return 2;
  };
  order_ = units_;
  std::ranges::sort(order_, [&](UnitId a, UnitId b) {
    const int of_a = rank(a), of_b = rank(b);
    return of_a != of_b ? of_a < of_b : a < b;
  });
}

ObservedOrder::Played ObservedOrder::play() {
  now_ = values_;
  taken_now_ = taken_;
  missing_ = nothing;
  for (const UnitId u : order_) {
    const Unit& unit = whole_.unit(u);
    for (const std::uint32_t e : unit.syncs) {
      const Event& event = trace_.events[e];
      const auto held = [&](const Taken& taken) { return taken.mutex == event.address; };
      const About about = subject_of(event);
      if (about == About::GivesBack) std::erase_if(taken_now_, held);
      if (about != About::Takes) continue;
      if (const auto holder = std::ranges::find_if(taken_now_, held); holder != taken_now_.end()) {
        missing_ = releases_.at(holder->by);
        return Played::HasToWait;
      }
      taken_now_.push_back({event.address, u});
    }
    const auto reads = u == target_.unit ? target_.read : static_cast<std::uint32_t>(unit.reads.size());
    for (std::uint32_t r = 0; r < reads; ++r)
      if (now_[unit.reads[r].cell] != unit.reads[r].value) return Played::Otherwise;
    if (u == target_.unit) return now_[unit.reads[target_.read].cell] == wanted_ ? Played::AsWanted : Played::Otherwise;
    for (const UnitWrite& write : unit.writes) now_[write.cell] = write.value;
  }
  return Played::Otherwise;
}

}  // namespace treadle
