// SPDX-License-Identifier: Apache-2.0
// A std::shared_ptr is handed over under a lock, and what it points to is filled in behind that. -DFIXED: before.
// predict: : assertion,data-race
// predict: -DFIXED : nothing
#include <cassert>
#include <memory>
#include <mutex>
#include <thread>

struct Job {
  int id = 0;
};
static std::mutex lock;
static std::shared_ptr<Job> slot;

static void publish() {
  const auto job = std::make_shared<Job>();
#ifdef FIXED
  job->id = 5;
#endif
  {
    std::lock_guard guard(lock);
    slot = job;
  }
#ifndef FIXED
  job->id = 5;
#endif
}

static void use() {
  std::shared_ptr<Job> job;
  {
    std::lock_guard guard(lock);
    job = slot;
  }
  if (job) assert(job->id == 5);
}

int main() {
  std::thread publisher(publish), user(use);
  publisher.join();
  user.join();
}
