// SPDX-License-Identifier: Apache-2.0
// pthread_exit and cancellation unwind the stack by force, as glibc does: C++ destructors run, catch (abi::__forced_unwind&) and catch
// (...) see it and must let it pass, and the handlers of pthread_cleanup_push run in their places. C code compiled without exceptions
// registers a jump buffer for each handler; the unwinder jumps there, and the handler's code continues with __pthread_unwind_next.
//
// Cancellation is deferred: it takes place at the next cancellation point. A request to a thread that asked for asynchronous cancellation
// is not supported, since it could end anywhere.
#include <pthread.h>
#include <setjmp.h>

#include <cerrno>

#include "runtime/real.h"
#include "runtime/spin.h"
#include "runtime/thread_sync.h"

extern "C" {
void _pthread_cleanup_push(_pthread_cleanup_buffer*, void (*)(void*), void*) noexcept;
void _pthread_cleanup_pop(_pthread_cleanup_buffer*, int) noexcept;
}

namespace treadle {

namespace {

// How we use the words that glibc keeps in a registered jump buffer.
void*& outer(__pthread_unwind_buf_t* buffer) noexcept { return buffer->__pad[0]; }
void*& stack_pointer(__pthread_unwind_buf_t* buffer) noexcept { return buffer->__pad[1]; }
void*& saved_type(__pthread_unwind_buf_t* buffer) noexcept { return buffer->__pad[2]; }

void not_rethrown(_Unwind_Reason_Code, _Unwind_Exception*) {
  end_execution(TREADLE_END_ABORTED, 0, 0, 0, 0, "pthread_exit or a cancellation was caught and not rethrown");
}

/// Handlers of old binaries that belong to frames below `stack`.
void run_plain_cleanups_below(std::uint64_t stack) noexcept {
  ThreadSync& sync = my_sync();
  while (sync.plain_cleanups != nullptr && address_of(sync.plain_cleanups) < stack) {
    _pthread_cleanup_buffer* const newest = sync.plain_cleanups;
    sync.plain_cleanups = newest->__prev;
    newest->__routine(newest->__arg);
  }
}

/// Asked before each frame is left.
_Unwind_Reason_Code at_each_frame(int, _Unwind_Action actions, _Unwind_Exception_Class, _Unwind_Exception*, _Unwind_Context* context,
                                  void*) {
  const bool at_end = (actions & _UA_END_OF_STACK) != 0;
  const std::uint64_t stack = at_end ? ~0ull : _Unwind_GetCFA(context);
  run_plain_cleanups_below(stack);
  __pthread_unwind_buf_t* const next = my_sync().cleanups;
  if (next != nullptr && stack >= address_of(stack_pointer(next))) longjmp(reinterpret_cast<__jmp_buf_tag*>(next->__cancel_jmp_buf), 1);
  if (at_end) finish_thread();
  return _URC_NO_REASON;
}

[[noreturn]] void unwind() noexcept {
  ThreadSync& sync = my_sync();
  sync.unwinding.exception_class = 0;
  sync.unwinding.exception_cleanup = not_rethrown;
  _Unwind_ForcedUnwind(&sync.unwinding, at_each_frame, nullptr);
  end_execution(TREADLE_END_ABORTED, 0, 0, 0, 0, "the stack of a thread that ends cannot be unwound");
}

void enter(__pthread_unwind_buf_t* buffer, void* callers_stack_pointer) noexcept {
  outer(buffer) = my_sync().cleanups;
  stack_pointer(buffer) = callers_stack_pointer;
  my_sync().cleanups = buffer;
}

void leave(__pthread_unwind_buf_t* buffer) noexcept { my_sync().cleanups = static_cast<__pthread_unwind_buf_t*>(outer(buffer)); }

int change_type(int type) noexcept {
  ThreadSync& sync = my_sync();
  const int before = sync.cancel_asynchronous ? PTHREAD_CANCEL_ASYNCHRONOUS : PTHREAD_CANCEL_DEFERRED;
  sync.cancel_asynchronous = type == PTHREAD_CANCEL_ASYNCHRONOUS;
  if (sync.cancel_asynchronous) act_on_cancel();
  return before;
}

}  // namespace

bool cancel_due(const Thread& thread) noexcept {
  const ThreadSync& sync = sync_of(thread);
  return sync.cancel_requested && !sync.cancel_disabled && !sync.ending;
}

void act_on_cancel() noexcept {
  if (cancel_due(self())) exit_thread(PTHREAD_CANCELED);
}

void exit_thread(void* result) noexcept {
  if (!active()) unsupported("pthread_exit is called before main", 0);
  self().result = result;
  my_sync().ending = true;
  unwind();
}

}  // namespace treadle

using namespace treadle;

// The stack pointer of a caller at its call: behind the saved frame pointer and the return address.
#define TREADLE_CALLERS_STACK_POINTER() (static_cast<char*>(__builtin_frame_address(0)) + 16)

