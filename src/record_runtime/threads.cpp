// SPDX-License-Identifier: Apache-2.0
// Threads are named by who created them and as how-manieth: no order between threads is recorded, and none is made.
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <threads.h>

#include "record_runtime/session.h"
#include "record_runtime/stream.h"

namespace treadle {
namespace {

thread_local std::uint32_t children __attribute__((tls_model("initial-exec")));

struct Start {
  void* (*function)(void*);
  thrd_start_t c11_function;
  void* argument;
  Origin from;
};

pthread_key_t at_end;
pthread_once_t key_made = PTHREAD_ONCE_INIT;

/// Destructors of the program's own keys may still run code that is recorded: ours waits until the last round.
void last_of_all(void* round) {
  const auto count = reinterpret_cast<std::uintptr_t>(round);
  if (count >= PTHREAD_DESTRUCTOR_ITERATIONS)
    end_stream();
  else
    ::pthread_setspecific(at_end, reinterpret_cast<void*>(count + 1));
}

void begin(const Start& start) noexcept {
  begin_stream(start.from);
  ::pthread_setspecific(at_end, reinterpret_cast<void*>(std::uintptr_t{1}));
}

void* run(void* given) {
  const Start start = *static_cast<Start*>(given);
  ::free(given);
  begin(start);
  return start.function(start.argument);
}

int run_c11(void* given) {
  const Start start = *static_cast<Start*>(given);
  ::free(given);
  begin(start);
  return start.c11_function(start.argument);
}

Start* start_of(void* (*function)(void*), thrd_start_t c11_function, void* argument) noexcept {
  ::pthread_once(&key_made, [] { ::pthread_key_create(&at_end, last_of_all); });
  auto* start = static_cast<Start*>(::malloc(sizeof(Start)));
  if (start != nullptr) *start = {function, c11_function, argument, {stream_number(), children + 1}};
  return start;
}

}  // namespace
}  // namespace treadle

using namespace treadle;

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*function)(void*), void* argument) noexcept {
  const auto real = TREADLE_REAL(pthread_create);
  if (session_status() == nullptr) return real(thread, attributes, function, argument);
  Start* start = start_of(function, nullptr, argument);
  if (start == nullptr) return EAGAIN;
  const int failed = real(thread, attributes, run, start);
  if (failed == 0)
    ++children;
  else
    ::free(start);
  return failed;
}

extern "C" int thrd_create(thrd_t* thread, thrd_start_t function, void* argument) {
  const auto real = TREADLE_REAL(thrd_create);
  if (session_status() == nullptr) return real(thread, function, argument);
  Start* start = start_of(nullptr, function, argument);
  if (start == nullptr) return thrd_nomem;
  const int result = real(thread, run_c11, start);
  if (result == thrd_success)
    ++children;
  else
    ::free(start);
  return result;
}
