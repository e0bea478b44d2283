// SPDX-License-Identifier: Apache-2.0
// Transfers between two accounts, each with its own lock, no data race. It deadlocks: one transfer goes the other way.
//   treadle check examples/bank.cpp
//   treadle check --cflags -DFIXED examples/bank.cpp
#include <cassert>
#include <mutex>
#include <thread>

struct Account {
  std::mutex lock;
  int balance = 100;
};

static void transfer(Account &from, Account &to, int amount) {
#ifdef FIXED
  std::lock_guard first(&from < &to ? from.lock : to.lock);
  std::lock_guard second(&from < &to ? to.lock : from.lock);
#else
  std::lock_guard first(from.lock);
  std::lock_guard second(to.lock);
#endif
  from.balance -= amount;
  to.balance += amount;
}

int main() {
  static Account a, b;
  std::thread there([] { transfer(a, b, 30); });
  std::thread back([] { transfer(b, a, 20); });
  there.join();
  back.join();
  assert(a.balance + b.balance == 200);
}
