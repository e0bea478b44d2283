// SPDX-License-Identifier: Apache-2.0
// std::call_once (also when the first try throws), pthread_once and C11 call_once.
#include <pthread.h>

#include <mutex>
#include <stdexcept>
#include <thread>

static std::once_flag once;
static pthread_once_t posix_once = PTHREAD_ONCE_INIT;
static int tries, made;

int main() {
  auto work = [] {
    for (int i = 0; i < 2; ++i) try {
        std::call_once(once, [] {
          if (++tries == 1) throw std::runtime_error("later");
          ++made;
        });
      } catch (const std::runtime_error &) {
      }
    pthread_once(&posix_once, [] { ++made; });
  };
  std::thread a(work), b(work), c(work);
  a.join();
  b.join();
  c.join();
  return tries != 2 || made != 2;
}
