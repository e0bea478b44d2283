// SPDX-License-Identifier: Apache-2.0
#include "generate.h"

#include <algorithm>
#include <vector>

#include "interpret.h"
#include "random.h"

namespace oracle {
namespace {

/// Writes one thread. What it makes is well formed, and locks are properly nested, but whether it deadlocks is left to chance.
class Author {
 public:
  Author(Program& program, const Profile& profile, Random& random) : program_(program), profile_(profile), random_(random) {}

  enum class Opening { Any, Wait, Wake };

  Block thread(int operations, Opening opening) {
    budget_ = operations;
    assigned_ = 0;
    held_.clear();
    Block body;
    if (opening == Opening::Wait) wait(body);
    if (opening == Opening::Wake) wake(body);
    while (budget_ > 0) add(body, 0);
    if (has(kAsserts) && assigned_ > 0 && random_.percent(30)) body.push_back(Assert{condition()});
    return body;
  }

 private:
  static constexpr int kDeepest = 2;  // branches, loops and critical sections in each other

  bool has(unsigned feature) const { return (profile_.features & feature) != 0; }
  bool spend(int operations = 1) {
    if (budget_ < operations) return false;
    budget_ -= operations;
    return true;
  }

  // ---- small parts
  int new_register() {
    if (assigned_ < kMaxRegisters && (assigned_ == 0 || random_.percent(75))) return assigned_++;
    return random_.below(assigned_);
  }
  Condition condition() { return {random_.below(assigned_), random_.percent(50), random_.below(3)}; }
  Value value() {
    if (assigned_ > 0 && random_.percent(30)) return reg_plus(random_.below(assigned_), random_.between(0, 2));
    return constant(random_.between(1, 3));
  }
  Order pick(std::initializer_list<Order> orders) { return *(orders.begin() + random_.below(int(orders.size()))); }
  Order load_order() { return pick({Order::Relaxed, Order::Acquire, Order::SeqCst}); }
  Order store_order() { return pick({Order::Relaxed, Order::Release, Order::Relaxed, Order::Release, Order::SeqCst}); }
  Order rmw_order() { return pick({Order::Relaxed, Order::Acquire, Order::Release, Order::AcqRel, Order::SeqCst}); }
  Order fence_order() { return pick({Order::Acquire, Order::Release, Order::AcqRel, Order::SeqCst, Order::SeqCst}); }

  bool holds(int mutex) const { return std::find(held_.begin(), held_.end(), mutex) != held_.end(); }
  int free_mutex() {  // -1: all are held
    const int first = random_.below(program_.mutexes);
    for (int i = 0; i < program_.mutexes; ++i)
      if (const int m = (first + i) % program_.mutexes; !holds(m)) return m;
    return -1;
  }
  int guard_of(int variable) const { return variable % program_.mutexes; }

  /// A variable of the kind wanted that may be accessed here; -1: none.
  int variable(bool atomic) {
    const int count = int(program_.variables.size()), first = random_.below(count);
    for (int i = 0; i < count; ++i) {
      const int v = (first + i) % count;
      if (program_.variables[v].atomic != atomic) continue;
      if (!atomic && profile_.race_free && !holds(guard_of(v))) continue;
      return v;
    }
    return -1;
  }

  // ---- statements
  /// One statement of a kind the profile has, or a plain or atomic access when the kind drawn does not fit here.
  void add(Block& body, int depth) {
    struct Kind {
      unsigned feature;
      int weight;
      void (Author::*write)(Block&, int depth);
    };
    static constexpr Kind kKinds[] = {
        {kRmw, 2, &Author::read_modify_write}, {kFences, 2, &Author::fence},         {kLocks, 5, &Author::locked},
        {kTrylocks, 2, &Author::try_locked},   {kBranches, 2, &Author::branch},      {kLoops, 3, &Author::loop},
        {kCondvars, 8, &Author::wait_or_wake}, {kSemaphores, 4, &Author::semaphore}, {kSpins, 2, &Author::spin},
    };
    const int before = budget_;
    int drawn = random_.below(6 + total_weight(kKinds));
    for (const Kind& kind : kKinds) {
      if (!has(kind.feature)) continue;
      if (drawn < kind.weight) {
        (this->*kind.write)(body, depth);
        break;
      }
      drawn -= kind.weight;
    }
    if (budget_ == before) access(body);
  }

