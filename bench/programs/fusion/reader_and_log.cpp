// SPDX-License-Identifier: Apache-2.0
// A reader of a table writes to the log; who flushes the log asks for the table. -DFIXED: the table first, always.
// predict: : deadlock
// predict: -DFIXED : nothing
#include <mutex>
#include <shared_mutex>
#include <thread>

static std::shared_mutex table;
static std::mutex log_lock;
static int lines;

static void note() {
  std::lock_guard guard(log_lock);
  ++lines;
}

static void read() {
  std::shared_lock shared(table);
  note();
}

static void flush() {
#ifdef FIXED
  std::unique_lock exclusive(table);
  std::lock_guard guard(log_lock);
#else
  std::lock_guard guard(log_lock);
  std::unique_lock exclusive(table);
#endif
  lines = 0;
}

int main() {
  std::thread reader(read), flusher(flush);
  reader.join();
  flusher.join();
}
