// SPDX-License-Identifier: Apache-2.0
// Accounts in a std::vector whose balance is read under the lock and written under the lock, but not both at once. -DFIXED: at once.
// predict: : assertion
// predict: -DFIXED : nothing
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

struct Account {
  std::mutex lock;
  int balance = 100;
};
static std::vector<Account> accounts(2);

static void add(Account &account, int sum) {
#ifdef FIXED
  std::lock_guard guard(account.lock);
  account.balance += sum;
#else
  const auto balance = [&] {
    std::lock_guard guard(account.lock);
    return account.balance;
  }();
  std::lock_guard guard(account.lock);
  account.balance = balance + sum;
#endif
}

static void transfer(Account &from, Account &to, int sum) {
  add(from, -sum);
  add(to, sum);
}

int main() {
  std::thread there([] { transfer(accounts[0], accounts[1], 10); }), back([] { transfer(accounts[1], accounts[0], 20); });
  there.join();
  back.join();
  assert(accounts[0].balance + accounts[1].balance == 200);
}