extern "C" {

void pthread_exit(void* result) {
  if (native()) TREADLE_REAL(pthread_exit)(result);
  exit_thread(result);
}

int pthread_cancel(pthread_t handle) {
  if (native()) return TREADLE_REAL(pthread_cancel)(handle);
  const std::uint64_t pc = TREADLE_PC();
  Thread* target = thread_of(handle);
  step(TREADLE_EV_THREAD_CANCEL, 0, pc);
  const int result = target == nullptr || target->joined ? ESRCH : 0;
  if (result == 0) {
    ThreadSync& sync = sync_of(*target);
    sync.cancel_requested = true;
    spin_wrote();
    record(TREADLE_EV_THREAD_CANCEL, 0, target->id, 0, pc);
    if (target->state == ThreadState::Live && sync.cancel_asynchronous && cancel_due(*target)) {
      if (target != &self()) unsupported("the program cancels a thread whose cancellation type is asynchronous", pc);
      act_on_cancel();
    }
  }
  return result;
}

void pthread_testcancel() {
  if (native()) return TREADLE_REAL(pthread_testcancel)();
  if (my_sync().cancel_disabled || my_sync().ending) return;
  const std::uint64_t pc = TREADLE_PC();
  step(TREADLE_EV_TEST_CANCEL, 0, pc);
  const bool due = cancel_due(self());
  spin_read(&my_sync().cancel_requested, sizeof(bool));
  record(TREADLE_EV_TEST_CANCEL, 0, due, 0, pc);
  act_on_cancel();
}

int pthread_setcancelstate(int state, int* before) {
  if (native()) return TREADLE_REAL(pthread_setcancelstate)(state, before);
  if (state != PTHREAD_CANCEL_ENABLE && state != PTHREAD_CANCEL_DISABLE) return EINVAL;
  ThreadSync& sync = my_sync();
  if (before != nullptr) *before = sync.cancel_disabled ? PTHREAD_CANCEL_DISABLE : PTHREAD_CANCEL_ENABLE;
  sync.cancel_disabled = state == PTHREAD_CANCEL_DISABLE;
  if (sync.cancel_asynchronous) act_on_cancel();
  return 0;
}

int pthread_setcanceltype(int type, int* before) {
  if (native()) return TREADLE_REAL(pthread_setcanceltype)(type, before);
  if (type != PTHREAD_CANCEL_DEFERRED && type != PTHREAD_CANCEL_ASYNCHRONOUS) return EINVAL;
  if (before != nullptr) *before = my_sync().cancel_asynchronous ? PTHREAD_CANCEL_ASYNCHRONOUS : PTHREAD_CANCEL_DEFERRED;
  change_type(type);
  return 0;
}

void __pthread_register_cancel(__pthread_unwind_buf_t* buffer) {
  if (native()) return TREADLE_REAL(__pthread_register_cancel)(buffer);
  enter(buffer, TREADLE_CALLERS_STACK_POINTER());
}

void __pthread_unregister_cancel(__pthread_unwind_buf_t* buffer) {
  if (native()) return TREADLE_REAL(__pthread_unregister_cancel)(buffer);
  leave(buffer);
}

void __pthread_register_cancel_defer(__pthread_unwind_buf_t* buffer) {
  if (native()) return TREADLE_REAL(__pthread_register_cancel_defer)(buffer);
  enter(buffer, TREADLE_CALLERS_STACK_POINTER());
  saved_type(buffer) = reinterpret_cast<void*>(static_cast<std::intptr_t>(change_type(PTHREAD_CANCEL_DEFERRED)));
}

void __pthread_unregister_cancel_restore(__pthread_unwind_buf_t* buffer) {
  if (native()) return TREADLE_REAL(__pthread_unregister_cancel_restore)(buffer);
  leave(buffer);
  change_type(static_cast<int>(reinterpret_cast<std::intptr_t>(saved_type(buffer))));
}

void __pthread_unwind_next(__pthread_unwind_buf_t* buffer) {
  if (native()) TREADLE_REAL(__pthread_unwind_next)(buffer);
  leave(buffer);
  unwind();
}

void _pthread_cleanup_push(_pthread_cleanup_buffer* buffer, void (*routine)(void*), void* argument) noexcept {
  if (native()) return TREADLE_REAL(_pthread_cleanup_push)(buffer, routine, argument);
  *buffer = {routine, argument, 0, my_sync().plain_cleanups};
  my_sync().plain_cleanups = buffer;
}

void _pthread_cleanup_pop(_pthread_cleanup_buffer* buffer, int execute) noexcept {
  if (native()) return TREADLE_REAL(_pthread_cleanup_pop)(buffer, execute);
  my_sync().plain_cleanups = buffer->__prev;
  if (execute != 0) buffer->__routine(buffer->__arg);
}

}  // extern "C"
