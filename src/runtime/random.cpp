// SPDX-License-Identifier: Apache-2.0
// Random numbers that would come from the machine come from the job's seed, a stream for each thread: what a thread draws must not depend
// on how often others have drawn. Files and descriptors of /dev/urandom are served in descriptors.cpp, rand and its kin in libc_random.cpp.
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "runtime/objects.h"
#include "runtime/policy.h"
#include "runtime/real.h"
#include "runtime/time.h"

extern "C" {
std::uint32_t arc4random(void) noexcept;
void arc4random_buf(void*, std::size_t) noexcept;
std::uint32_t arc4random_uniform(std::uint32_t) noexcept;
unsigned random_device_value(void* device) noexcept __asm__("_ZNSt13random_device9_M_getvalEv");
unsigned random_device_value_old(void* device) noexcept __asm__("_ZNSt13random_device16_M_getval_pretr1Ev");
}

namespace treadle {

std::uint64_t program_random() noexcept { return next_random(self().random); }

void fill_randomly(void* to, std::size_t bytes) noexcept {
  auto* out = static_cast<char*>(to);
  while (bytes > 0) {
    const std::uint64_t word = program_random();
    const std::size_t part = bytes < sizeof word ? bytes : sizeof word;
    memcpy(out, &word, part);
    out += part;
    bytes -= part;
  }
}

}  // namespace treadle

using namespace treadle;

extern "C" {

ssize_t getrandom(void* to, std::size_t bytes, unsigned flags) {
  if (native()) return TREADLE_REAL(getrandom)(to, bytes, flags);
  fill_randomly(to, bytes);
  return static_cast<ssize_t>(bytes);
}

int getentropy(void* to, std::size_t bytes) {
  if (native()) return TREADLE_REAL(getentropy)(to, bytes);
  if (bytes > 256) return errno = EIO, -1;
  fill_randomly(to, bytes);
  return 0;
}

std::uint32_t arc4random() noexcept {
  if (native()) return TREADLE_REAL(arc4random)();
  return static_cast<std::uint32_t>(program_random());
}

void arc4random_buf(void* to, std::size_t bytes) noexcept {
  if (native()) return TREADLE_REAL(arc4random_buf)(to, bytes);
  fill_randomly(to, bytes);
}

std::uint32_t arc4random_uniform(std::uint32_t limit) noexcept {
  if (native()) return TREADLE_REAL(arc4random_uniform)(limit);
  return limit < 2 ? 0 : static_cast<std::uint32_t>(program_random() % limit);
}

/// std::random_device: libstdc++ would ask the processor (rdrand, rdseed) without passing libc. Weak, since a program linked with
/// -static-libstdc++ brings its own, which then is beyond our control.
__attribute__((weak)) unsigned random_device_value(void* device) noexcept {
  if (native()) return look_up_real(&random_device_value, "_ZNSt13random_device9_M_getvalEv")(device);
  return static_cast<unsigned>(program_random());
}

__attribute__((weak)) unsigned random_device_value_old(void* device) noexcept {
  if (native()) return look_up_real(&random_device_value_old, "_ZNSt13random_device16_M_getval_pretr1Ev")(device);
  return static_cast<unsigned>(program_random());
}

}  // extern "C"
