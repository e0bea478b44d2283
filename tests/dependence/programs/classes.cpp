// SPDX-License-Identifier: Apache-2.0
// Virtual calls, exceptions, lambdas, containers, std::thread and its friends.
#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static std::atomic<int> x, y, out[32];

struct Shape {
  virtual ~Shape() = default;
  virtual int area() const { return 1; }
};
struct Square : Shape {
  int side = 2;
  int area() const override {
    out[0] = side;
    return side * x;
  }
};

static std::mutex mutex;
static std::condition_variable ready;
static bool is_ready;
static std::vector<int> queue;

static int check(int n) {
  if (n == 2) throw std::runtime_error("two");
  out[1] = n;
  return n;
}

static void reader() {
  int a = x;
  std::unique_ptr<Shape> shape(a ? new Square : new Shape);
  out[2] = shape->area();
  try {
    out[3] = check(y);
  } catch (const std::exception& error) {
    out[4] = error.what()[0];
  }
  out[5] = 1;
  std::unique_lock lock(mutex);
  ready.wait(lock, [] { return is_ready; });
  for (int value : queue) out[6] = value;
  queue.push_back(a);
  std::function<void()> last = [a] { out[7 + (a & 1)] = a; };
  last();
  std::string text = a ? "a longer text than fits into the string itself" : "short";
  out[9] = static_cast<int>(text.size());
}

static void writer() {
  x = 1;
  y = 2;
  {
    std::lock_guard lock(mutex);
    is_ready = true;
    queue.push_back(x);
  }
  ready.notify_all();
  x = 0;
  y = 1;
}

int main() {
  std::thread a(reader), b(writer), c([n = x.load()] {
    if (n) out[10] = n;
    out[11] = y.load();
    out[12] = 1;
  });
  a.join();
  b.join();
  c.join();
}
