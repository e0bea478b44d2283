// SPDX-License-Identifier: Apache-2.0
// Is what the compiler says about dependence true of real executions? Two executions of one program differ in what some reads got. As
// long as a thread has read nothing different that steers an event, it must make that event in both; as long as nothing different has gone
// into a write, it must write the same in both; and an event that is missing in one must be controlled by a read that differs.
//
//   soundness PROGRAM EXECUTIONS [ARGUMENT...]
#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "subject/compiler.h"
#include "subject/program_dependence.h"
#include "subject/subject.h"
#include "trace/happens_before.h"

using namespace treadle;

namespace {

template <class T>
T must(Result<T> result) {
  if (result) return std::move(*result);
  fmt::print(stderr, "{}\n", result.problem().sentence);
  std::exit(2);
}

/// What the program's own code did, in order: not what the scheduler and the store buffers added.
bool is_own(const Event& event) {
  switch (event.kind) {
    case TREADLE_EV_FLUSH:
    case TREADLE_EV_FENCE:  // also where a library is called while stores are under way
    case TREADLE_EV_SPIN:
    case TREADLE_EV_ITERATION:
    case TREADLE_EV_COND_WOKEN:
    case TREADLE_EV_FUTEX_WOKEN:
    case TREADLE_EV_THREAD_START:
    case TREADLE_EV_RACE:
    case TREADLE_EV_MISUSE:
    case TREADLE_EV_LEAK:
    case TREADLE_EV_HEAP_ERROR:
      return false;
    default:
      return true;
  }
}

EventKind kind_of(const Event& event) { return event.kind == TREADLE_EV_CAS_FAIL ? TREADLE_EV_CAS_OK : static_cast<EventKind>(event.kind); }

bool is_same_event(const Event& a, const Event& b) {
  if (kind_of(a) != kind_of(b)) return false;
  if (a.kind == TREADLE_EV_ALLOC) return a.value == b.value;                    // where it was put is what the program got
  if (a.kind == TREADLE_EV_OBSERVE || a.kind == TREADLE_EV_INPUT) return true;  // their addresses are ours
  return a.address == b.address && bytes_of(a) == bytes_of(b);
}

bool reads(const Event& event) { return reads_memory(static_cast<EventKind>(event.kind)); }
bool writes(const Event& event) { return writes_memory(static_cast<EventKind>(event.kind)); }

/// Did the program get the same from it?
bool brought_the_same(const Event& a, const Event& b) {
  if (a.kind == TREADLE_EV_RANGE_READ) return false;  // nobody knows
  if (a.kind == TREADLE_EV_ALLOC) return a.address == b.address;
  if (reads(a)) return value_read(a) == value_read(b);
  if (writes(a) || a.kind == TREADLE_EV_OBSERVE) return true;
  return a.value == b.value && a.extra == b.extra;
}

using Places = std::set<std::uint64_t>;

class Comparison {
 public:
  Comparison(const Dependence& dependence, const Symbols& symbols) : dependence_(dependence), symbols_(symbols) {}

  unsigned failures() const { return failures_; }
  /// Events that happened although something different had been read before.
  unsigned long independent() const { return independent_; }

  void compare(const Trace& a, const Trace& b) {
    std::map<unsigned, std::vector<const Event*>> of_a, of_b;
    for (const Event& event : a.events)
      if (is_own(event)) of_a[event.thread].push_back(&event);
    for (const Event& event : b.events)
      if (is_own(event)) of_b[event.thread].push_back(&event);
    different_.clear();
    const bool is_whole = b.end.ending == TREADLE_END_COMPLETED;
    for (is_rehearsal_ = true;; is_rehearsal_ = false) {  // first find what each thread read differently: others join it
      for (unsigned thread = 0; thread < a.threads.size(); ++thread) {
        Places inherited = thread == 0 ? Places{} : different_[a.threads[thread].parent];
        in_step(of_a[thread], of_b[thread], inherited, thread, is_whole && a.end.ending == TREADLE_END_COMPLETED);
        if (is_whole) one_by_one(of_a[thread], of_b[thread], inherited);
      }
      if (!is_rehearsal_) return;
    }
  }

 private:
  void complain(const char* what, const Event& event, const Places& different) {
    if (is_rehearsal_ || ++failures_ > 20) return;
    std::string places;
    for (const std::uint64_t place : different) places += " " + symbols_.place_of(place);
    fmt::print("{} {} at {}; read differently:{}\n", text_of(static_cast<EventKind>(event.kind)), what, symbols_.place_of(event.pc),
               places);
  }

  bool any_steers(const Places& reads, const Event& event) {
    for (const std::uint64_t read : reads)
      if (dependence_.steers(read, event.pc)) return true;
    return false;
  }
  bool any_controls(const Places& reads, const Event& event) {
    for (const std::uint64_t read : reads)
      if (dependence_.controls(read, event.pc)) return true;
    return false;
  }
  bool any_flows(const Places& reads, const Event& event) {
    for (const std::uint64_t read : reads)
      if (dependence_.flows_into(read, event.pc)) return true;
    return false;
  }

