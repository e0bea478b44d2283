// SPDX-License-Identifier: Apache-2.0
// Heap errors through new and delete.
// CHECK: strategy=exhaustive verdict=bugs kinds=data-race,use-after-free flags=-DUSE_AFTER_FREE executions=85
// CHECK: strategy=exhaustive verdict=bugs kinds=leak flags=-DLEAK options=--leaks executions=69
// CHECK: strategy=exhaustive verdict=clean options=--leaks executions=69
#include <atomic>
#include <thread>

struct Node {
  int value = 0;
};

static std::atomic<Node *> head;

int main() {
  head = new Node;
  std::thread taker([] {
    [[maybe_unused]] Node *mine = head.exchange(nullptr);
#ifndef LEAK
    delete mine;
#endif
  });
  std::thread user([] {
#ifdef USE_AFTER_FREE
    if (Node *node = head.load()) {
      head.load();
      node->value = 1;
    }
#else
    if (Node *node = head.exchange(nullptr)) {
      node->value = 1;
#ifndef LEAK
      delete node;
#endif
    }
#endif
  });
  taker.join();
  user.join();
}
