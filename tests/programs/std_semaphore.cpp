// SPDX-License-Identifier: Apache-2.0
// CHECK: strategy=random max=300 verdict=bugs kinds=data-race
// Even so libstdc++ 12 loses a wake-up: who looked when there was something, and then slept on that value, is not woken.
// CHECK: strategy=random max=300 verdict=bugs kinds=deadlock flags=-DFIXED
// CHECK: strategy=mpc verdict=bugs kinds=deadlock flags="--symbolic -DFIXED" message="everybody waits" covers="all inputs"
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
