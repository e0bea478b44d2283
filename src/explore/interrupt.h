// SPDX-License-Identifier: Apache-2.0
// Ctrl-C ends a search early but in order: what was found is reported, and the verdict says what it covers.
#pragma once

#include <signal.h>

namespace treadle {

class Interrupt {
 public:
  Interrupt();  // from here on SIGINT and SIGTERM only raise the flag; a second one kills as usual
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  static bool raised();

 private:
  struct sigaction before_int_, before_term_;
};

}  // namespace treadle
