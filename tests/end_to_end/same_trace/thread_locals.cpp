// SPDX-License-Identifier: Apache-2.0
// thread_local objects with constructors and destructors, errno, and pthread keys.
#include <errno.h>
#include <pthread.h>

#include <atomic>
#include <string>
#include <thread>

static std::atomic<int> alive, ended;
static pthread_key_t key;

struct Local {
  std::string text = "a text that does not fit into the small buffer";
  Local() { ++alive; }
  ~Local() { --alive; }
};

static thread_local Local local;
static thread_local int counter = 7;

int main() {
  pthread_key_create(&key, [](void *) { ++ended; });
  auto work = [](int n) {
    errno = n;
    local.text += std::to_string(n);
    counter += n;
    pthread_setspecific(key, &local);
    ++ended;
    if (errno != n || counter != 7 + n) std::abort();
  };
  std::thread a(work, 1), b(work, 2), c(work, 3);
  a.join();
  b.join();
  c.join();
  pthread_key_delete(key);
  return ended != 6 || alive != 0;
}
