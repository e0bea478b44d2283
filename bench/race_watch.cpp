// SPDX-License-Identifier: Apache-2.0
// What it costs to look at a rehearsed execution of fifty events for races (src/explore/race_watch.h).
#include "explore/race_watch.h"

#include <benchmark/benchmark.h>

#include "trace/made_up.h"

namespace {

using namespace treadle;

Trace critical_sections() {
  constexpr std::uint64_t variable = 0x1000, mutex = 0x3000;
  MadeUpTrace made;
  made.event(0, TREADLE_EV_THREAD_CREATE, 0, 1);
  made.event(0, TREADLE_EV_THREAD_CREATE, 0, 2);
  for (int i = 0; i < 8; ++i)
    for (const unsigned thread : {1u, 2u}) {
      made.event(thread, TREADLE_EV_LOCK, mutex, 1);
      made.event(thread, TREADLE_EV_WRITE, variable, 0, 0, thread, 4);
      made.event(thread, TREADLE_EV_UNLOCK, mutex, 0);
    }
  return made.trace;
}

void look_at_fifty_events(benchmark::State& state) {
  const Trace trace = critical_sections();
  RaceWatch watch;
  for (auto _ : state) benchmark::DoNotOptimize(watch.look_at(trace).size());
}
BENCHMARK(look_at_fifty_events);

}  // namespace

BENCHMARK_MAIN();
