// SPDX-License-Identifier: Apache-2.0
// What carries the program's threads: fibers on one kernel thread (reset, fork), or kernel threads that pass a token.
// Under both, a thread's stack and its TLS stand at addresses that depend on its number alone, so that traces are the same.
#pragma once

#include "runtime/world.h"

namespace treadle {

/// Reserves all stacks and, for fibers, starts the parked pthreads whose TLS the fibers borrow. Once per process.
void carrier_start() noexcept;

/// Makes `thread` startable; it will begin in treadle_fiber_body. 0 bytes: the usual size.
void carrier_prepare(Thread& thread, std::uint64_t stack_bytes) noexcept;

/// Stops the running thread and runs `to`; returns when somebody switches back.
void carrier_switch(Thread& from, Thread& to) noexcept;

/// Kernel carrier: a thread that has left for good waits here until the process ends.
[[noreturn]] void carrier_park() noexcept;

/// Where thread `id`'s stack begins (highest address, growing down) and how far it may grow.
std::uint64_t stack_top(unsigned id) noexcept;
bool in_stack_guard(std::uint64_t address) noexcept;

/// The part of a parked pthread that belongs to its TLS: to be restored with the rest of the image.
struct Span {
  std::uint64_t begin, end;
};
Span tls_of(unsigned id) noexcept;

/// Stacks start each execution clean, so that uninitialised locals are the same each time.
void clear_stack(unsigned id) noexcept;

/// Below this nothing was written since then (512 bytes more or less); the stack ends at stack_end().
std::uint64_t stack_used_from(unsigned id) noexcept;
std::uint64_t stack_end(unsigned id) noexcept;

void set_fs_base(std::uint64_t value) noexcept;
std::uint64_t fs_base() noexcept;

}  // namespace treadle

extern "C" void treadle_switch(void** save, void* load) noexcept;
extern "C" void treadle_fiber_entry() noexcept;
extern "C" [[noreturn]] void treadle_run_on_stack(void* top) noexcept;
