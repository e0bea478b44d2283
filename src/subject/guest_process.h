// SPDX-License-Identifier: Apache-2.0
// The operating system's half of a subject: a process that can be started, waited for, interrupted and killed.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

#include "base/result.h"

namespace treadle {

struct Launch {
  std::string program;
  std::vector<std::string> arguments;
  std::vector<std::string> environment{};  // "NAME=value", besides ours
  int shared_descriptor = -1;
  bool show_output = false;
  std::string stdin_file;  // empty: nothing to read
  std::string follow;      // abi/follow.h: the file; empty: nothing
};

class GuestProcess {
 public:
  static Result<GuestProcess> start(const Launch& launch);
  GuestProcess(GuestProcess&& other) noexcept;
  GuestProcess& operator=(GuestProcess&& other) noexcept;
  ~GuestProcess();  // kills it

  pid_t id() const { return id_; }
  bool has_died();  // and if so, status() tells how
  int status() const { return status_; }
  void kill();

 private:
  explicit GuestProcess(pid_t id) : id_(id) {}
  pid_t id_ = -1;
  bool dead_ = false;
  int status_ = 0;
};

}  // namespace treadle
