// SPDX-License-Identifier: Apache-2.0
// A global whose destructor joins its thread: main may return while that one works. Without FIXED the destructor lets it go.
// CHECK: strategy=exhaustive verdict=bugs among=misuse message="the program ends while threads are still running"
// CHECK: strategy=exhaustive flags=-DFIXED verdict=clean
#include <condition_variable>
#include <mutex>
#include <thread>

class Pool {
 public:
  void start() {
    worker_ = std::thread([this] {
      std::unique_lock hold(lock_);
      changed_.wait(hold, [this] { return stopping_; });
    });
  }
  ~Pool() {
#ifdef FIXED
    {
      std::lock_guard hold(lock_);
      stopping_ = true;
    }
    changed_.notify_all();
    worker_.join();
#else
    worker_.detach();
#endif
  }

 private:
  std::mutex lock_;
  std::condition_variable changed_;
  bool stopping_ = false;
  std::thread worker_;
};

static Pool& pool() {
  static Pool one;
  return one;
}

int main() { pool().start(); }
