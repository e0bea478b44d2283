// SPDX-License-Identifier: Apache-2.0
// Statics of functions: made by whoever comes first, destroyed at exit.
#include <atomic>
#include <cstdio>
#include <string>
#include <thread>

static std::atomic<int> made;

struct Registry {
  explicit Registry(std::string owner) : owner(std::move(owner)) { ++made; }
  ~Registry() { std::printf("registry of %s closes\n", owner.c_str()); }
  std::string owner;
};

static Registry &registry(const char *me) {
  static Registry instance(std::string("the long-named thread ") + me);
  return instance;
}

static int counter() {
  static std::atomic<int> count{[] { return 5; }()};
  return ++count;
}

int main() {
  auto work = [](const char *me) {
    registry(me);
    counter();
  };
  std::thread a(work, "a"), b(work, "b"), c(work, "c");
  a.join();
  b.join();
  c.join();
  work("main");
  return made != 1 || counter() != 10;
}