  template <class Kinds>
  int total_weight(const Kinds& kinds) const {
    int total = 0;
    for (const auto& kind : kinds) total += has(kind.feature) ? kind.weight : 0;
    return total;
  }

  void access(Block& body) {
    bool atomic = has(kAtomics) && (!has(kPlain) || random_.percent(50));
    int v = variable(atomic);
    if (v < 0) v = variable(atomic = !atomic);
    if (v < 0) {  // race-free, without atomics, and no lock held: nothing but a critical section is allowed
      locked(body, 0);
      return;
    }
    if (!spend()) return;
    if (random_.percent(50)) {
      const Value stored = value();
      body.push_back(Store{v, atomic ? store_order() : Order::Plain, stored});
    } else {
      body.push_back(Load{v, atomic ? load_order() : Order::Plain, new_register()});
    }
  }

  void fence(Block& body, int) {
    if (spend()) body.push_back(Fence{fence_order()});
  }
  void spin(Block& body, int) {
    const int v = variable(true);
    if (v >= 0 && spend()) body.push_back(Await{v, load_order(), random_.between(1, 3)});
  }

  void read_modify_write(Block& body, int) {
    const int v = variable(true);
    if (v < 0 || !spend()) return;
    const Value operand = value();
    switch (random_.below(3)) {
      case 0:  // a constant: adding registers to each other would double values with each statement
        body.push_back(FetchAdd{v, rmw_order(), new_register(), constant(random_.between(1, 2))});
        break;
      case 1:
        body.push_back(Exchange{v, rmw_order(), new_register(), operand});
        break;
      default:
        body.push_back(CompareExchange{v, rmw_order(), new_register(), constant(random_.below(3)), operand});
    }
  }

  void some(Block& body, int most, int depth) {
    for (int n = random_.between(1, most); n > 0 && budget_ > 0; --n) add(body, depth);
  }

  void locked(Block& body, int depth) {
    const int m = depth < kDeepest ? free_mutex() : -1;
    if (m < 0 || !spend(2)) {
      spend();  // no room for a critical section
      return;
    }
    body.push_back(Lock{m});
    held_.push_back(m);
    if (depth + 1 < kDeepest && budget_ >= 2 && random_.percent(40))
      locked(body, depth + 1);  // two locks at once, in any order: the deadlocks
    else
      some(body, 3, depth + 1);
    held_.pop_back();
    body.push_back(Unlock{m});
  }

  void try_locked(Block& body, int depth) {
    const int m = depth < kDeepest ? free_mutex() : -1;
    if (m < 0 || !spend(2)) return;
    const int r = new_register();
    body.push_back(TryLock{m, r});
    If got{{r, true, 1}, {}, {}};
    held_.push_back(m);
    some(got.then, 2, depth + 1);
    held_.pop_back();
    got.then.push_back(Unlock{m});
    body.push_back(std::move(got));
  }

  void branch(Block& body, int depth) {
    if (depth == kDeepest || assigned_ == 0 || budget_ < 1) return;
    If both{condition(), {}, {}};
    some(both.then, 2, depth + 1);
    if (random_.percent(40) && budget_ > 0) some(both.otherwise, 2, depth + 1);
    body.push_back(std::move(both));
  }

  void loop(Block& body, int depth) {
    const int most = random_.between(2, 3);
    if (depth == kDeepest || budget_ < most) return;
    const int outside = budget_;
    budget_ = budget_ / most;
    const int inside = budget_;
    Loop loop{{}, most, {}};
    if (assigned_ > 0 && random_.percent(60)) loop.until = condition();
    some(loop.body, 2, depth + 1);
    budget_ = std::max(0, outside - most * (inside - budget_));
    body.push_back(std::move(loop));
  }

  void wait_or_wake(Block& body, int) { random_.percent(50) ? wait(body) : wake(body); }

