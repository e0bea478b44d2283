// SPDX-License-Identifier: Apache-2.0
// Going on from a snapshot taken in mid-run is the same as replaying the prefix: for each execution, each of several saving points (nested,
// as a depth-first search takes them) and each continuation, the Trace equals the one made from the start.
//
//   snapshots PROGRAM SCHEDULES
#include <memory>
#include <vector>

#include "difference.h"

using namespace treadle;

namespace {

const Recording everything{.plain = true, .choices = true, .leaks = true, .stacks_at = {}};

Schedule exactly(const Schedule& schedule, const Trace& trace, std::size_t steps) {
  Schedule same = schedule;
  same.prefix = decisions_of(trace);
  same.prefix.resize(std::min(same.prefix.size(), steps));
  same.policy = Policy::Continue;
  same.threads = trace.threads;
  return same;
}

/// One run of a batch, and what it must look like.
struct Item {
  const char* what;
  Schedule schedule;
  Snapshots snapshots;
  const Trace* expected;
  bool resumes;  // provided that the snapshot could be saved
};

struct Tally {
  unsigned failures = 0, resumed = 0, refused = 0;
};

void compare(const Item& item, const Trace& got, std::size_t at, bool saved, Tally& tally) {
  const std::string differs = difference(*item.expected, got);
  const bool resumed = got.resumed_at != 0;
  tally.resumed += resumed;
  if (differs.empty() && resumed == (item.resumes && saved)) return;
  ++tally.failures;
  fmt::print("seed {}, decision {}, {}: {}\n", item.schedule.seed, at, item.what,
             differs.empty() ? (resumed ? "resumed where it cannot" : "made from the start") : "differs in " + differs);
}

/// As a depth-first search uses them, and a little more: what was dropped is made from the start.
std::vector<Item> items_of(const Schedule& whole, const Schedule& half, const Trace& original, const Trace& continued, std::size_t at) {
  static std::uint64_t names = 0;
  const std::uint64_t a = ++names, b = ++names;
  const auto here = static_cast<std::uint32_t>(at), later = static_cast<std::uint32_t>((at + original.choices.size()) / 2);
  return {{"while saving", whole, {0, a, here}, &original, false},
          {"another continuation", half, {a}, &continued, true},
          {"the same continuation", whole, {a}, &original, true},
          {"from the start in between", whole, {}, &original, false},
          {"the same continuation again", whole, {a}, &original, true},
          {"while saving the second", whole, {a, b, later}, &original, true},
          {"from the second", whole, {b}, &original, true},
          {"another one from the start", half, {}, &continued, false},
          {"from the second again", whole, {b}, &original, true},
          {"back from the first", half, {a}, &continued, true},
          {"from the second, which is gone", whole, {b}, &original, false},
          {"from one that never was", whole, {a + 1'000'000}, &original, false}};
}

void check_point(Subject& subject, const Schedule& random, const Trace& original, std::size_t at, bool in_one_batch, Tally& tally) {
  const std::size_t steps = original.choices.size();
  Trace continued;  // what a run that keeps going by itself from there does, made from the start
  must(subject.run(exactly(random, original, at), everything, continued));
  const auto items = items_of(exactly(random, original, steps), exactly(random, original, at), original, continued, at);
  std::vector<Schedule> schedules;
  std::vector<Snapshots> snapshots;
  std::vector<Trace> traces(items.size());
  for (const Item& item : items) {
    schedules.push_back(item.schedule);
    snapshots.push_back(item.snapshots);
  }
  if (in_one_batch)
    must(subject.run_batch(schedules, everything, traces, snapshots));
  else
    for (std::size_t i = 0; i < items.size(); ++i) must(subject.run(schedules[i], everything, traces[i], snapshots[i]));
  const bool saved = traces[0].saved_snapshot;
  tally.refused += !saved;
  for (std::size_t i = 0; i < items.size(); ++i)
    compare(items[i], traces[i], at, i >= 6 && i != 9 ? saved && traces[5].saved_snapshot : saved, tally);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return fmt::print(stderr, "usage: snapshots PROGRAM SCHEDULES\n"), 2;
  SubjectOptions options;
  options.program = argv[1];
  options.may_fall_back = false;
  auto subject = must(Subject::start(options));
  Tally tally;
  constexpr MemoryModel models[] = {MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso};
  const unsigned schedules = static_cast<unsigned>(std::atoi(argv[2]));
  for (unsigned seed = 1; seed <= schedules * std::size(models); ++seed) {
    Schedule random;
    random.model = models[(seed - 1) / schedules];
    if (random.model != MemoryModel::Sc && seed % 2 != 0) random.races = Races::Explore;
    random.policy = Policy::Random;
    random.seed = seed;
    Trace original;
    must(subject->run(random, everything, original));
    const std::size_t steps = original.choices.size();
    for (const std::size_t at : {std::size_t{1}, steps / 4, steps / 2, steps - 2})
      for (const bool in_one_batch : {true, false})
        if (at > 0 && at + 1 < steps) check_point(*subject, random, original, at, in_one_batch, tally);
  }
  fmt::print("{} resumed, {} refused: {} differences\n", tally.resumed, tally.refused, tally.failures);
  return tally.failures != 0 || tally.resumed == 0 ? 1 : 0;
}
