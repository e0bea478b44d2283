// SPDX-License-Identifier: Apache-2.0
#include "generate.h"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "author.h"
#include "classes.h"
#include "interpret.h"
#include "paths.h"
#include "random.h"

namespace oracle {
namespace {

constexpr int kMostDrafts = 100'000;
constexpr std::size_t kFewPaths = 4, kMostPaths = 60;

/// One of the threads is created and joined by another one, not by main.
void let_another_create(Program& program, Random& random) {
  const int child = int(program.threads.size()) - 1, parent = random.between(1, child - 1);
  Block& main = program.threads[0];
  std::erase_if(
      main, [child](const Statement& statement) { return statement == Statement(Create{child}) || statement == Statement(Join{child}); });
  const auto last_join = std::find_if(main.rbegin(), main.rend(), [](const Statement& s) { return std::holds_alternative<Join>(s.is); });
  std::rotate(last_join.base() - 1, last_join.base(), main.end());  // still main's last statement
  Block& body = program.threads[parent];
  const int at = random.below(int(body.size()) + 1);
  body.insert(body.begin() + at, Create{child});
  body.insert(body.begin() + random.between(at + 1, int(body.size())), Join{child});
}

/// create … create, join … join: main's own work stands somewhere before the last join, which is in any order.
Block frame(int threads, const Block& work, Random& random) {
  Block main;
  for (int t = 1; t <= threads; ++t) main.push_back(Create{t});
  std::vector<int> order;
  for (int t = 1; t <= threads; ++t)
    order.insert(order.begin() + (random.percent(60) ? order.size() : random.below(int(order.size()) + 1)), t);
  for (const int t : order) main.push_back(Join{t});
  const int drawn = threads > 1 ? random.below(100) : 100;
  const int at = drawn < 30 ? threads - 1 : drawn < 45 ? threads + 1 : threads;
  main.insert(main.begin() + at, work.begin(), work.end());
  return main;
}

/// A word whose bytes are all atomic or all plain, and often half of one besides.
void draw_bytes(Program& program, Random& random) {
  program.bytes = true;
  program.variables.assign(4, {random.percent(60), 0});
  if (random.percent(60)) program.variables.resize(6, {random.percent(60), 0});
}

Program draft(const Profile& profile, Random& random) {
  Program program;
  const auto has = [&profile](unsigned feature) { return (profile.features & feature) != 0; };
  const int variables = random.between(2, 3);
  for (int v = 0; v < variables; ++v) program.variables.push_back({has(kAtomics) && (!has(kPlain) || random.percent(50)), 0});
  if (has(kSizes)) draw_bytes(program, random);
  if (!program.bytes && (has(kRmw) || has(kSpins) || has(kSpinLocks))) program.variables.back().atomic = true;
  if (has(kLocks)) program.mutexes = random.percent(has(kTrylocks) ? 90 : 60) ? 2 : 1;
  if (has(kCondvars)) program.condvars = random.percent(75) ? 1 : 2;
  if (has(kSemaphores)) program.semaphores.push_back(random.below(2));
  if (has(kInputs)) {
    for (int i = random.between(1, 3); i > 0; --i) {
      const int lowest = random.between(-1, 1);
      program.inputs.push_back({lowest, lowest + random.between(1, 3)});
    }
  }
  program.array = has(kArrays);
  if (has(kRwlocks)) program.rwlocks = random.percent(75) ? 1 : 2;

  if (has(kOnces)) {
    for (int o = random.percent(75) ? 1 : 2; o > 0; --o) {
      Block initialiser;
      for (int n = random.between(1, 2); n > 0; --n) {
        const int v = random.below(variables);
        initialiser.push_back(Store{v, program.variables[v].atomic ? Order::Release : Order::Plain, constant(random.between(1, 3))});
      }
      program.onces.push_back(std::move(initialiser));
    }
  }

  const int threads = random.between(profile.fewest_threads, profile.most_threads);
  const bool main_works = threads == 1 || random.percent(profile.main_works);
  const int workers = threads + (main_works ? 1 : 0);
  // Creation, start, exit and join multiply the executions: main and one thread can afford more operations than main and two.
  const int extra = threads == 1 ? 4 : 0;
  const int operations = std::max(workers, random.between(profile.fewest_operations, profile.most_operations) + extra);
  Author author(program, profile, random);
  std::vector<Block> bodies;
  const bool meet = has(kCondvars) && random.percent(70);  // some wait for what another does, instead of leaving it to chance
  const int waiters = workers > 2 && random.percent(60) ? 2 : 1;
  for (int w = 0; w < workers; ++w) {
    const auto opening = !meet || w > waiters ? Author::Opening::Any : w < waiters ? Author::Opening::Wait : Author::Opening::Wake;
    bodies.push_back(author.thread(operations / workers + (w < operations % workers ? 1 : 0), opening));
  }

  if (has(kBarriers) && random.percent(50)) {
    program.barriers.push_back(2);
    for (int w = 0; w < 2; ++w) bodies[w].insert(bodies[w].begin() + random.below(int(bodies[w].size()) + 1), BarrierWait{0});
  }

  Block main;
  if (main_works) {
    main = std::move(bodies.back());
    bodies.pop_back();
  }
  program.threads.push_back(frame(threads, main, random));
  for (Block& body : bodies) program.threads.push_back(std::move(body));
  if (threads > 1 && random.percent(profile.spawns_deeper)) let_another_create(program, random);
  return program;
}

bool is_too_large(const Program& program, const Interpretation& all, const Profile& profile) {
  if (!all.complete || all.executions > profile.most_executions) return true;
  if (profile.most_classes == 0) return false;
  const Classes classes = count_classes(program, {.model = profile.limit_model}, 40 * profile.most_classes);
  return !classes.complete || classes.all() > profile.most_classes;
}

}  // namespace

Program generate(std::uint64_t seed, const Profile& profile) {
  const Profile& actual = resolve(profile, seed);
  Random random(seed);
  for (int drafts = 0; drafts < kMostDrafts; ++drafts) {
    const Program program = draft(actual, random);
    if (!why_malformed(program).empty()) continue;
    const Interpretation all = interpret(program, MachineOptions{.model = actual.limit_model}, 200'000);
    if (all.misuses || is_too_large(program, all, actual)) continue;
    if (actual.asserts_inside > 0 && all.outcomes.empty()) continue;
    // Programs with a single outcome, or hardly any paths, compare little; keep a few.
    bool dull = all.outcomes.size() + (all.deadlocks ? 1 : 0) + (all.fails ? 1 : 0) < 2;
    if ((actual.features & kInputs) != 0) {
      const Paths paths = paths_of(program, actual.limit_model, 100'000);
      if (!paths.complete || paths.completed.size() > kMostPaths) continue;
      dull = paths.completed.size() < kFewPaths;
    }
    if (dull && !random.percent(10)) continue;
    return program;
  }
  throw std::invalid_argument("no program of this profile is within the limits");
}

}  // namespace oracle