  void in_step(const std::vector<const Event*>& a, const std::vector<const Event*>& b, Places different, unsigned thread, bool whole) {
    Places& all = different_[thread];
    std::multimap<std::uint64_t, unsigned> joined;  // where, whom: the runtime hands over results there
    for (const Event* event : a)
      if (event->kind == TREADLE_EV_THREAD_JOIN) joined.emplace(event->pc, static_cast<unsigned>(event->value));
    for (std::size_t i = 0;; ++i) {
      all.insert(different.begin(), different.end());
      const Event* in_a = i < a.size() ? a[i] : nullptr;
      const Event* in_b = i < b.size() ? b[i] : nullptr;
      if (in_a == nullptr && in_b == nullptr) return;
      if (in_a == nullptr || in_b == nullptr || !is_same(*in_a, *in_b)) {
        if (!whole && (in_a == nullptr || in_b == nullptr)) return;
        for (const Event* event : {in_a, in_b})
          if (event != nullptr && !any_steers(different, *event)) complain("does not happen next in both executions", *event, different);
        for (const auto* rest : {&a, &b})  // whatever comes now may differ
          for (std::size_t j = i; j < rest->size(); ++j) all.insert((*rest)[j]->pc);
        return;
      }
      const auto [first, last] = joined.equal_range(in_a->pc);
      for (auto join = first; join != last; ++join) different.insert(different_[join->second].begin(), different_[join->second].end());
      independent_ += !is_rehearsal_ && !different.empty() && !any_steers(different, *in_a);
      const bool got_the_same = brought_the_same(*in_a, *in_b);
      const bool is_scalar_write = writes(*in_a) && writes(*in_b) && in_a->kind != TREADLE_EV_RANGE_WRITE;
      if (is_scalar_write && got_the_same && value_written(*in_a) != value_written(*in_b) && !any_flows(different, *in_a))
        complain("writes different values", *in_a, different);
      if (!got_the_same) different.insert(in_a->pc);
    }
  }

  /// A place in the source: the compiler may have made two of it, one for each way that leads there.
  std::uint64_t place_of(const Event& event) const {
    const auto site = dependence_.site_of(event.pc);
    return site ? *site : event.pc;
  }
  bool is_same(const Event& a, const Event& b) const { return place_of(a) == place_of(b) && is_same_event(a, b); }

  /// Events by place and by how often the thread had been there: those of `a` that are not in `b`.
  void one_by_one(const std::vector<const Event*>& a, const std::vector<const Event*>& b, Places different) {
    std::map<std::pair<std::uint64_t, unsigned>, const Event*> of_b;
    std::map<std::uint64_t, unsigned> times;
    for (const Event* event : b) of_b[{place_of(*event), times[place_of(*event)]++}] = event;
    times.clear();
    for (const Event* event : a) {
      const auto twin = of_b.find({place_of(*event), times[place_of(*event)]++});
      const bool is_there = twin != of_b.end() && is_same(*event, *twin->second);
      if (!is_there && !any_controls(different, *event)) complain("does not happen in both executions", *event, different);
      if (!is_there || !brought_the_same(*event, *twin->second)) different.insert(event->pc);
    }
  }

  const Dependence& dependence_;
  const Symbols& symbols_;
  std::map<unsigned, Places> different_;  // by thread: all places where it read something different
  bool is_rehearsal_ = false;
  unsigned failures_ = 0;
  unsigned long independent_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return fmt::print(stderr, "usage: soundness PROGRAM EXECUTIONS [ARGUMENT...]\n"), 2;
  SubjectOptions options;
  options.program = argv[1];
  options.arguments.assign(argv + 3, argv + argc);
  const auto subject = must(Subject::start(options));
  const auto objects = subject->loaded_objects();
  ProgramDependence known = dependence_in(objects, must(runtime_archive()));
  const Dependence dependence(std::move(known.tables));
  if (dependence.knows_nothing()) return fmt::print("nothing is known: {}\n", known.gap), 2;

  const auto symbols = Symbols::of_objects(objects);
  Comparison comparison(dependence, *symbols);
  std::vector<Trace> traces;
  for (int i = 0; i < std::atoi(argv[2]); ++i) {
    Schedule schedule;
    schedule.races = Races::Explore;
    schedule.model = i % 3 == 0 ? MemoryModel::Sc : i % 3 == 1 ? MemoryModel::Tso : MemoryModel::Pso;
    schedule.policy = i % 2 ? Policy::Pct : Policy::Random;
    schedule.seed = static_cast<std::uint64_t>(i) + 1;
    schedule.pct_depth = 3;
    schedule.pct_length = 60;
    must(subject->run(schedule, {.plain = true, .stacks_at = {}}, traces.emplace_back()));
    for (std::size_t other = traces.size() > 12 ? traces.size() - 12 : 0; other + 1 < traces.size(); ++other) {
      comparison.compare(traces[other], traces.back());
      comparison.compare(traces.back(), traces[other]);
    }
  }
  fmt::print("{} wrong, {} events happened although something different had been read\n", comparison.failures(), comparison.independent());
  return comparison.failures() == 0 ? 0 : 1;
}
