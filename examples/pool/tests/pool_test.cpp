// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <stdexcept>

#include "logger.h"
#include "thread_pool.h"

TEST(ThreadPool, RunsEveryTaskOnce) {
  pool::ThreadPool workers(2);
  auto first = workers.submit([] { return 6; });
  auto second = workers.submit([] { return 7; });
  EXPECT_EQ(first.get() * second.get(), 42);
}

TEST(ThreadPool, HandsExceptionsToWhoeverAsks) {
  pool::ThreadPool workers(1);
  auto broken = workers.submit([]() -> int { throw std::runtime_error("no"); });
  EXPECT_THROW(broken.get(), std::runtime_error);
}

TEST(ThreadPool, FinishesWhatItAccepted) {
  pool::Logger logger;
  {
    pool::ThreadPool workers(2, 1);
    for (int i = 0; i < 3; ++i) workers.submit([&] { logger.log("done"); });
  }
  EXPECT_EQ(logger.finish().size(), 3u);
}
