// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "bounded_queue.h"

namespace pool {

/// Lines are written by one thread of its own, in the order in which they were logged.
class Logger {
 public:
  Logger();
  ~Logger();

  void log(std::string_view line);

  /// Waits until everything logged so far is written, and returns it all.
  std::vector<std::string> finish();

 private:
  BoundedQueue<std::string> queue_{4};
  std::vector<std::string> written_;
  std::thread writer_;
};

}  // namespace pool
