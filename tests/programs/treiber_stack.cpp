// SPDX-License-Identifier: Apache-2.0
// A lock-free stack: pop reads `next` of a node that another thread may have freed. FIXED frees after everybody is done.
// CHECK: strategy=random max=3000 verdict=bugs among=use-after-free,data-race
// CHECK: strategy=random max=500 verdict=incomplete flags=-DFIXED
#include <atomic>
#include <thread>

struct Node {
  Node *next;
};

static std::atomic<Node *> top;

static void push(Node *node) {
  node->next = top.load();
  while (!top.compare_exchange_weak(node->next, node)) {
  }
}

static void pop() {
  Node *node = top.load();
  while (node && !top.compare_exchange_weak(node, node->next)) {
  }
#ifndef FIXED
  delete node;
#endif
}

int main() {
  Node *nodes[2] = {new Node, new Node};
  for (Node *node : nodes) push(node);
  std::thread a(pop), b(pop);
  a.join();
  b.join();
#ifdef FIXED
  for (Node *node : nodes) delete node;
#endif
}
