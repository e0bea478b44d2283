// SPDX-License-Identifier: Apache-2.0
#include "explore/interrupt.h"

#include "base/deadline.h"

namespace treadle {
namespace {

volatile sig_atomic_t g_raised = 0;

void raise_flag(int) {
  g_raised = 1;
  Deadline::bring_forward();
}

}  // namespace

Interrupt::Interrupt() {
  g_raised = 0;
  struct sigaction action{};
  action.sa_handler = raise_flag;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  sigaction(SIGINT, &action, &before_int_);
  sigaction(SIGTERM, &action, &before_term_);
}

Interrupt::~Interrupt() {
  sigaction(SIGINT, &before_int_, nullptr);
  sigaction(SIGTERM, &before_term_, nullptr);
}

bool Interrupt::raised() { return g_raised != 0; }

}  // namespace treadle
