// SPDX-License-Identifier: Apache-2.0
#include "predict/held_back.h"

#include <algorithm>

namespace treadle {
namespace {

/// A thread makes what it does under locks at once, up to so many steps.
constexpr std::uint32_t longest_section = 256;
/// And the others so many of these while two wait.
constexpr std::uint32_t longest_wait = 8000;

}  // namespace

HeldBack::HeldBack(Interruptions& interruptions)
    : interruptions_(interruptions), units_(interruptions.units()), ways_(interruptions.ways()), machine_(interruptions.machine()) {
  for (UnitId u = 0; u < units_.all.size(); ++u)
    if (ways_.number(u) != nothing)
      for (const UnitWrite& write : units_.all[u].writes) writers_[write.cell].push_back(u);
}

void HeldBack::look_for(std::span<const Triple> triples, const KeepAsking& keep_asking, const Found& found) {
  triples_ = triples;
  found_ = &found;
  questions_.clear();
  for (const Triple& triple : triples) {
    const auto what = interruptions_.of(triple);
    questions_.push_back({what.value_or(Interruption{}), !what, {}});
  }
  for (const bool region_waits : {true, false}) look_for(region_waits, false, keep_asking);
  for (const bool region_waits : {true, false}) look_for(region_waits, true, keep_asking);
}

/// `with_another`: for those that came about, but made no difference, another thread is held back, too, to make one when it is time.
void HeldBack::look_for(bool region_waits, bool with_another, const KeepAsking& keep_asking) {
  std::map<std::pair<UnitId, UnitId>, Watched> walks;  // by where they are held back
  for (std::size_t q = 0; q < questions_.size(); ++q) {
    const Question& one = questions_[q];
    if (one.answered) continue;
    const UnitId place = region_waits ? one.what.behind : one.what.from, watched = region_waits ? one.what.from : one.what.behind;
    for (const UnitId other : with_another ? one.others : std::set<UnitId>{nothing}) walks[{place, other}][watched].push_back(q);
  }
  for (const auto& [places, watched] : walks) {
    if (!keep_asking()) return;
    walk(places.first, region_waits, places.second, watched);
  }
}

/// Of threads that have no part in it: where each entered what wrote last to what the three are about. It could have done so later.
void HeldBack::note_writers(std::size_t number) {
  Question& question = questions_[number];
  const auto all = writers_.find(interruptions_.cell_of(triples_[number]));
  if (all == writers_.end()) return;
  std::map<unsigned, UnitId> last;
  for (const UnitId u : all->second)
    if (machine_.is_made(u)) last[ways_.thread_of(u)] = u;
  for (const auto& [thread, unit] : last)
    if (thread != ways_.thread_of(question.what.first) && thread != ways_.thread_of(question.what.remote))
      question.others.insert(ways_.entry_of(unit));
}

void HeldBack::walk(UnitId place, bool region_waits, UnitId other, const Watched& watched) {
  look_before_ = region_waits;
  open_ = 0;
  for (const auto& [unit, questions] : watched)
    open_ += static_cast<std::size_t>(std::ranges::count_if(questions, [&](std::size_t q) { return !questions_[q].answered; }));
  machine_.start();
  next_.assign(ThreadWays::threads, 0);
  stop_.assign(ThreadWays::threads, nothing);
  stop_[ways_.thread_of(place)] = ways_.number(place) + (region_waits ? 1 : 0);
  if (other != nothing) stop_[ways_.thread_of(other)] = ways_.number(other);
  for (UnitId u = 0; u < units_.all.size() && open_ > 0; ++u)
    if (ways_.number(u) != nothing) advance(ways_.thread_of(u), u, watched);
  for (std::size_t made = 0; open_ > 0 && made != machine_.made().size();) {
    made = machine_.made().size();
    for (unsigned t = 0; t < ThreadWays::threads; ++t)
      if (!ways_.of(t).empty()) advance(t, ways_.of(t).back(), watched);
  }
}

void HeldBack::advance(unsigned thread, UnitId to, const Watched& watched) {
  while (open_ > 0 && next_[thread] <= ways_.number(to) && go_on(thread, watched)) {
  }
}

/// One step, or all that it does until it holds no lock. False: it cannot, and has done nothing.
bool HeldBack::go_on(unsigned thread, const Watched& watched) {
  if (next_[thread] >= std::min(stop_[thread], static_cast<std::uint32_t>(ways_.of(thread).size()))) return false;
  const auto look = [&](UnitId unit) {
    if (const auto found = watched.find(unit); found != watched.end())
      for (const std::size_t question : found->second) look_at(question);
  };
  if (look_before_) look(ways_.of(thread)[next_[thread]]);
  const std::uint32_t from = next_[thread];
  if (!make_section(thread, next_[thread], stop_[thread], watched)) return false;
  for (std::uint32_t i = from; i < next_[thread] && !look_before_; ++i) look(ways_.of(thread)[i]);
  return true;
}

bool HeldBack::make_section(unsigned thread, std::uint32_t& next, std::uint32_t stop, const Watched& pauses) {
  const std::size_t made = machine_.made().size();
  const std::uint32_t from = next, end = std::min(stop, static_cast<std::uint32_t>(ways_.of(thread).size()));
  for (bool goes_on = next < end; goes_on;) {
    const UnitId unit = ways_.of(thread)[next];
    if (!machine_.make(unit)) {
      machine_.undo(made);
      next = from;
      return false;
    }
    ++next;
    const UnitId edge = look_before_ && next < end ? ways_.of(thread)[next] : unit;
    goes_on = next < end && next - from < longest_section && machine_.locks_held(units_.all[unit].thread) > 0 && !pauses.contains(edge);
  }
  return next > from;
}

void HeldBack::look_at(std::size_t number) {
  if (questions_[number].answered || !machine_.is_made(questions_[number].what.first)) return;
  const std::size_t here = machine_.made().size();
  const auto outcome = try_out(number);
  machine_.undo(here);
  if (outcome != Interruptions::Outcome::MakesNoDifference) return;
  note_writers(number);
  wait_for_difference(number);
  machine_.undo(here);
}

Interruptions::Outcome HeldBack::try_out(std::size_t number) {
  Question& question = questions_[number];
  const auto outcome = interruptions_.try_out(question.what, triples_[number], next_[ways_.thread_of(question.what.remote)]);
  if (outcome != Interruptions::Outcome::Possible) return outcome;
  question.answered = true;
  --open_;
  (*found_)(number, [&] { return interruptions_.reply(question.what); });
  return outcome;
}

/// Both stand still while the others go on, and whenever these have changed what it is about, it is tried again.
void HeldBack::wait_for_difference(std::size_t number) {
  static const Watched nowhere;
  const CellId cell = interruptions_.cell_of(triples_[number]);
  const Interruption& what = questions_[number].what;
  const unsigned region = ways_.thread_of(what.first), other = ways_.thread_of(what.remote);
  std::vector<std::uint32_t> next = next_;
  std::uint64_t value = machine_.stands_in(cell).value;
  std::uint32_t sections = 0;
  for (bool any = true; any && sections < longest_wait;) {
    any = false;
    for (unsigned t = 0; t < ThreadWays::threads; ++t) {
      if (t == region || t == other || !make_section(t, next[t], nothing, nowhere)) continue;
      any = true;
      ++sections;
      if (std::exchange(value, machine_.stands_in(cell).value) == machine_.stands_in(cell).value) continue;
      const std::size_t here = machine_.made().size();
      if (try_out(number) == Interruptions::Outcome::Possible) return;
      machine_.undo(here);
    }
  }
}

}  // namespace treadle
