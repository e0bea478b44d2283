// SPDX-License-Identifier: Apache-2.0
#include "spinning.h"

namespace oracle {
namespace {

constexpr int x = 0, y = 1, z = 2;

Statement W(int v, int value) { return Store{v, Order::Relaxed, constant(value)}; }
Statement Wrel(int v, int value) { return Store{v, Order::Release, constant(value)}; }
Statement R(int v, int reg) { return Load{v, Order::Relaxed, reg}; }
Statement Racq(int v, int reg) { return Load{v, Order::Acquire, reg}; }
Statement inc(int v, int reg) { return FetchAdd{v, Order::AcqRel, reg, constant(1)}; }
Condition is(int reg, int value) { return {reg, true, value}; }
Condition is_not(int reg, int value) { return {reg, false, value}; }

Statement until(int v, int reg, Condition condition) { return Spin{condition, {Racq(v, reg)}}; }

/// One thread each; three atomic variables that are 0.
Program threads(std::vector<Block> bodies) { return with_threads({{}, {}, {}}, std::move(bodies)); }

// Lock variable x, the data is y. Register 0 is the lock's business.
Block guarded(Statement lock) { return {std::move(lock), R(y, 1), Store{y, Order::Relaxed, reg_plus(1, 1)}, Wrel(x, 0)}; }
Statement by_exchange() { return Spin{is(0, 0), {Exchange{x, Order::Acquire, 0, constant(1)}}}; }
Statement by_compare_exchange() { return Spin{is(0, 0), {CompareExchange{x, Order::Acquire, 0, constant(0), constant(1)}}}; }
Statement by_looking_first() { return Spin{is(0, 0), {R(x, 0), If{is(0, 0), {Exchange{x, Order::Acquire, 0, constant(1)}}, {}}}}; }

// x: next ticket, y: now serving, z: data.
Block with_ticket() {
  return {FetchAdd{x, Order::Relaxed, 0, constant(1)}, Spin{{1, true, 0, 0}, {Racq(y, 1)}}, R(z, 1),
          Store{z, Order::Relaxed, reg_plus(1, 1)}, Store{y, Order::Release, reg_plus(0, 1)}};
}

// Variables: wants of thread 1, wants of thread 2 (2: yes, else no), turn, data. The loop reads the other's wish and, if there is one,
// whose turn it is. For thread 1 `no` is 0 and it may go on at turn 0; for thread 2 both are 1.
Block peterson(int mine, int other, int go_on, bool strong) {
  const Order order = strong ? Order::SeqCst : Order::Relaxed;
  return {Store{mine, order, constant(2)}, Store{2, order, constant(1 - go_on)},
          Spin{is(0, go_on), {Load{other, Order::Acquire, 0}, If{is(0, 2), {Load{2, Order::Acquire, 0}}, {}}}},
          FetchAdd{3, Order::Relaxed, 1, constant(1)}, Wrel(mine, 1 - go_on)};
}
Program two_of_peterson(bool strong) {
  return with_threads({{true, 1}, {true, 0}, {true, 0}, {true, 0}}, {peterson(0, 1, 0, strong), peterson(1, 0, 1, strong)});
}

// Counts: worked out by hand for all but the last two locks.
std::vector<Spinning> make() {
  std::vector<Spinning> all;
  const auto add = [&all](const char* name, Program program, std::uint64_t sc, std::uint64_t tso, std::uint64_t pso) {
    all.push_back({{name, std::move(program)}, {sc, tso, pso}});
  };
  add("flag", threads({{W(x, 1), W(y, 1)}, {until(y, 0, is(0, 1)), R(x, 1)}}), 1, 1, 2);
  add("flag+release", threads({{W(x, 1), Wrel(y, 1)}, {until(y, 0, is(0, 1)), R(x, 1)}}), 1, 1, 1);
  add("flag, twice", threads({{W(x, 1), W(x, 2)}, {until(x, 0, is(0, 2))}}), 1, 1, 1);
  add("flag that is missed", threads({{W(x, 1), W(x, 0)}, {until(x, 0, is(0, 1))}}), 2, 2, 2);
  add("flag never set", threads({{W(x, 1)}, {until(x, 0, is(0, 2))}}), 1, 1, 1);
  add("older value leaves, too", threads({{W(x, 1), W(x, 2)}, {until(x, 0, is_not(0, 1))}}), 2, 2, 2);
  add("oldest value leaves, too", threads({{W(x, 1), W(x, 2), W(x, 0)}, {until(x, 0, is_not(0, 1))}}), 3, 3, 3);
  add("second load comes after the first one's writer",
      threads({{Wrel(y, 1), CompareExchange{x, Order::SeqCst, 0, constant(0), constant(1)}},
               {Spin{is_not(1, 1), {Racq(x, 1), If{is(1, 1), {Racq(y, 1)}, {}}}}}}),
      2, 2, 2);
  add("two writers", threads({{W(x, 1)}, {W(x, 2)}, {until(x, 0, is_not(0, 0))}}), 4, 4, 4);
  add("two waiters", threads({{W(x, 1)}, {until(x, 0, is(0, 1)), W(y, 1)}, {until(x, 0, is(0, 1)), R(y, 1)}}), 2, 2, 2);
  add("chain", threads({{W(x, 1)}, {until(x, 0, is(0, 1)), W(y, 1)}, {until(y, 0, is(0, 1)), R(x, 1)}}), 1, 1, 1);
  add("handshake", threads({{W(x, 1), until(y, 0, is(0, 1)), R(z, 1)}, {until(x, 0, is(0, 1)), W(z, 1), W(y, 1)}}), 1, 1, 2);
  add("each waits for the other", threads({{until(y, 0, is(0, 1)), W(x, 1)}, {until(x, 0, is(0, 1)), W(y, 1)}}), 1, 1, 1);
  add("after an increment", threads({{inc(x, 0), until(x, 1, is(1, 2))}, {inc(x, 0), until(x, 1, is(1, 2))}}), 2, 2, 2);
  add("twice in a row", threads({{W(x, 1), until(y, 0, is(0, 1)), W(x, 2)}, {until(x, 0, is(0, 1)), W(y, 1), until(x, 0, is(0, 2))}}), 1, 1,
      1);
  add("own store", threads({{W(x, 1), until(x, 0, is(0, 1)), R(y, 1)}, {W(y, 1), R(x, 0)}}), 3, 4, 4);
  add("own store, overwritten", threads({{W(x, 1), until(x, 0, is(0, 2))}, {W(x, 2)}}), 2, 2, 2);
  add("same value again",
      threads({{W(x, 1), inc(y, 0), Exchange{x, Order::Release, 1, constant(1)}},
               {Store{x, Order::SeqCst, constant(0)}, Spin{is_not(1, 1), {Load{x, Order::SeqCst, 1}, If{is(1, 1), {R(y, 1)}, {}}}}}}),
      6, 6, 6);

  const Statement either = Spin{is(0, 1), {R(x, 0), If{is_not(0, 1), {R(y, 0)}, {}}}};
  add("one of two", threads({{W(x, 1)}, {W(y, 1)}, {either}}), 2, 2, 2);
  add("one of two, in a row", threads({{W(x, 2), W(y, 1), W(x, 1)}, {either}}), 3, 3, 3);
  const Statement both = Spin{is(0, 1), {R(x, 0), If{is(0, 1), {R(y, 0)}, {}}}};
  add("both of two", threads({{W(x, 1)}, {W(y, 1)}, {both}}), 1, 1, 1);
  add("both of two, undone", threads({{W(x, 1), W(y, 1), W(x, 0)}, {both}}), 2, 2, 2);

  add("exchange lock", threads({guarded(by_exchange()), guarded(by_exchange())}), 2, 2, 2);
  add("exchange lock, three", threads({guarded(by_exchange()), guarded(by_exchange()), guarded(by_exchange())}), 6, 6, 6);
  add("compare-exchange lock", threads({guarded(by_compare_exchange()), guarded(by_compare_exchange())}), 2, 2, 2);
  add("compare-exchange lock, three",
      threads({guarded(by_compare_exchange()), guarded(by_compare_exchange()), guarded(by_compare_exchange())}), 6, 6, 6);
  add("lock that looks first", threads({guarded(by_looking_first()), guarded(by_looking_first())}), 4, 4, 4);
  add("lock never released", threads({{by_exchange()}, {by_exchange()}}), 2, 2, 2);
  add("ticket lock", threads({with_ticket(), with_ticket()}), 2, 2, 2);
  add("ticket lock, three", threads({with_ticket(), with_ticket(), with_ticket()}), 6, 6, 6);
  add("peterson", two_of_peterson(true), 4, 4, 4);
  add("peterson, too weak", two_of_peterson(false), 4, 14, 14);
  add("lock inside a flag", threads({{by_exchange(), W(y, 1), Wrel(x, 0)}, {until(y, 1, is(1, 1)), by_exchange(), R(y, 1), Wrel(x, 0)}}), 1,
      1, 1);
  return all;
}

}  // namespace

const std::vector<Spinning>& spinning_programs() {
  static const std::vector<Spinning> all = make();
  return all;
}

}  // namespace oracle
