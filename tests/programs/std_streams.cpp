// SPDX-License-Identifier: Apache-2.0
// Two threads put into one stream of their own; the standard ones may be used by all.
// CHECK: strategy=exhaustive verdict=bugs kinds=data-race
// CHECK: strategy=exhaustive flags=-O0 verdict=bugs kinds=data-race
// CHECK: strategy=exhaustive flags=-DTAKE verdict=bugs kinds=data-race
// CHECK: strategy=exhaustive flags=-DFIXED verdict=clean
#include <iostream>
#include <sstream>
#include <thread>

int main() {
#ifdef TAKE
  std::istringstream numbers("1 2 3");
  auto use = [&] {
    int number;
    numbers >> number;
  };
#elif defined(FIXED)
  auto use = [] {
    std::ostringstream line;
    line << "one " << 2;
    std::cout << line.str() << 3 << std::endl;
  };
#else
  std::ostringstream line;
  auto use = [&] { line << 1; };
#endif
  std::thread other(use);
  use();
  other.join();
}
