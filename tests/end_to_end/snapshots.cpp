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

unsigned compare(const char* what, unsigned seed, std::size_t at, const Trace& expected, const Trace& got) {
  const std::string differs = difference(expected, got);
  if (differs.empty()) return 0;
  fmt::print("seed {}, decision {}, {}: differs in {}\n", seed, at, what, differs);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return fmt::print(stderr, "usage: snapshots PROGRAM SCHEDULES\n"), 2;
  SubjectOptions options;
  options.program = argv[1];
  options.may_fall_back = false;
  auto subject = must(Subject::start(options));
  unsigned failures = 0, restored = 0, refused = 0;
  constexpr MemoryModel models[] = {MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso};
  const unsigned schedules = static_cast<unsigned>(std::atoi(argv[2]));
  for (unsigned seed = 1; seed <= schedules * std::size(models); ++seed) {
    Schedule random;
    random.model = models[(seed - 1) / schedules];
    if (random.model != MemoryModel::Sc && seed % 2 != 0) random.races = Races::Explore;
    random.policy = Policy::Random;
    random.seed = seed;
    Trace original, rerun;
    must(subject->run(random, everything, original));
    const std::size_t steps = original.choices.size();
    const std::size_t points[] = {1, steps / 4, steps / 2, steps - 1};
    std::uint32_t number = 0;
    for (const std::size_t at : points) {
      // What a run that keeps going by itself from there does, made from the start.
      Trace continued;
      must(subject->run(exactly(random, original, at), everything, continued));
      Recording save = everything;
      save.save_snapshot_at = static_cast<std::uint32_t>(at);
      save.save_snapshot_as = 1;
      must(subject->run(exactly(random, original, steps), save, rerun));
      failures += compare("while saving", seed, at, original, rerun);
      if (rerun.saved_snapshot == 0) {
        ++refused;
        continue;
      }
      number = 1;
      Recording restore = everything;
      restore.restore_snapshot = number;
      for (int round = 0; round < 3; ++round) {
        must(subject->run(exactly(random, original, at), restore, rerun));
        failures += compare("another continuation", seed, at, continued, rerun);
        must(subject->run(exactly(random, original, steps), restore, rerun));
        failures += compare("the same continuation", seed, at, original, rerun);
        restored += 2;
      }
      // One snapshot on top of the other, saved in a run that itself came out of one.
      if (at + 1 >= steps) continue;
      save.restore_snapshot = 1;
      save.save_snapshot_at = static_cast<std::uint32_t>((at + steps) / 2);
      save.save_snapshot_as = 2;
      must(subject->run(exactly(random, original, steps), save, rerun));
      failures += compare("while saving the second", seed, at, original, rerun);
      for (const std::uint32_t from : {2u, 2u, 1u}) {
        if (rerun.saved_snapshot == 0 && from == 2) continue;
        restore.restore_snapshot = from;
        must(subject->run(exactly(random, original, steps), restore, rerun));
        failures += compare(from == 2 ? "from the second" : "back from the first", seed, at, original, rerun);
        ++restored;
        if (from == 2) rerun.saved_snapshot = 2;
      }
    }
  }
  fmt::print("{} restored, {} refused: {} differences\n", restored, refused, failures);
  return failures != 0 || restored == 0 ? 1 : 0;
}
