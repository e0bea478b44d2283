// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>

namespace pool {

/// First in, first out, at most `capacity` at a time. Closing lets takers drain what is left and turns putters away.
template <class T>
class BoundedQueue {
 public:
  explicit BoundedQueue(std::size_t capacity) : capacity_(capacity) {}

  /// False when the queue was closed before there was space.
  bool put(T item) {
    std::unique_lock guard(lock_);
    has_space_.wait(guard, [&] { return closed_ || items_.size() < capacity_; });
    if (closed_) return false;
    items_.push_back(std::move(item));
    has_items_.notify_one();
    return true;
  }

  /// Nothing when the queue is closed and empty.
  std::optional<T> take() {
    std::unique_lock guard(lock_);
    has_items_.wait(guard, [&] { return closed_ || !items_.empty(); });
    if (items_.empty()) return std::nullopt;
    T item = std::move(items_.front());
    items_.pop_front();
    has_space_.notify_one();
    return item;
  }

  void close() {
    std::lock_guard guard(lock_);
    closed_ = true;
    has_items_.notify_all();
#ifndef POOL_BUG
    has_space_.notify_all();
#endif
  }

 private:
  const std::size_t capacity_;
  std::mutex lock_;
  std::condition_variable has_items_, has_space_;
  std::deque<T> items_;
  bool closed_ = false;
};

}  // namespace pool
