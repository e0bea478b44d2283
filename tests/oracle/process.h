// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace oracle {

struct Finished {
  int status = -1;  // exit status; -1: killed by a signal or after the time limit, and `err` says so
  std::string out, err;
};

/// Runs a program to its end. Throws std::runtime_error when it cannot be started.
Finished run_process(const std::vector<std::string>& command, int seconds_limit);

/// A directory that is removed with everything in it at the end of its life.
class ScratchDirectory {
 public:
  ScratchDirectory();
  ~ScratchDirectory();
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

void write_file(const std::string& path, const std::string& text);  // throws std::runtime_error

}  // namespace oracle
