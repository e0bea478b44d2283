// SPDX-License-Identifier: Apache-2.0
// A string that grows while another thread looks at it. Before C++20 its functions are in libstdc++.so, unless the program compiles them.
// CHECK: strategy=exhaustive flags="-std=c++17" verdict=bugs kinds=data-race
// CHECK: strategy=exhaustive flags="-std=c++17 -O0" verdict=bugs kinds=data-race
// CHECK: strategy=exhaustive flags="-std=c++20" verdict=bugs kinds=data-race
// CHECK: strategy=exhaustive flags="-std=c++17 -DFIXED" verdict=clean executions=6
#include <mutex>
#include <string>
#include <thread>

int main() {
  std::mutex lock;
  std::string text = "longer than what fits into the object";
  std::size_t length = 0;
  std::thread other([&] {
#ifdef FIXED
    std::lock_guard<std::mutex> hold(lock);
#endif
    text.append(" itself");
  });
  {
#ifdef FIXED
    std::lock_guard<std::mutex> hold(lock);
#endif
    length = text.size();
  }
  other.join();
  return length == 0;
}
