// SPDX-License-Identifier: Apache-2.0
// What was open when main was called. Kept outside everything that is restored. Copies are made under the reset carrier only, since
// elsewhere the process ends with the execution.
#pragma once

#include "runtime/io.h"

namespace treadle {

struct FdsAtStart {
  static constexpr unsigned kMost = 256;
  unsigned count;
  int lowest_free;
  int first_backup, end_backup;   // numbers of the copies, which nobody but us may touch
  int kept_output, shown_output;  // output.cpp: the file that stands in for standard output, and standard output itself; 0: none
  struct {
    int fd, copy;  // no copy: -1
    long offset;   // of a regular file open for reading; else -1
  } open[kMost];
};

/// To be called while there is one thread: once the table of descriptors is shared, the kernel waits many milliseconds to make it larger.
void make_room_for_copies() noexcept;

/// The program must not see our copies.
bool is_backup(int fd) noexcept;

/// `fd` is about to be closed or replaced.
void about_to_close(int fd) noexcept;

/// A descriptor with numbers from the seed in place of /dev/urandom; null path or another name: -1.
int open_random_device(const char* path) noexcept;
bool is_random_device(int fd) noexcept;

/// Reset carrier: closes what the execution opened, opens what it closed.
void restore_descriptors() noexcept;

}  // namespace treadle
