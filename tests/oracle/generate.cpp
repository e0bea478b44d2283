// SPDX-License-Identifier: Apache-2.0
#include "generate.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>
#include <vector>

#include "author.h"
#include "classes.h"
#include "interpret.h"
#include "paths.h"
#include "random.h"

namespace oracle {
namespace {

constexpr int kMostDrafts = 100'000;
constexpr int kManyDrafts = 20'000;  // that have to have all kinds of operations drawn: within narrow limits there may be none
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

/// Three kinds of what other profiles have apart, so that any two meet in one program out of twelve.
unsigned draw_features(std::uint64_t seed) {
  unsigned kinds[] = {kLocks | kTrylocks, kLocks | kCondvars, kSemaphores, kBarriers | kMeetings, kRwlocks, kOnces, kSpins,
                      kSpinLocks,         kRmw | kFences};
  Random random(seed ^ 0x6d65646c6579ull);
  unsigned drawn = kPlain | kAtomics | kTimed;
  for (int i = 0; i < 3; ++i) {
    std::swap(kinds[i], kinds[random.between(i, int(std::size(kinds)) - 1)]);
    drawn |= kinds[i];
  }
  for (const unsigned more : {kBranches, kLoops, kAsserts})
    if (random.percent(35)) drawn |= more;
  return drawn;
}

void add_kinds(const Block& block, unsigned& kinds) {
  const auto all = [&](const Block& some) { add_kinds(some, kinds); };
  for (const Statement& statement : block)
    std::visit(Cases{
                   [&](const TryLock&) { kinds |= kTrylocks; },
                   [&](const Wait&) { kinds |= kCondvars; },
                   [&](const SemWait&) { kinds |= kSemaphores; },
                   [&](const SemTry&) { kinds |= kSemaphores; },
                   [&](const SemPost&) { kinds |= kSemaphores; },
                   [&](const BarrierWait&) { kinds |= kBarriers; },
                   [&](const RwLock&) { kinds |= kRwlocks; },
                   [&](const RwTryLock&) { kinds |= kRwlocks; },
                   [&](const Once&) { kinds |= kOnces; },
                   [&](const Await&) { kinds |= kSpins; },
                   [&](const Spin&) { kinds |= kSpinLocks; },
                   [&](const FetchAdd&) { kinds |= kRmw; },
                   [&](const Exchange&) { kinds |= kRmw; },
                   [&](const CompareExchange&) { kinds |= kRmw; },
                   [&](const If& s) { all(s.then), all(s.otherwise); },
                   [&](const Loop& s) { all(s.body); },
                   [](const auto&) {},
               },
               statement.is);
}

/// Where in the body a section of this lock can stand: not within another one.
std::vector<int> places_outside(const Block& body, int w) {
  std::vector<int> places{0};
  bool inside = false;
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (const RwLock* lock = std::get_if<RwLock>(&body[i].is); lock != nullptr && lock->rwlock == w) inside = true;
    if (const RwUnlock* lock = std::get_if<RwUnlock>(&body[i].is); lock != nullptr && lock->rwlock == w) inside = false;
    const RwTryLock* attempt = std::get_if<RwTryLock>(&body[i].is);
    const bool attempted = attempt != nullptr && attempt->rwlock == w;  // the branch behind it is the section
    if (!inside && !attempted) places.push_back(int(i) + 1);
  }
  return places;
}

/// They hold a lock for reading while they wait for each other, and somebody else wants to write it: before all of them, or after all.
void let_readers_meet(Program& program, std::vector<Block>& bodies, int first, int users, int barrier, Random& random) {
  const int workers = int(bodies.size()), w = random.below(program.rwlocks);
  const auto insert = [&](int worker, const Block& section) {
    Block& body = bodies[worker % workers];
    const std::vector<int> places = places_outside(body, w);
    body.insert(body.begin() + places[random.below(int(places.size()))], section.begin(), section.end());
  };
  for (int i = 0; i < users; ++i) insert(first + i, {RwLock{w, false}, BarrierWait{barrier}, RwUnlock{w}});
  if (users < workers) insert(first + users, {RwLock{w, true}, RwUnlock{w}});
}

void draw_meetings(Program& program, std::vector<Block>& bodies, Random& random) {
  const int workers = int(bodies.size());
  for (int barriers = random.percent(75) ? 1 : 2; barriers > 0; --barriers) {
    const int barrier = int(program.barriers.size()), arrive = random.between(2, std::min(workers, 3));
    program.barriers.push_back(arrive);
    const int rounds = random.percent(15) ? 2 : 1;
    const int users = arrive < workers && random.percent(20) ? arrive + 1 : arrive, first = random.below(workers);
    if (program.rwlocks > 0 && random.percent(40)) {
      let_readers_meet(program, bodies, first, users, barrier, random);
      continue;
    }
    for (int i = 0; i < users * rounds; ++i) {
      Block& body = bodies[(first + i % users) % workers];
      body.insert(body.begin() + random.below(int(body.size()) + 1), BarrierWait{barrier});
    }
  }
}

Program draft(const Profile& profile, Random& random) {
  Program program;
  const auto has = [&profile](unsigned feature) { return (profile.features & feature) != 0; };
  const int variables = random.between(2, 3);
  for (int v = 0; v < variables; ++v) program.variables.push_back({has(kAtomics) && (!has(kPlain) || random.percent(50)), 0});
  if (has(kSizes)) draw_bytes(program, random);
  if (!program.bytes && (has(kRmw) || has(kSpins) || has(kSpinLocks) || has(kFutexes))) program.variables.back().atomic = true;
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
        const int v = random.below(has(kSpinLocks) ? variables - 1 : variables);  // the last is the lock
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

  if (has(kMeetings)) {
    draw_meetings(program, bodies, random);
  } else if (has(kBarriers) && random.percent(50)) {
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

unsigned kinds_of(const Program& program) {
  unsigned kinds = 0;
  for (const Block& block : program.threads) add_kinds(block, kinds);
  return kinds;
}

Program generate(std::uint64_t seed, const Profile& profile) {
  Profile actual = resolve(profile, seed);
  const bool medley = actual.features == kMedley;
  if (medley) actual.features = draw_features(seed);
  Random random(seed);
  for (int drafts = 0; drafts < kMostDrafts; ++drafts) {
    const bool picky = medley && drafts < kManyDrafts;
    if (medley && !picky) actual.fewest_threads = 1;
    const Program program = draft(actual, random);
    if (!why_malformed(program).empty()) continue;
    if (picky && (actual.features & kKinds & ~kinds_of(program)) != 0) continue;
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
