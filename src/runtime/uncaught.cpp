// SPDX-License-Identifier: Apache-2.0
// The runtime is linked into C programs too, so everything of libstdc++ is referred to weakly, and what() is found without
// RTTI of our own: std::exception's type_info is asked whether it would catch the object, as a handler would ask.
#include "runtime/uncaught.h"

#include <dlfcn.h>
#include <unwind.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <typeinfo>

#include "runtime/libraries.h"
#include "runtime/real.h"
#include "runtime/scheduler.h"

namespace {

/// Layouts of the Itanium C++ ABI as libstdc++ has them; the object follows its header.
struct ExceptionHeader {
  std::type_info* type;
  void (*destructor)(void*);
  void (*unexpected)();
  void (*terminate)();
  ExceptionHeader* next;
  int handler_count;
  int handler_switch;
  const unsigned char* action;
  const unsigned char* language_data;
  std::uint64_t catch_temp;
  void* adjusted;
  _Unwind_Exception unwind;
};

/// std::rethrow_exception makes a header that only refers to the first one; `object` then takes the place of the type.
struct Globals {
  ExceptionHeader* caught;
  unsigned uncaught_count;
};

constexpr std::uint64_t kDependent = 0x474e5543432b2b01;  // "GNUCC++\1"
constexpr std::uint64_t kPrimary = 0x474e5543432b2b00;

}  // namespace

extern "C" {
__attribute__((weak)) Globals* __cxa_get_globals_fast() noexcept;
__attribute__((weak)) std::type_info* __cxa_current_exception_type() noexcept;
__attribute__((weak)) char* __cxa_demangle(const char*, char*, std::size_t*, int*) noexcept;
}
__attribute__((weak)) extern const std::type_info type_of_std_exception __asm__("_ZTISt9exception");
__attribute__((weak)) std::terminate_handler set_terminate_handler(std::terminate_handler) noexcept __asm__("_ZSt13set_terminatePFvvE");

namespace treadle {

namespace {

void* object_of(ExceptionHeader* header) noexcept {
  if (header->unwind.exception_class == kDependent) return header->type;  // its first member is the primary object
  return header->unwind.exception_class == kPrimary ? header + 1 : nullptr;
}

const char* what_of(const std::type_info& type, void* object) noexcept {
  if (&type_of_std_exception == nullptr || object == nullptr) return nullptr;
  const std::type_info* catcher = &type_of_std_exception;
  __asm__("" : "+r"(catcher));  // or the compiler, knowing the object, calls the function by a name that C programs lack
  if (!catcher->__do_catch(&type, &object, 1)) return nullptr;
  return static_cast<std::exception*>(object)->what();
}

struct Walk {
  TreadleStack& out;
  bool past_ourselves = false;
};

/// Frames come innermost first: ours, libstdc++'s, then those that matter.
_Unwind_Reason_Code keep_frame(_Unwind_Context* context, void* argument) noexcept {
  Walk& walk = *static_cast<Walk*>(argument);
  const std::uint64_t pc = _Unwind_GetIP(context);
  if (pc == 0 || walk.out.count == TREADLE_MAX_FRAMES) return _URC_END_OF_STACK;
  if (walk.out.count == 0 && (!walk.past_ourselves || in_system_library(pc)))
    walk.past_ourselves |= in_system_library(pc);
  else
    walk.out.pc[walk.out.count++] = pc;
  return _URC_NO_REASON;
}

/// Nothing has been unwound yet when nobody catches, so the place that throws is still there. libstdc++ has no frame pointers: the usual
/// walk would not get through. -> where std::terminate was called from, as far as the program is concerned
std::uint64_t keep_stack() noexcept {
  if (g_mode != Mode::Active) return 0;
  world().result->stacks_taken = 1;
  TreadleStack& stack = world().result->end_stack;
  stack.event = ~0ull;
  stack.thread = world().current->id;
  stack.count = 0;
  Walk walk{stack};
  _Unwind_Backtrace(keep_frame, &walk);
  return stack.count == 0 ? 0 : stack.pc[0];
}

[[noreturn]] void on_terminate() noexcept { fail_terminated(keep_stack()); }

}  // namespace

bool describe_exception(char* text, std::size_t capacity) noexcept {
  if (__cxa_current_exception_type == nullptr || __cxa_get_globals_fast == nullptr) return false;
  const std::type_info* type = __cxa_current_exception_type();
  if (type == nullptr) return false;
  int failed = -1;
  char* readable = __cxa_demangle == nullptr ? nullptr : __cxa_demangle(type->name(), nullptr, nullptr, &failed);
  const char* what = what_of(*type, object_of(__cxa_get_globals_fast()->caught));
  TREADLE_REAL(snprintf)(text, capacity, what == nullptr ? "%s" : "%s: %s", readable == nullptr ? type->name() : readable, what);
  free(readable);
  return true;
}

void uncaught_start() noexcept {
  if (set_terminate_handler != nullptr) set_terminate_handler(on_terminate);
}

}  // namespace treadle
