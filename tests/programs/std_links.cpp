// SPDX-License-Identifier: Apache-2.0
// A map and a list that one thread changes while another walks through them: their nodes are linked inside libstdc++.so.
// CHECK: strategy=exhaustive flags=-DMAP verdict=bugs kinds=data-race
// CHECK: strategy=exhaustive flags=-DLIST verdict=bugs kinds=data-race
// CHECK: strategy=exhaustive flags="-DMAP -DFIXED" verdict=clean executions=6
// CHECK: strategy=exhaustive flags="-DLIST -DFIXED" verdict=clean executions=6
// CHECK: strategy=value races=explore max=3000 flags="-DMAP" verdict=bugs among=data-race
#include <list>
#include <map>
#include <mutex>
#include <thread>

static std::mutex lock;
static int sum;

int main() {
#ifdef MAP
  std::map<int, int> numbers{{2, 20}, {4, 40}};
  auto change = [&] { numbers.emplace(3, 30); };
  auto walk = [&] {
    for (auto& [key, value] : numbers) sum += value;
  };
#else
  std::list<int> numbers{2, 4};
  auto change = [&] { numbers.push_back(6); };
  auto walk = [&] {
    for (int value : numbers) sum += value;
  };
#endif
#ifdef FIXED
  std::thread other([&] {
    std::lock_guard hold(lock);
    change();
  });
  {
    std::lock_guard hold(lock);
    walk();
  }
#else
  std::thread other(change);
  walk();
#endif
  other.join();
  return sum == 0;
}
