// SPDX-License-Identifier: Apache-2.0
// rand, random, drand48 and their kin. libc keeps one state for the whole process, through which threads that draw numbers would influence
// each other without any visible operation. Here each thread has its own: what it draws depends on its name, on the last seed that it or,
// at its creation, its parent has set, and on how many it has drawn. The main thread gets exactly what libc would give it.
#include <stdlib.h>

#include <cstring>

#include "runtime/objects.h"
#include "runtime/real.h"
#include "runtime/time.h"

namespace treadle {

struct ThreadRandom {
  unsigned seed;    // of random
  long seed48;      // of drand48
  bool has_seed48;  // else libc's initial state
  random_data random;
  drand48_data drand48;
  char state[128];  // as large as the one libc starts with
};

namespace {

unsigned for_thread(unsigned seed, const Thread& thread) noexcept {
  return thread.name == 0 ? seed : static_cast<unsigned>((seed ^ thread.name) * 0x9e3779b97f4a7c15ull >> 32);
}

void begin_drand48(ThreadRandom& mine, const Thread& thread) noexcept {
  mine.drand48 = {};
  if (mine.has_seed48 || thread.name != 0)
    srand48_r(static_cast<int>(for_thread(static_cast<unsigned>(mine.seed48), thread)), &mine.drand48);
}

ThreadRandom& begin(Thread& thread, const ThreadRandom* seeds) noexcept {
  auto* mine = arena_new<ThreadRandom>();
  thread.generators = mine;
  mine->seed = seeds == nullptr ? 1 : seeds->seed;
  if (seeds != nullptr) {
    mine->seed48 = seeds->seed48;
    mine->has_seed48 = seeds->has_seed48;
  }
  initstate_r(for_thread(mine->seed, thread), mine->state, sizeof mine->state, &mine->random);
  begin_drand48(*mine, thread);
  return *mine;
}

ThreadRandom& mine() noexcept { return self().generators != nullptr ? *self().generators : begin(self(), nullptr); }

void begin_anew(unsigned seed) noexcept {
  mine().seed = seed;
  srandom_r(for_thread(seed, self()), &mine().random);
}

long next() noexcept {
  int drawn = 0;
  random_r(&mine().random, &drawn);
  return drawn;
}

}  // namespace

void inherit_random(Thread& child) noexcept {
  child.random = (world().job->seed ^ child.name) * 0x9e3779b97f4a7c15ull + 0x7265616474ull;
  if (self().generators != nullptr) begin(child, self().generators);
}

}  // namespace treadle

using namespace treadle;

extern "C" {

void srandom(unsigned seed) noexcept { native() ? TREADLE_REAL(srandom)(seed) : begin_anew(seed); }
void srand(unsigned seed) noexcept { native() ? TREADLE_REAL(srand)(seed) : begin_anew(seed); }

long random() noexcept { return native() ? TREADLE_REAL(random)() : next(); }
int rand() noexcept { return native() ? TREADLE_REAL(rand)() : static_cast<int>(next()); }

char* initstate(unsigned seed, char* state, std::size_t bytes) noexcept {
  if (native()) return TREADLE_REAL(initstate)(seed, state, bytes);
  ThreadRandom& m = mine();
  char* const before = reinterpret_cast<char*>(m.random.state) - sizeof(int);
  if (initstate_r(for_thread(seed, self()), state, bytes, &m.random) != 0) return nullptr;
  m.seed = seed;
  return before;
}

char* setstate(char* state) noexcept {
  if (native()) return TREADLE_REAL(setstate)(state);
  ThreadRandom& m = mine();
  char* const before = reinterpret_cast<char*>(m.random.state) - sizeof(int);
  return setstate_r(state, &m.random) == 0 ? before : nullptr;
}

void srand48(long seed) noexcept {
  if (native()) return TREADLE_REAL(srand48)(seed);
  ThreadRandom& m = mine();
  m.seed48 = seed;
  m.has_seed48 = true;
  begin_drand48(m, self());
}

unsigned short* seed48(unsigned short seed[3]) noexcept {
  if (native()) return TREADLE_REAL(seed48)(seed);
  ThreadRandom& m = mine();
  seed48_r(seed, &m.drand48);
  m.seed48 = static_cast<long>(seed[0]) << 32 ^ static_cast<long>(seed[1]) << 16 ^ seed[2];
  m.has_seed48 = true;
  return m.drand48.__old_x;
}

void lcong48(unsigned short parameters[7]) noexcept {
  if (native()) return TREADLE_REAL(lcong48)(parameters);
  ThreadRandom& m = mine();
  lcong48_r(parameters, &m.drand48);
  m.seed48 = static_cast<long>(parameters[0]) << 32 ^ static_cast<long>(parameters[1]) << 16 ^ parameters[2];
  m.has_seed48 = true;
}

#define TREADLE_DRAWS_48(name, type)           \
  type name() noexcept {                       \
    if (native()) return TREADLE_REAL(name)(); \
    type drawn = 0;                            \
    name##_r(&mine().drand48, &drawn);         \
    return drawn;                              \
  }
TREADLE_DRAWS_48(drand48, double)
TREADLE_DRAWS_48(lrand48, long)
TREADLE_DRAWS_48(mrand48, long)
#undef TREADLE_DRAWS_48

#define TREADLE_DRAWS_48(name, type)                \
  type name(unsigned short state[3]) noexcept {     \
    if (native()) return TREADLE_REAL(name)(state); \
    type drawn = 0;                                 \
    name##_r(state, &mine().drand48, &drawn);       \
    return drawn;                                   \
  }
TREADLE_DRAWS_48(erand48, double)
TREADLE_DRAWS_48(nrand48, long)
TREADLE_DRAWS_48(jrand48, long)
#undef TREADLE_DRAWS_48

}  // extern "C"
