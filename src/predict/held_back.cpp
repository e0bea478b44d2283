// SPDX-License-Identifier: Apache-2.0
#include "predict/held_back.h"

#include <algorithm>

#include "predict/interference.h"
#include "solve/unit_parts.h"
#include "trace/happens_before.h"

namespace treadle {
namespace {

/// A thread makes what it does under locks at once, up to so many steps.
constexpr std::uint32_t longest_section = 256;
/// And the others so many of these while two wait.
constexpr std::uint32_t longest_wait = 8000;

}  // namespace

HeldBack::HeldBack(const Trace& trace, const TraceModel& model, TraceMachine& machine, bool values)
    : trace_(trace),
      model_(model),
      units_(model.units()),
      machine_(machine),
      values_(values),
      threads_(256),
      number_(units_.all.size(), nothing),
      depth_(units_.all.size(), 0) {
  std::vector<std::uint32_t> held(threads_.size(), 0);
  for (UnitId u = 0; u < units_.all.size(); ++u) {
    if (units_.all[u].left_out) continue;
    const std::size_t thread = index_of(units_.all[u].thread);
    number_[u] = static_cast<std::uint32_t>(threads_[thread].size());
    threads_[thread].push_back(u);
    depth_[u] = held[thread] += machine.locks_entered(u) - machine.locks_left(u);
    for (const UnitWrite& write : units_.all[u].writes) writers_[write.cell].push_back(u);
  }
}

UnitId HeldBack::next_of(UnitId unit) const {
  const auto& mine = threads_[index_of(units_.all[unit].thread)];
  return number_[unit] + 1 < mine.size() ? mine[number_[unit] + 1] : nothing;
}

/// Where the thread holds as few locks as it can.
UnitId HeldBack::best_place_between(UnitId first, UnitId last) const {
  UnitId best = first;
  for (UnitId u = first; u != nothing && u != last; u = next_of(u))
    if (depth_[u] < depth_[best]) best = u;
  return best;
}

/// Where it takes the first of the locks that it holds there.
UnitId HeldBack::entry_of(UnitId unit) const {
  UnitId u = unit;
  for (std::uint32_t steps = 0; units_.all[u].before != nothing && depth_[units_.all[u].before] > 0; u = units_.all[u].before)
    if (++steps > longest_section) return unit;
  return u;
}

HeldBack::Question HeldBack::question_of(const Triple& triple) const {
  Question out;
  out.first = units_.unit_of[triple.first];
  out.remote = units_.unit_of[triple.remote];
  out.last = units_.unit_of[triple.last];
  out.answered = true;  // unless it can be asked
  for (const UnitId u : {out.first, out.remote, out.last})
    if (u == nothing || number_[u] == nothing) return out;
  if (out.first == out.last || model_.must_precede(out.remote, out.first) || model_.must_precede(out.last, out.remote)) return out;
  out.behind = best_place_between(out.first, out.last);
  out.from = entry_of(out.remote);
  out.answered = false;
  return out;
}

void HeldBack::look_for(std::span<const Triple> triples, const KeepAsking& keep_asking, const Found& found) {
  triples_ = triples;
  found_ = &found;
  questions_.clear();
  for (const Triple& triple : triples) questions_.push_back(question_of(triple));
  for (const bool region_waits : {true, false}) look_for(region_waits, false, keep_asking);
  for (const bool region_waits : {true, false}) look_for(region_waits, true, keep_asking);
}

/// `with_another`: for those that came about, but made no difference, another thread is held back, too, to make one when it is time.
void HeldBack::look_for(bool region_waits, bool with_another, const KeepAsking& keep_asking) {
  std::map<std::pair<UnitId, UnitId>, Watched> walks;  // by where they are held back
  for (std::size_t q = 0; q < questions_.size(); ++q) {
    const Question& one = questions_[q];
    if (one.answered) continue;
    const UnitId place = region_waits ? one.behind : one.from, watched = region_waits ? one.from : one.behind;
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
  const Event& event = trace_.events[triples_[number].first];
  const auto all = writers_.find(cells_within(units_, event.address, bytes_of(event)).first);
  if (all == writers_.end()) return;
  std::map<unsigned, UnitId> last;
  for (const UnitId u : all->second)
    if (machine_.is_made(u)) last[index_of(units_.all[u].thread)] = u;
  for (const auto& [thread, unit] : last)
    if (thread != index_of(units_.all[question.first].thread) && thread != index_of(units_.all[question.remote].thread))
      question.others.insert(entry_of(unit));
}

void HeldBack::walk(UnitId place, bool region_waits, UnitId other, const Watched& watched) {
  look_before_ = region_waits;
  open_ = 0;
  for (const auto& [unit, questions] : watched)
    open_ += static_cast<std::size_t>(std::ranges::count_if(questions, [&](std::size_t q) { return !questions_[q].answered; }));
  machine_.start();
  next_.assign(threads_.size(), 0);
  stop_.assign(threads_.size(), nothing);
  stop_[index_of(units_.all[place].thread)] = number_[place] + (region_waits ? 1 : 0);
  if (other != nothing) stop_[index_of(units_.all[other].thread)] = number_[other];
  for (UnitId u = 0; u < units_.all.size() && open_ > 0; ++u)
    if (number_[u] != nothing) advance(index_of(units_.all[u].thread), u, watched);
  for (std::size_t made = 0; open_ > 0 && made != machine_.made().size();) {
    made = machine_.made().size();
    for (unsigned t = 0; t < threads_.size(); ++t)
      if (!threads_[t].empty()) advance(t, threads_[t].back(), watched);
  }
}

void HeldBack::advance(unsigned thread, UnitId to, const Watched& watched) {
  while (open_ > 0 && next_[thread] <= number_[to] && go_on(thread, watched)) {
  }
}

/// One step, or all that it does until it holds no lock. False: it cannot, and has done nothing.
bool HeldBack::go_on(unsigned thread, const Watched& watched) {
  if (next_[thread] >= std::min(stop_[thread], static_cast<std::uint32_t>(threads_[thread].size()))) return false;
  const auto look = [&](UnitId unit) {
    if (const auto found = watched.find(unit); found != watched.end())
      for (const std::size_t question : found->second) look_at(question);
  };
  if (look_before_) look(threads_[thread][next_[thread]]);
  const std::uint32_t from = next_[thread];
  if (!make_section(thread, next_[thread], stop_[thread], watched)) return false;
  for (std::uint32_t i = from; i < next_[thread] && !look_before_; ++i) look(threads_[thread][i]);
  return true;
}

bool HeldBack::make_section(unsigned thread, std::uint32_t& next, std::uint32_t stop, const Watched& pauses) {
  const std::size_t made = machine_.made().size();
  const std::uint32_t from = next, end = std::min(stop, static_cast<std::uint32_t>(threads_[thread].size()));
  for (bool goes_on = next < end; goes_on;) {
    const UnitId unit = threads_[thread][next];
    if (!machine_.make(unit)) {
      machine_.undo(made);
      next = from;
      return false;
    }
    ++next;
    const UnitId edge = look_before_ && next < end ? threads_[thread][next] : unit;
    goes_on = next < end && next - from < longest_section && machine_.locks_held(units_.all[unit].thread) > 0 && !pauses.contains(edge);
  }
  return next > from;
}

void HeldBack::look_at(std::size_t number) {
  if (questions_[number].answered || !machine_.is_made(questions_[number].first)) return;
  const std::size_t here = machine_.made().size();
  const Outcome outcome = try_out(number);
  machine_.undo(here);
  if (outcome != Outcome::MakesNoDifference) return;
  note_writers(number);
  wait_for_difference(number);
  machine_.undo(here);
}

/// Both threads go on from where they are, the other one first.
HeldBack::Outcome HeldBack::try_out(std::size_t number) {
  Question& question = questions_[number];
  const unsigned thread = index_of(units_.all[question.remote].thread);
  for (std::uint32_t i = next_[thread]; i < threads_[thread].size(); ++i) {
    const UnitId u = threads_[thread][i];
    if (!machine_.make(u) || (u >= question.remote && depth_[u] == 0)) break;
  }
  if (!machine_.is_made(question.remote)) return Outcome::Impossible;
  for (UnitId u = next_of(question.behind); u != question.last; u = next_of(u))
    if (!machine_.make(u)) return Outcome::Impossible;
  if (!machine_.is_made(question.behind) || !machine_.reaches(question.last)) return Outcome::Impossible;
  if (values_ && !makes_difference(triples_[number])) return Outcome::MakesNoDifference;
  question.answered = true;
  --open_;
  const UnitId both[] = {question.first, question.remote};
  (*found_)(number, [&] { return model_.reply_of(machine_.needed(both, question.last), question.last); });
  return Outcome::Found;
}

/// Both stand still while the others go on, and whenever these have changed what it is about, it is tried again.
void HeldBack::wait_for_difference(std::size_t number) {
  static const Watched nowhere;
  const Event& event = trace_.events[triples_[number].first];
  const CellId cell = cells_within(units_, event.address, bytes_of(event)).first;
  const unsigned region = index_of(units_.all[questions_[number].first].thread),
                 other = index_of(units_.all[questions_[number].remote].thread);
  std::vector<std::uint32_t> next = next_;
  std::uint64_t value = machine_.stands_in(cell).value;
  std::uint32_t sections = 0;
  for (bool any = true; any && sections < longest_wait;) {
    any = false;
    for (unsigned t = 0; t < threads_.size(); ++t) {
      if (t == region || t == other || !make_section(t, next[t], nothing, nowhere)) continue;
      any = true;
      ++sections;
      if (std::exchange(value, machine_.stands_in(cell).value) == machine_.stands_in(cell).value) continue;
      const std::size_t here = machine_.made().size();
      if (try_out(number) == Outcome::Found) return;
      machine_.undo(here);
    }
  }
}

/// Guarded independence, as far as the values tell; see add_difference() of atomicity.cpp.
bool HeldBack::makes_difference(const Triple& triple) {
  if (!same_bytes(trace_, triple)) return true;
  const bool writes = writes_memory(static_cast<EventKind>(trace_.events[triple.remote].kind));
  if (writes && !differ(triple.first, triple.remote)) return false;
  const bool compares_last = !writes || !reads_memory(static_cast<EventKind>(trace_.events[triple.last].kind));
  return !compares_last || differ(triple.remote, triple.last);
}

bool HeldBack::differ(std::uint32_t a, std::uint32_t b) {
  const auto [first, end] = cells_within(units_, trace_.events[a].address, bytes_of(trace_.events[a]));
  for (CellId c = first; c < end; ++c) {
    const Content one = machine_.left(a, c), other = machine_.left(b, c);
    if (!one.known || !other.known || one.value != other.value) return true;
  }
  return false;
}

}  // namespace treadle
