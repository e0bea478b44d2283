// SPDX-License-Identifier: Apache-2.0
#include "thread_pool.h"

namespace pool {

ThreadPool::ThreadPool(std::size_t threads, std::size_t backlog) : queue_(backlog) {
  for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

ThreadPool::~ThreadPool() {
  queue_.close();
  for (auto &thread : threads_) thread.join();
}

void ThreadPool::work() {
  while (auto task = queue_.take()) {
    (*task)();
    ++completed_;
  }
}

}  // namespace pool
