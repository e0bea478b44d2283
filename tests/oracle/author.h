// SPDX-License-Identifier: Apache-2.0
// Writes the threads of a random program. What it makes is well formed, and locks are properly nested, but whether it deadlocks is left to
// chance.
#pragma once

#include <initializer_list>
#include <vector>

#include "generate.h"
#include "program.h"
#include "random.h"

namespace oracle {

class Author {
 public:
  Author(Program& program, const Profile& profile, Random& random) : program_(program), profile_(profile), random_(random) {}

  enum class Opening { Any, Wait, Wake };
  Block thread(int operations, Opening opening);

 private:
  bool has(unsigned feature) const { return (profile_.features & feature) != 0; }
  bool spend(int operations = 1);

  // ---- small parts
  int new_register();
  Condition condition();
  Value value();
  int bytes(int size);  // a value of that many
  Order pick(std::initializer_list<Order> orders) { return *(orders.begin() + random_.below(int(orders.size()))); }
  Order load_order() { return pick({Order::Relaxed, Order::Acquire, Order::SeqCst}); }
  Order store_order() { return pick({Order::Relaxed, Order::Release, Order::Relaxed, Order::Release, Order::SeqCst}); }
  Order rmw_order() { return pick({Order::Relaxed, Order::Acquire, Order::Release, Order::AcqRel, Order::SeqCst}); }
  Order fence_order() { return pick({Order::Acquire, Order::Release, Order::AcqRel, Order::SeqCst, Order::SeqCst}); }
  bool holds(int mutex) const;
  int free_mutex();  // -1: all are held
  int guard_of(int variable) const { return variable % program_.mutexes; }
  struct Bytes {
    int first, size;
  };
  Bytes some_bytes(bool atomic);  // size 0: none
  int variable(bool atomic);      // of the kind wanted that may be accessed here; -1: none
  bool is_spin_lock(int variable) const;

  // ---- statements
  void add(Block& body, int depth);
  void some(Block& body, int most, int depth);
  void access(Block& body);
  void access_bytes(Block& body);
  void read_modify_write(Block& body, int depth);
  void read_modify_write_bytes(Block& body);
  void fence(Block& body, int depth);
  void locked(Block& body, int depth);
  void try_locked(Block& body, int depth);
  void rwlocked(Block& body, int depth);
  void branch(Block& body, int depth);
  void loop(Block& body, int depth);
  void wait_or_wake(Block& body, int depth);
  void wait(Block& body);
  void wake(Block& body);
  void semaphore(Block& body, int depth);
  void once(Block& body, int depth);
  void futex(Block& body, int depth);
  void input(Block& body, int depth);
  void element(Block& body, int depth);
  void spin(Block& body, int depth);
  void spin_locked(Block& body, int depth);
  void spin_on_two(Block& body, int depth);

  Program& program_;
  const Profile& profile_;
  Random& random_;
  int budget_ = 0;
  int assigned_ = 0;
  int inputs_ = 0;         // asked for so far, by all threads
  bool loop_ = false;      // inside one
  std::vector<int> held_;  // mutexes
  std::vector<int> held_rwlocks_;
};

}  // namespace oracle
