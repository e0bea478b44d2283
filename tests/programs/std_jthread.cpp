// SPDX-License-Identifier: Apache-2.0
// A jthread asked to stop; the buggy loop looks at a plain flag instead of its stop token.
// CHECK: strategy=random max=200 verdict=bugs kinds=data-race
// CHECK: strategy=random max=200 verdict=incomplete flags=-DFIXED
#include <thread>

static bool stop;

int main() {
  std::jthread worker([](std::stop_token token) {
#ifdef FIXED
    while (!token.stop_requested()) std::this_thread::yield();
#else
    while (!stop && !token.stop_requested()) std::this_thread::yield();
#endif
  });
  stop = true;
  worker.request_stop();
}
