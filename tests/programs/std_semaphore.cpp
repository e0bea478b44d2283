// SPDX-License-Identifier: Apache-2.0
// CHECK: strategy=random max=300 verdict=bugs kinds=data-race
// CHECK: strategy=random max=300 verdict=incomplete flags=-DFIXED
#include <semaphore>
#include <thread>

#ifdef FIXED
static std::counting_semaphore<2> gate(1);
#else
static std::counting_semaphore<2> gate(2);
#endif
static int shared;

static void work() {
  gate.acquire();
  ++shared;
  gate.release();
}

int main() {
  std::thread a(work), b(work);
  a.join();
  b.join();
}
