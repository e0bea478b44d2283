// SPDX-License-Identifier: Apache-2.0
#include "author.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace oracle {
namespace {

constexpr int kDeepest = 2;  // branches, loops and critical sections in each other

// Operations.
constexpr int kLongestWait = 5, kShortestWait = 3, kWake = 4;

}  // namespace

Block Author::thread(int operations, Opening opening) {
  budget_ = operations;
  assigned_ = 0;
  held_.clear();
  held_rwlocks_.clear();
  Block body;
  if (opening == Opening::Wait) {
    budget_ = std::max(budget_, kShortestWait);
    wait(body);
  } else if (opening == Opening::Wake) {
    budget_ = std::max(budget_, kWake);
    wake(body);
  }
  if (has(kInputs) && random_.percent(60)) input(body, 0);
  while (budget_ > 0) add(body, 0);
  if (has(kAsserts) && assigned_ > 0 && random_.percent(30)) body.push_back(Assert{condition()});
  return body;
}

bool Author::spend(int operations) {
  if (budget_ < operations) return false;
  budget_ -= operations;
  return true;
}

int Author::new_register() {
  if (assigned_ < kMaxRegisters && (assigned_ == 0 || random_.percent(75))) return assigned_++;
  return random_.below(assigned_);
}

Condition Author::condition() {
  Condition drawn{random_.below(assigned_), random_.percent(50), random_.below(3)};
  if (has(kSizes) && random_.percent(50)) drawn.constant = bytes(random_.between(1, 4));
  if (has(kInputs) && assigned_ > 1 && random_.percent(25)) drawn.other = random_.below(assigned_), drawn.constant = random_.below(2);
  return drawn;
}

// Different in each byte, or the same in all of them.
int Author::bytes(int size) {
  int value = random_.below(4);
  for (int i = 1; i < size; ++i) value = value << 4 | random_.below(4);
  return random_.percent(25) ? 0x1111 * random_.between(1, 2) & ((1 << 4 * size) - 1) : value;
}

Value Author::value() {
  if (assigned_ > 0 && random_.percent(has(kInputs) ? 55 : 30)) return reg_plus(random_.below(assigned_), random_.between(0, 2));
  return constant(random_.between(1, 3));
}

bool Author::holds(int mutex) const { return std::find(held_.begin(), held_.end(), mutex) != held_.end(); }

int Author::free_mutex() {
  const int first = random_.below(program_.mutexes);
  for (int i = 0; i < program_.mutexes; ++i)
    if (const int m = (first + i) % program_.mutexes; !holds(m)) return m;
  return -1;
}

// The last variable is the lock, and nothing else is done with it.
bool Author::is_spin_lock(int variable) const { return has(kSpinLocks) && variable + 1 == int(program_.variables.size()); }

int Author::variable(bool atomic) {
  const int count = int(program_.variables.size()), first = random_.below(count);
  for (int i = 0; i < count; ++i) {
    const int v = (first + i) % count;
    if (program_.variables[v].atomic != atomic || is_spin_lock(v)) continue;
    if (!atomic && profile_.race_free && !holds(guard_of(v))) continue;
    return v;
  }
  return -1;
}

/// One statement of a kind the profile has, or a plain or atomic access when the kind drawn does not fit here.
void Author::add(Block& body, int depth) {
  struct Kind {
    unsigned feature;
    int weight;
    void (Author::*write)(Block&, int depth);
  };
  static constexpr Kind kKinds[] = {
      {kRmw, 2, &Author::read_modify_write},
      {kFences, 2, &Author::fence},
      {kLocks, 5, &Author::locked},
      {kTrylocks, 2, &Author::try_locked},
      {kBranches, 2, &Author::branch},
      {kLoops, 3, &Author::loop},
      {kCondvars, 8, &Author::wait_or_wake},
      {kSemaphores, 4, &Author::semaphore},
      {kSpins, 2, &Author::spin},
      {kRwlocks, 8, &Author::rwlocked},
      {kSpinLocks, 6, &Author::spin_locked},
      {kSpinLocks, 2, &Author::spin_on_two},
      {kOnces, 8, &Author::once},
      {kFutexes, 9, &Author::futex},
      {kInputs, 4, &Author::input},
      {kArrays, 14, &Author::element},
      {kInputs, 5, &Author::branch},
  };
  int total = 6;
  for (const Kind& kind : kKinds) total += has(kind.feature) ? kind.weight : 0;
  const int before = budget_, asked = inputs_;
  int drawn = random_.below(total);
  for (const Kind& kind : kKinds) {
    if (!has(kind.feature)) continue;
    if (drawn < kind.weight) {
      (this->*kind.write)(body, depth);
      break;
    }
    drawn -= kind.weight;
  }
  if (budget_ == before && inputs_ == asked) access(body);
  if (profile_.asserts_inside > 0 && assigned_ > 0 && random_.percent(profile_.asserts_inside)) body.push_back(Assert{condition()});
}

