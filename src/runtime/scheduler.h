// SPDX-License-Identifier: Apache-2.0
// The heart of the runtime. A visible operation announces itself with step(), which returns when the Schedule
// has chosen this thread; the caller then makes the operation take effect and calls record(). Between two
// steps a thread runs alone, so neither operations nor hooks need any locking.
#pragma once

#include "runtime/world.h"

namespace treadle {

/// Lets the Schedule decide who goes on; returns when this thread is chosen *and* its operation is enabled (or times out).
Grant step(const Pending& what) noexcept;

/// Shorthand for an operation that is always enabled.
inline Grant step(TreadleEventKind kind, std::uint64_t address, std::uint64_t pc) noexcept {
  Pending what;
  what.kind = kind;
  what.address = address;
  what.pc = pc;
  return step(what);
}

/// Can this thread's announced operation take effect now?
bool is_enabled(const Thread& thread) noexcept;

/// Appends an event of the running thread to the trace. Returns its number within the execution.
std::uint64_t record(TreadleEventKind kind, std::uint64_t address, std::uint64_t value, std::uint64_t extra, std::uint64_t pc,
                     unsigned size = 0, unsigned order = 0) noexcept;

/// Copies text into the shared block; returns its offset within the texts of this execution (0 when there is no room).
std::uint32_t record_text(const char* text, std::size_t length) noexcept;

/// Makes a thread that will start at its own THREAD_START step. Null when no slot is prepared (the execution then ends).
Thread& create_thread(std::uint64_t stack_bytes) noexcept;

/// The running thread is done: marks it finished and never returns.
[[noreturn]] void leave_thread() noexcept;

/// Under TREADLE_POLICY_PATIENT: returns when nobody else can go on, or has gone on for long. For those that are about to fail, so that
/// nobody is cut off by it. Between what decides that a thread fails and its end others may always move.
void let_others_go_first(std::uint64_t pc) noexcept;

/// Would it do anything? A store that fails on its way to memory ends the execution at once: its thread may be anywhere.
bool may_let_others_go_first() noexcept;

/// Ends the execution from anywhere, also from a signal handler.
[[noreturn]] void end_execution(TreadleEnding ending, std::uint64_t detail, std::uint64_t address, std::uint64_t extra, std::uint64_t pc,
                                const char* text = nullptr) noexcept;

/// The program did what we cannot do: one sentence, which the user sees with exit status 2.
[[noreturn]] void unsupported(const char* sentence, std::uint64_t pc) noexcept;

/// Kernel state was changed that a reset in place cannot take back: ends the execution so that the host repeats it with fork; returns at
/// once under the other carriers. `reason` completes "the program …", for example "opens a shared mapping".
void needs_fork(const char* reason, std::uint64_t pc) noexcept;

/// A misuse: recorded, and the execution goes on. The host tells each one once.
void misuse(TreadleMisuse what, std::uint64_t object, std::uint64_t other, std::uint64_t pc) noexcept;

/// Called at the right moments by the scheduler; defined by the subsystem named in front.
void thread_main() noexcept;              // threads.cpp: body of a new thread, on its own stack; ends with leave_thread
int program_main() noexcept;              // exit.cpp: main and exit handlers
void deliver_pending_signals() noexcept;  // threads.cpp: Thread::has_signals is set
void race_execution_begin() noexcept;     // race.cpp
void time_execution_begin() noexcept;     // time.cpp: clock to zero, seeds from the job
void sync_execution_end() noexcept;       // objects.cpp: objects and threads left behind become events
void heap_execution_end() noexcept;       // heap.cpp: leaks, when asked for
void io_execution_end() noexcept;         // io.cpp: closes what the run opened, restores offsets, handlers, mappings

/// Called once, before constructors run: allocate your state in the arena and hang it into the World.
void race_start() noexcept;
void heap_start() noexcept;
void sync_start() noexcept;
void time_start() noexcept;
void io_start() noexcept;

}  // namespace treadle
