// SPDX-License-Identifier: Apache-2.0
// What the functions of libstdc++.so that put into a stream or take from it write: how wide the next item is to be, which each formatted
// output takes back, and where the stream is in its buffer. The same places are read and written by what headers do, so that str() and the
// like race with them. The standard streams (std::cout …) may be used by all threads. The layouts are libstdc++'s ABI since GCC 3.4.
#include <dlfcn.h>

#include "abi/hooks.h"
#include "runtime/plain.h"
#include "runtime/real.h"
#include "runtime/symbolic.h"

namespace treadle {

namespace {

struct Buffer {  // std::basic_streambuf
  void* table;
  char *in_begin, *in_at, *in_end, *out_begin, *out_at, *out_end;
};

struct State {  // std::basic_ios
  void* table;
  long precision, width;
  int flags, exceptions, state;
  char others[196];
  Buffer* buffer;
};
static_assert(__builtin_offsetof(State, buffer) == 232);

constexpr unsigned kStandardStreams = 8;

bool is_standard(const void* stream) noexcept {
  static const char* const names[kStandardStreams] = {"_ZSt4cout",  "_ZSt4cerr",  "_ZSt4clog",  "_ZSt3cin",
                                                      "_ZSt5wcout", "_ZSt5wcerr", "_ZSt5wclog", "_ZSt4wcin"};
  TREADLE_KEPT static const void* standard[kStandardStreams];
  TREADLE_KEPT static bool known;
  if (!known) {
    for (unsigned i = 0; i < kStandardStreams; ++i) standard[i] = ::dlsym(RTLD_DEFAULT, names[i]);
    known = true;
  }
  for (const void* one : standard)
    if (one == stream) return true;
  return false;
}

template <class T>
void reads(T& place, std::uint64_t pc) noexcept {
  range_long_way<Access::Read>(&place, sizeof place, pc);
}

template <class T>
void writes(T& place, std::uint64_t pc) noexcept {
  range_long_way<Access::Write>(&place, sizeof place, pc);
  symbolic_forget(number(&place), sizeof place);
}

}  // namespace

}  // namespace treadle

using namespace treadle;

/// A stream that has failed, as one without a buffer always has, is left alone.
extern "C" void __treadle_stream(const void* stream, int use) noexcept {
  if (!active() || is_standard(stream)) return;
  const std::uint64_t pc = TREADLE_PC();
  if (use == TREADLE_STREAM_BUFFER_SHOWS) return reads(static_cast<const Buffer*>(stream)->out_at, pc);
  const auto* table = *static_cast<const long* const*>(stream);
  auto* state = reinterpret_cast<State*>(reinterpret_cast<std::uintptr_t>(stream) + static_cast<std::uintptr_t>(table[-3]));
  if (state->state != 0) return;
  if (use == TREADLE_STREAM_PUTS_FORMATTED) writes(state->width, pc);
  Buffer* buffer = state->buffer;
  if (buffer == nullptr) return;
  if (use == TREADLE_STREAM_SHOWS) {
    reads(buffer->out_at, pc);
  } else if (use == TREADLE_STREAM_TAKES) {
    if (buffer->in_begin != buffer->in_end) writes(buffer->in_at, pc);
  } else if (buffer->out_begin != buffer->out_end) {
    writes(buffer->out_at, pc);
  }
}
