// SPDX-License-Identifier: Apache-2.0
// What one switch between two fibers costs, with the change of FS base that gives each its own TLS. Two switches per iteration.
#include <benchmark/benchmark.h>
#include <immintrin.h>

#include <cstdint>
#include <cstdlib>

extern "C" void treadle_switch(void** save, void* load) noexcept;
extern "C" void treadle_fiber_entry() noexcept;

namespace {

void* main_context;
void* fiber_context;
std::uint64_t fs;

/// A context is a stack that treadle_switch can return from: two words of floating point control, six registers, an address.
void* fresh_stack() {
  constexpr std::size_t bytes = 1 << 16;
  auto* top = reinterpret_cast<std::uint64_t*>(static_cast<char*>(std::aligned_alloc(64, bytes)) + bytes - 64);
  *--top = 0;
  *--top = reinterpret_cast<std::uint64_t>(&treadle_fiber_entry);
  for (int i = 0; i < 6; ++i) *--top = 0;
  *--top = 0x0000037f00001f80;  // fpu control word, mxcsr
  return top;
}

void there_and_back(benchmark::State& state) {
  fs = _readfsbase_u64();
  fiber_context = fresh_stack();
  for (auto _ : state) {
    _writefsbase_u64(fs);
    treadle_switch(&main_context, fiber_context);
  }
}
BENCHMARK(there_and_back);

}  // namespace

extern "C" void treadle_fiber_body() noexcept {
  for (;;) {
    _writefsbase_u64(fs);
    treadle_switch(&fiber_context, main_context);
  }
}

BENCHMARK_MAIN();
