// SPDX-License-Identifier: Apache-2.0
// Structs that are copied whole, thread_local objects, static locals, and reads that only go into values.
#include <pthread.h>

#include <atomic>
#include <cstring>

struct Account {
  long balance, limit, fee;
  int owner;
};
static Account first{100, 10, 1, 1}, second;
static std::atomic<int> flag, out[32];
static thread_local Account mine;

static Account& shared_one() {
  static Account account{flag, 0, 0, 0};
  return account;
}

static __attribute__((noinline)) long sum(Account a) { return a.balance + a.limit; }

static void* reader(void*) {
  Account copy = first;
  out[0] = 1;
  if (copy.balance > 50) out[1] = 1;
  second = copy;
  mine = second;
  out[2] = static_cast<int>(mine.balance);
  if (mine.limit) out[3] = 1;
  out[4] = static_cast<int>(sum(first));
  out[5] = static_cast<int>(shared_one().balance);
  Account local{flag, 1, 2, 3};
  Account* const chosen = flag ? &local : &second;
  out[6] = static_cast<int>(chosen->fee);
  for (long i = 0; i < local.limit; ++i) out[7] = 1;
  std::memcpy(&second, &first, static_cast<std::size_t>(flag ? 8 : 16));
  out[8] = 1;
  return nullptr;
}

static void* writer(void*) {
  flag = 1;
  first.balance = 20;
  first = Account{60, 0, 0, flag};
  flag = 0;
  return nullptr;
}

int main() {
  pthread_t t[3];
  pthread_create(&t[0], nullptr, reader, nullptr);
  pthread_create(&t[1], nullptr, writer, nullptr);
  pthread_create(&t[2], nullptr, reader, nullptr);
  for (pthread_t thread : t) pthread_join(thread, nullptr);
}
