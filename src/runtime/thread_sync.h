// SPDX-License-Identifier: Apache-2.0
// What a thread of the program owns besides its stack: its handle, its thread-specific data, what runs when it ends.
#pragma once

#include <pthread.h>
#include <unwind.h>

#include "runtime/objects.h"

namespace treadle {

struct SpecificBlock;
struct ThreadDestructor;

struct ThreadSync {
  Waiter waiter;
  std::uint64_t created_at;  // pc of pthread_create
  std::uint16_t joiner;      // thread + 1 that waits for this one to end

  bool cancel_requested;
  bool cancel_disabled;
  bool cancel_asynchronous;
  bool ending;                              // pthread_exit or cancellation is unwinding the stack
  __pthread_unwind_buf_t* cleanups;         // pthread_cleanup_push of C
  _pthread_cleanup_buffer* plain_cleanups;  // _pthread_cleanup_push of old binaries
  _Unwind_Exception unwinding;

  SpecificBlock* specific[32];
  ThreadDestructor* destructors;  // of thread_local objects, newest first

  std::uint64_t signals;  // pthread_kill: a bit per signal, until it next runs
  bool interrupted;       // a handler without SA_RESTART has run since the wait under way began

  char name[16];
  int policy;
  int priority;
};

/// The same values under every carrier, so that programs that print or hash them behave the same.
constexpr std::uint64_t kFirstHandle = 0x7ead0000;
constexpr std::uint64_t kHandleStride = 0x1000;

inline pthread_t handle_of(const Thread& thread) noexcept { return kFirstHandle + kHandleStride * thread.id; }

/// Null when it is none of ours, or of a thread that was joined.
Thread* thread_of(pthread_t handle) noexcept;

ThreadSync& sync_of(const Thread& thread) noexcept;
inline ThreadSync& my_sync() noexcept { return sync_of(self()); }

// threads.cpp
/// What happens to a thread after its function returned, it called pthread_exit or it was cancelled.
[[noreturn]] void finish_thread() noexcept;

struct NewThread {
  void* (*start)(void*);
  int (*start_c11)(void*);
  void* argument;
  std::uint64_t stack_bytes;
  bool detached;
};
pthread_t start_thread(const NewThread& what, std::uint64_t pc) noexcept;
/// The result of an operation was written there: recorded as a plain write, for those who follow what is in memory.
void tell_result(const void* at, std::uint64_t value, std::uint64_t before, unsigned size, std::uint64_t pc) noexcept;
int join_thread(pthread_t handle, void** result, const Deadline& deadline, std::uint64_t pc) noexcept;
int detach_thread(pthread_t handle, std::uint64_t pc) noexcept;

/// Before a wait that a handler without SA_RESTART ends early. Where there is such a handler, this is a step of its own: the signal may
/// also arrive just before the wait, and then the wait goes on for ever.
void begin_interruptible_wait(std::uint64_t pc) noexcept;

// specific.cpp
/// Destructors of its keys' values, up to four rounds.
void run_key_destructors() noexcept;
int create_key(unsigned* key, void (*destructor)(void*)) noexcept;
int delete_key(unsigned key) noexcept;
void* get_specific(unsigned key) noexcept;
int set_specific(unsigned key, const void* value) noexcept;

// cancel.cpp
/// Would this thread, standing at a cancellation point, be cancelled? For `enabled` functions of waits.
bool cancel_due(const Thread& thread) noexcept;
/// After a cancellation point's step was granted: ends the thread when it is cancelled, else returns.
void act_on_cancel() noexcept;
/// Unwinds the running thread's stack, destructors and cleanup handlers included, and ends it.
[[noreturn]] void exit_thread(void* result) noexcept;

}  // namespace treadle