void Author::some(Block& body, int most, int depth) {
  for (int n = random_.between(1, most); n > 0 && budget_ > 0; --n) add(body, depth);
}

Author::Bytes Author::some_bytes(bool atomic) {
  const int first = variable(atomic);
  if (first < 0) return {0, 0};
  for (int size = 1 << random_.below(3); size > 1; size /= 2) {
    const int begin = first / size * size, end = begin + size;
    if (end > int(program_.variables.size())) continue;
    const auto fits = [atomic](const Variable& one) { return one.atomic == atomic; };
    if (std::all_of(program_.variables.begin() + begin, program_.variables.begin() + end, fits)) return {begin, size};
  }
  return {first, 1};
}

void Author::access_bytes(Block& body) {
  bool atomic = random_.percent(50);
  Bytes where = some_bytes(atomic);
  if (where.size == 0) where = some_bytes(atomic = !atomic);
  if (!spend()) return;
  if (random_.percent(50)) {
    const Value stored = assigned_ > 0 && random_.percent(30) ? value() : constant(bytes(where.size));
    body.push_back(Store{where.first, atomic ? store_order() : Order::Plain, stored, where.size});
  } else {
    body.push_back(Load{where.first, atomic ? load_order() : Order::Plain, new_register(), where.size});
  }
}

