// SPDX-License-Identifier: Apache-2.0
// What the kernel knows of an execution, and how much of it can be taken back. Files, one idea each:
//   descriptors.cpp  what is open: closed again at the end, what was open before is open again
//   fd_wait.cpp      readiness of pipes and sockets as a condition for a visible operation
//   fd_transfer.cpp  read, write and their kin; fd_socket.cpp the socket calls; fd_poll.cpp poll, select, epoll
//   mappings.cpp     mmap; signals.cpp; process_state.cpp whatever else needs a fresh process each time
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/clocks.h"
#include "runtime/world.h"

namespace treadle {

/// What passes through a pipe orders its two ends. Sockets and event descriptors cannot be told apart by their inode: they share one
/// clock, which may hide a race but never invents one.
struct FdClock {
  FdClock* next;
  std::uint64_t inode;  // 0: all that is not a pipe
  Clock* data;          // writers -> readers
  Clock* space;         // readers -> writers that found it full
};

struct IoState {
  std::uint64_t next_mapping;  // mappings.cpp: where the next one goes
  bool mapped_before_main;
  bool touched_old_fds;          // one that was open before main was closed or replaced
  bool has_kernel_state;         // see io_can_snapshot
  bool has_children;             // processes were started
  std::uint64_t random_fds[16];  // descriptors 0 … 1023 that stand for /dev/urandom
  FdClock* clocks;
};

IoState& io() noexcept;

/// False once the execution has opened, read or mapped something: the kernel's part cannot be saved.
bool io_can_snapshot() noexcept;

/// Once per process, when all constructors have run and before the image is saved.
void io_before_main() noexcept;

/// An execution begins: files that were open before are read from where they stood.
void io_execution_begin() noexcept;

inline void note_kernel_state() noexcept { io().has_kernel_state = true; }

}  // namespace treadle
