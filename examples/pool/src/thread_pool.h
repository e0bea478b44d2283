// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <future>
#include <memory>
#include <thread>
#include <vector>

#include "bounded_queue.h"

namespace pool {

/// Runs tasks on a fixed number of threads. The destructor finishes what was accepted.
class ThreadPool {
 public:
  explicit ThreadPool(std::size_t threads, std::size_t backlog = 16);
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  /// The future holds the result, or what the task threw.
  template <class Task>
  auto submit(Task task) {
    auto packaged = std::make_shared<std::packaged_task<decltype(task())()>>(std::move(task));
    auto result = packaged->get_future();
    queue_.put([packaged] { (*packaged)(); });
    return result;
  }

  std::size_t completed() const { return completed_.load(); }

 private:
  void work();

  BoundedQueue<std::function<void()>> queue_;
  std::atomic<std::size_t> completed_{0};
  std::vector<std::thread> threads_;
};

}  // namespace pool