void Author::access(Block& body) {
  if (has(kSizes)) return access_bytes(body);
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

void Author::fence(Block& body, int) {
  if (spend()) body.push_back(Fence{fence_order()});
}

void Author::read_modify_write_bytes(Block& body) {
  const auto [first, size] = some_bytes(true);
  if (size == 0 || !spend()) return;
  const Value operand = constant(bytes(size));
  if (random_.percent(50))
    body.push_back(Exchange{first, rmw_order(), new_register(), operand, size});
  else
    body.push_back(CompareExchange{first, rmw_order(), new_register(), constant(random_.percent(60) ? 0 : bytes(size)), operand, size});
}

void Author::read_modify_write(Block& body, int) {
  if (has(kSizes)) return read_modify_write_bytes(body);
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

void Author::locked(Block& body, int depth) {
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

void Author::try_locked(Block& body, int depth) {
  const int m = depth < kDeepest ? free_mutex() : -1;
  if (m < 0 || !spend(2)) return;
  const int r = new_register();
  body.push_back(TryLock{m, r, has(kTimed) && random_.percent(35)});
  If got{{r, true, 1}, {}, {}};
  held_.push_back(m);
  some(got.then, 2, depth + 1);
  held_.pop_back();
  got.then.push_back(Unlock{m});
  body.push_back(std::move(got));
}

void Author::rwlocked(Block& body, int depth) {
  const int w = random_.below(program_.rwlocks);
  const bool held = std::find(held_rwlocks_.begin(), held_rwlocks_.end(), w) != held_rwlocks_.end();
  if (held || depth == kDeepest || !spend(2)) return;
  const bool writes = random_.percent(45);
  held_rwlocks_.push_back(w);
  if (random_.percent(60)) {
    body.push_back(RwLock{w, writes});
    some(body, 2, depth + 1);
    body.push_back(RwUnlock{w});
  } else {
    const int r = new_register();
    body.push_back(RwTryLock{w, writes, r, has(kTimed) && random_.percent(30)});
    If got{{r, true, 1}, {}, {}};
    some(got.then, 2, depth + 1);
    got.then.push_back(RwUnlock{w});
    body.push_back(std::move(got));
  }
  held_rwlocks_.pop_back();
}

void Author::branch(Block& body, int depth) {
  if (depth == kDeepest || assigned_ == 0 || budget_ < 1) return;
  If both{condition(), {}, {}};
  some(both.then, 2, depth + 1);
  if (random_.percent(40) && budget_ > 0) some(both.otherwise, 2, depth + 1);
  body.push_back(std::move(both));
}

void Author::loop(Block& body, int depth) {
  const int most = random_.between(2, 3);
  if (depth == kDeepest || budget_ < most) return;
  const int outside = budget_;
  budget_ = budget_ / most;
  const int inside = budget_;
  Loop loop{{}, most, {}};
  if (assigned_ > 0 && random_.percent(60)) loop.until = condition();
  const bool within = std::exchange(loop_, true);
  some(loop.body, 2, depth + 1);
  loop_ = within;
  budget_ = std::max(0, outside - most * (inside - budget_));
  body.push_back(std::move(loop));
}

void Author::wait_or_wake(Block& body, int) { random_.percent(50) ? wait(body) : wake(body); }

// The classic wait: under the mutex, test the flag, wait (once, or until it is set), test again. Or just the wait, which is smaller: two of
// them still leave room for somebody who wakes them.
void Author::wait(Block& body) {
  const int m = 0;
  const bool tests = budget_ >= kLongestWait && random_.percent(70);
  if (holds(m) || !spend(tests ? kLongestWait : kShortestWait)) return;
  Wait wait{random_.below(program_.condvars), m};
  if (has(kTimed) && assigned_ < kMaxRegisters && random_.percent(15)) wait.reg = assigned_++;
  body.push_back(Lock{m});
  if (tests) {
    const Load test{0, program_.variables[0].atomic ? load_order() : Order::Plain, new_register()};
    body.push_back(test);
    if (random_.percent(50))
      body.push_back(If{{test.reg, true, 0}, {wait, test}, {}});
    else
      body.push_back(Loop{{test.reg, false, 0}, 2, {wait, test}});
  } else {
    body.push_back(wait);
  }
  body.push_back(Unlock{m});
}

void Author::wake(Block& body) {
  const int m = 0, c = random_.below(program_.condvars);
  if (holds(m) || !spend(kWake)) return;
  const Statement call = random_.percent(65) ? Statement(Signal{c}) : Statement(Broadcast{c});
  const bool inside = random_.percent(70);
  body.push_back(Lock{m});
  body.push_back(Store{0, program_.variables[0].atomic ? store_order() : Order::Plain, constant(random_.between(1, 2))});
  if (inside) body.push_back(call);
  body.push_back(Unlock{m});
  if (!inside) body.push_back(call);
}

void Author::semaphore(Block& body, int) {
  if (!spend()) return;
  const int s = random_.below(int(program_.semaphores.size())), drawn = random_.below(100);
  if (drawn < 45)
    body.push_back(SemPost{s});
  else if (drawn < 70)
    body.push_back(SemWait{s});
  else if (drawn < 93)
    body.push_back(SemTry{s, new_register(), has(kTimed) && random_.percent(35)});
  else
    body.push_back(SemGetValue{s, new_register()});
}

void Author::once(Block& body, int) {
  if (spend(2)) body.push_back(Once{random_.below(int(program_.onces.size()))});
}

// Who wakes has mostly changed the variable before.
void Author::futex(Block& body, int) {
  const int v = variable(true);
  if (v < 0 || !spend(2)) return;
  if (random_.percent(50)) {
    const Value expected = random_.percent(70) ? constant(0) : value();
    body.push_back(FutexWait{v, expected, new_register(), has(kTimed) && random_.percent(15)});
    return;
  }
  const int changes = random_.below(100);
  if (changes < 60)
    body.push_back(Store{v, store_order(), value()});
  else if (changes < 75 && has(kRmw))
    body.push_back(FetchAdd{v, rmw_order(), new_register(), constant(1)});
  body.push_back(FutexWake{v, random_.percent(35), random_.percent(20) ? new_register() : -1});
}

// Often something is assumed of what is known by then.
void Author::input(Block& body, int) {
  if (loop_ || inputs_ == int(program_.inputs.size())) return;
  body.push_back(Input{inputs_++, new_register()});
  if (random_.percent(15)) body.push_back(Assume{condition()});
}

void Author::element(Block& body, int) {
  if (assigned_ == 0 || !spend()) return;
  Element drawn{.index = reg_plus(random_.below(assigned_), random_.below(2)), .count = random_.between(2, int(program_.variables.size()))};
  drawn.pointer = random_.percent(40);
  drawn.stores = random_.percent(50);
  if (drawn.stores)
    drawn.value = value();
  else
    drawn.reg = new_register();
  body.push_back(drawn);
}

void Author::spin(Block& body, int) {
  const int v = variable(true);
  if (v >= 0 && spend()) body.push_back(Await{v, load_order(), random_.between(1, 3)});
}

// A critical section between a spin on the lock variable (compare-exchange, exchange, or a look at it first) and a store.
void Author::spin_locked(Block& body, int depth) {
  const int lock = int(program_.variables.size()) - 1;
  if (depth > 0 || !spend(2)) return;
  const int r = new_register();
  Block round;
  switch (random_.below(3)) {
    case 0:
      round = {CompareExchange{lock, rmw_order(), r, constant(0), constant(1)}};
      break;
    case 1:
      round = {Exchange{lock, rmw_order(), r, constant(1)}};
      break;
    default:
      round = {Load{lock, load_order(), r}, If{{r, true, 0}, {Exchange{lock, rmw_order(), r, constant(1)}}, {}}};
  }
  body.push_back(Spin{{r, true, 0}, std::move(round)});
  some(body, 2, depth + 1);
  body.push_back(Store{lock, store_order(), constant(0)});
}

// Until one variable, or else another, has (or has not) some value.
void Author::spin_on_two(Block& body, int) {
  const int first = variable(true), second = variable(true);
  if (first < 0 || !spend(2)) return;
  const int r = new_register();
  const bool equal = random_.percent(60);
  const int wanted = equal ? random_.between(1, 2) : random_.between(0, 1);
  Block round{Load{first, load_order(), r}};
  if (second != first) round.push_back(If{{r, !equal, wanted}, {Load{second, load_order(), r}}, {}});
  body.push_back(Spin{{r, equal, wanted}, std::move(round)});
}

}  // namespace oracle
