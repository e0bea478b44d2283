// SPDX-License-Identifier: Apache-2.0
// Stores that linger in buffers: all orders, several sizes over each other, on the heap and on a thread's own stack, in memory that is
// freed or left while they are under way, beside plain accesses to the same place, and with loops that wait for them.
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

namespace {

std::atomic<int> x, y, ready;
std::atomic<std::uint64_t> wide;
int plain[4];
volatile int watched;

union Overlapping {
  std::uint64_t all;
  std::uint16_t parts[4];
} mixed;

void different_sizes() {
  __atomic_store_n(&mixed.all, 0x1111222233334444ull, __ATOMIC_RELAXED);
  __atomic_store_n(&mixed.parts[1], std::uint16_t{0x5555}, __ATOMIC_RELAXED);
  if (__atomic_load_n(&mixed.all, __ATOMIC_RELAXED) == 0) plain[0] = -1;
}

__attribute__((noinline)) int on_own_stack(int seed) {
  std::atomic<int> mine[3];
  std::atomic<int>* volatile escaped = mine;
  for (int i = 0; i < 3; ++i) escaped[i].store(seed + i, std::memory_order_relaxed);
  return escaped[1].load(std::memory_order_relaxed);
}

__attribute__((noinline)) int other_frame(int seed) {
  volatile int again[16];
  for (int i = 0; i < 16; ++i) again[i] = seed * i;
  x.store(again[3], std::memory_order_relaxed);
  return again[5];
}

void left_memory() {
  int sum = 0;
  for (int i = 0; i < 3; ++i) sum += on_own_stack(i) + other_frame(i);
  auto* block = new std::atomic<int>[8];
  for (int i = 0; i < 8; ++i) block[i].store(i, std::memory_order_relaxed);
  delete[] block;
  y.store(sum, std::memory_order_release);
}

void copied() {
  std::unique_ptr<char[]> text(new char[32]);
  for (int i = 0; i < 31; ++i) text[i] = static_cast<char>('a' + i % 26);
  text[31] = 0;
  char other[32];
  std::memcpy(other, text.get(), sizeof other);
  if (std::strlen(text.get()) != 31 || std::strcmp(other, text.get()) != 0) plain[1] = -1;
}

void first() {
  x.store(1, std::memory_order_relaxed);
  different_sizes();
  std::atomic_thread_fence(std::memory_order_release);
  y.store(1, std::memory_order_relaxed);
  wide.store(0x0102030405060708ull, std::memory_order_release);
  left_memory();
  ready.store(1, std::memory_order_release);
  while (ready.load(std::memory_order_acquire) != 2) {
  }
  x.store(2, std::memory_order_seq_cst);
}

void second() {
  y.store(3, std::memory_order_relaxed);
  watched = x.load(std::memory_order_relaxed);
  copied();
  while (ready.load(std::memory_order_acquire) == 0) std::this_thread::yield();
  wide.fetch_add(1, std::memory_order_relaxed);
  left_memory();
  ready.store(2, std::memory_order_release);
}

}  // namespace

int main() {
  std::vector<std::thread> threads;
  threads.emplace_back(first);
  threads.emplace_back(second);
  for (std::thread& thread : threads) thread.join();
  return plain[0] + plain[1] == 0 ? 0 : 1;
}
