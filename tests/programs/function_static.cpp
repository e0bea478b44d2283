// SPDX-License-Identifier: Apache-2.0
// The compiler guards the initialisation of a function's static; without the guards it is a race.
// CHECK: strategy=exhaustive verdict=bugs kinds=data-race flags=-fno-threadsafe-statics executions=19
// CHECK: strategy=exhaustive verdict=clean executions=459
#include <cassert>
#include <thread>

static int constructed;

struct Config {
  int value = 42;
  Config() { ++constructed; }
  ~Config() { value = 0; }
};

static Config &config() {
  static Config instance;
  return instance;
}

int main() {
  std::thread a([] { assert(config().value == 42 || config().value == 0); });
  std::thread b([] { assert(config().value == 42 || config().value == 0); });
  a.join();
  b.join();
}
