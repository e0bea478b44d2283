// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <thread>

#include "bounded_queue.h"

TEST(BoundedQueue, HandsItemsOverInOrder) {
  pool::BoundedQueue<int> queue(1);
  std::thread producer([&] {
    for (int i = 1; i <= 3; ++i) ASSERT_TRUE(queue.put(i));
    queue.close();
  });
  int expected = 1;
  while (auto item = queue.take()) EXPECT_EQ(*item, expected++);
  producer.join();
  EXPECT_EQ(expected, 4);
}

// The test passes with POOL_BUG too, nearly always: it takes a producer that waits for space at the moment of closing.
TEST(BoundedQueue, TurnsProducersAwayOnceItIsClosed) {
  pool::BoundedQueue<int> queue(1);
  std::thread producer([&] {
    while (queue.put(1)) {
    }
  });
  queue.take();
  queue.close();
  producer.join();
}