  // The classic wait: under the mutex, test the flag, wait (once, or until it is set), test again.
  void wait(Block& body) {
    const int m = 0;
    if (holds(m) || !spend(5)) return;
    const Variable& flag = program_.variables[0];
    const Load test{0, flag.atomic ? load_order() : Order::Plain, new_register()};
    const int c = random_.below(program_.condvars);
    body.push_back(Lock{m});
    body.push_back(test);
    if (random_.percent(50))
      body.push_back(If{{test.reg, true, 0}, {Wait{c, m}, test}, {}});
    else
      body.push_back(Loop{{test.reg, false, 0}, 2, {Wait{c, m}, test}});
    body.push_back(Unlock{m});
  }

  void wake(Block& body) {
    const int m = 0, c = random_.below(program_.condvars);
    if (holds(m) || !spend(4)) return;
    const Statement call = random_.percent(65) ? Statement(Signal{c}) : Statement(Broadcast{c});
    const bool inside = random_.percent(70);
    body.push_back(Lock{m});
    body.push_back(Store{0, program_.variables[0].atomic ? store_order() : Order::Plain, constant(random_.between(1, 2))});
    if (inside) body.push_back(call);
    body.push_back(Unlock{m});
    if (!inside) body.push_back(call);
  }

  void semaphore(Block& body, int) {
    if (!spend()) return;
    const int s = random_.below(int(program_.semaphores.size()));
    random_.percent(55) ? body.push_back(SemPost{s}) : body.push_back(SemWait{s});
  }

  Program& program_;
  const Profile& profile_;
  Random& random_;
  int budget_ = 0;
  int assigned_ = 0;
  std::vector<int> held_;
};

Program draft(const Profile& profile, Random& random) {
  Program program;
  const auto has = [&profile](unsigned feature) { return (profile.features & feature) != 0; };
  const int variables = random.between(2, 3);
  for (int v = 0; v < variables; ++v) program.variables.push_back({has(kAtomics) && (!has(kPlain) || random.percent(50)), 0});
  if (has(kRmw) || has(kSpins)) program.variables.back().atomic = true;
  if (has(kLocks)) program.mutexes = random.percent(has(kTrylocks) ? 90 : 60) ? 2 : 1;
  if (has(kCondvars)) program.condvars = random.percent(75) ? 1 : 2;
  if (has(kSemaphores)) program.semaphores.push_back(random.below(2));

  const int threads = random.between(profile.fewest_threads, profile.most_threads);
  const bool main_works = threads == 1 || random.percent(profile.main_works);
  const int workers = threads + (main_works ? 1 : 0);
  // Creation, start, exit and join multiply the executions: main and one thread can afford more operations than main and two.
  const int extra = threads == 1 ? 4 : 0;
  const int operations = std::max(workers, random.between(profile.fewest_operations, profile.most_operations) + extra);
  Author author(program, profile, random);
  std::vector<Block> bodies;
  const bool meet = has(kCondvars) && random.percent(70);  // one waits for what another does, instead of leaving it to chance
  for (int w = 0; w < workers; ++w) {
    const auto opening = !meet || w > 1 ? Author::Opening::Any : w == 0 ? Author::Opening::Wait : Author::Opening::Wake;
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
  Program framed = with_threads(program.variables, std::move(bodies));
  Block& frame = framed.threads[0];  // create … create, join … join: main's own work stands between, or one thread earlier
  const int at = threads > 1 && random.percent(30) ? threads - 1 : threads;
  frame.insert(frame.begin() + at, main.begin(), main.end());
  program.threads = std::move(framed.threads);
  return program;
}

}  // namespace

Program generate(std::uint64_t seed, const Profile& profile) {
  const Profile& actual = resolve(profile, seed);
  Random random(seed);
  while (true) {
    const Program program = draft(actual, random);
    if (!why_malformed(program).empty()) continue;
    const Interpretation all = interpret(program, MachineOptions{.model = actual.limit_model}, 200'000);
    if (!all.complete || all.misuses || all.executions > actual.most_executions) continue;
    // Programs with a single outcome compare little; keep a few.
    const bool dull = all.outcomes.size() + (all.deadlocks ? 1 : 0) + (all.fails ? 1 : 0) < 2;
    if (dull && !random.percent(10)) continue;
    return program;
  }
}

}  // namespace oracle
