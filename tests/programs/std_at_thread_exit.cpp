// SPDX-License-Identifier: Apache-2.0
// What the destructors of a thread's own objects write is ready for others when the value is made ready at the thread's exit, and not
// before. The same for a task, for a condition variable and for a future that nobody waits for any more.
// CHECK: strategy=optimal verdict=bugs kinds=data-race
// CHECK: strategy=optimal verdict=clean flags=-DFIXED
// CHECK: strategy=optimal verdict=bugs kinds=data-race flags=-DTASK
// CHECK: strategy=optimal verdict=clean flags="-DTASK -DFIXED"
// CHECK: strategy=optimal verdict=bugs kinds=data-race flags=-DCONDITION
// CHECK: strategy=optimal verdict=clean flags="-DCONDITION -DFIXED"
// CHECK: strategy=optimal verdict=clean flags=-DABANDONED
#include <cassert>
#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>

static int written;

struct Writer {
  ~Writer() { written = 7; }
  void live() {}
};
static thread_local Writer writer;

int main() {
#if defined(CONDITION)
  std::mutex mutex;
  std::condition_variable changed;
  bool ready = false;
  std::thread thread([&] {
    writer.live();
    std::unique_lock lock(mutex);
    ready = true;
#ifdef FIXED
    std::notify_all_at_thread_exit(changed, std::move(lock));
#else
    changed.notify_all();
#endif
  });
  {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return ready; });
  }
  assert(written == 7);
#elif defined(TASK)
  std::packaged_task<int()> task([] { return 1; });
  std::future<int> future = task.get_future();
  std::thread thread([&] {
    writer.live();
#ifdef FIXED
    task.make_ready_at_thread_exit();
#else
    task();
#endif
  });
  assert(future.get() == 1 && written == 7);
#elif defined(ABANDONED)
  std::promise<int> promise;
  std::thread thread([promise = std::move(promise)]() mutable { promise.set_value_at_thread_exit(1); });
#else
  std::promise<int> promise;
  std::thread thread([&] {
    writer.live();
#ifdef FIXED
    promise.set_value_at_thread_exit(1);
#else
    promise.set_value(1);
#endif
  });
  assert(promise.get_future().get() == 1 && written == 7);
#endif
  thread.join();
}
