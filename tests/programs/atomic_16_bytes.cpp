// SPDX-License-Identifier: Apache-2.0
// Sixteen bytes at once: a pointer and its version. The buggy twin changes the halves one by one.
// CHECK: strategy=exhaustive verdict=bugs kinds=assertion executions=221
// CHECK: strategy=exhaustive verdict=clean flags="-DFIXED -mcx16" executions=69
#include <atomic>
#include <cassert>
#include <thread>

struct alignas(16) Pair {
  long value, version;
  bool operator==(const Pair &) const = default;
};

#ifdef FIXED
static std::atomic<Pair> pair;
static void change() { pair.store({1, 1}); }
static Pair look() { return pair.load(); }
#else
static std::atomic<long> value, version;
static void change() {
  value = 1;
  version = 1;
}
static Pair look() { return {value, version}; }
#endif

int main() {
  std::thread writer(change);
  std::thread reader([] {
    Pair seen = look();
    assert(seen.value == seen.version);
  });
  writer.join();
  reader.join();
}
