// SPDX-License-Identifier: Apache-2.0
// Spin loops: an iteration that changed nothing and comes back to where it started will do the same again until one of the locations it
// read has another value. Until then the thread is blocked, so `while (!flag);` ends, and costs one iteration.
#pragma once

#include <cstddef>
#include <cstdint>

namespace treadle {

struct Thread;

/// A visible operation took its step and only read `size` bytes there (also: wrote what stood there already, failed to lock).
void spin_read(const void* location, std::size_t size) noexcept;
/// A visible operation had an effect, or depends on something that is no memory location (time, inputs).
void spin_wrote() noexcept;
/// A visible operation took its step and had no effect whatsoever: yield, sleep.
void spin_idle() noexcept;

/// TREADLE_SPINS_BLOCK: it will never go on, though it could.
bool spin_stands_still(const Thread& thread) noexcept;

/// TREADLE_SPINS_STOP: whoever was asked for goes round in vain, and now something else is about to happen.
[[noreturn]] void stop_in_vain(std::uint64_t pc) noexcept;

/// Thread::iteration_begins: the running thread is about to announce the first visible operation of an iteration.
void spin_tell_iteration(std::uint64_t pc) noexcept;

/// The thread wants to see its invisible plain accesses, too: called for each of them while spin_logs().
bool spin_logs(const Thread& thread) noexcept;
void spin_plain_read(const void* location, std::size_t size) noexcept;
void spin_plain_wrote() noexcept;

}  // namespace treadle
