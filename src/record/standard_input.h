// SPDX-License-Identifier: Apache-2.0
// What the program reads from its standard input goes through here, so that it can be kept.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "base/result.h"

namespace treadle {

class StandardInput {
 public:
  /// From a file, or from our own standard input; a copy goes to `copy`.
  static Result<std::unique_ptr<StandardInput>> open(const std::string& file, const std::string& copy);
  ~StandardInput();
  StandardInput(const StandardInput&) = delete;
  StandardInput& operator=(const StandardInput&) = delete;

  int descriptor() const { return for_program_; }  // -1: nothing to be handed over
  void pump();                                     // once the program has it
  void stop();

 private:
  StandardInput() = default;
  void run();
  int from_ = -1, for_program_ = -1, into_ = -1, copy_ = -1;
  std::atomic<bool> stops_ = false;
  std::thread thread_;
};

}  // namespace treadle
