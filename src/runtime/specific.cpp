// SPDX-License-Identifier: Apache-2.0
// Thread-specific data: keys with destructors, and the destructors of thread_local objects. When a thread ends, these come first, the
// newest first; then the keys, in up to four rounds, as in glibc.
#include <pthread.h>

#include <cerrno>

#include "runtime/real.h"
#include "runtime/thread_sync.h"

extern "C" {
int __cxa_thread_atexit_impl(void (*)(void*), void*, void*) noexcept;
int __pthread_key_create(pthread_key_t*, void (*)(void*)) noexcept;
}

namespace treadle {

namespace {

constexpr unsigned kPerBlock = 32;
constexpr unsigned kBlocks = 32;
constexpr unsigned kRounds = 4;  // PTHREAD_DESTRUCTOR_ITERATIONS

struct Key {
  std::uint32_t generation;  // odd: in use. A value counts only for the generation it was set in
  void (*destructor)(void*);
};

struct Value {
  std::uint32_t generation;
  void* data;
};

}  // namespace

struct KeyBlock {
  Key keys[kPerBlock];
};

struct SpecificBlock {
  Value values[kPerBlock];
};

struct ThreadDestructor {
  ThreadDestructor* older;
  void (*call)(void*);
  void* object;
};

namespace {

/// Null when the key does not exist.
Key* find_key(unsigned key) noexcept {
  if (key >= kBlocks * kPerBlock) return nullptr;
  KeyBlock* block = world().sync->keys[key / kPerBlock];
  if (block == nullptr || block->keys[key % kPerBlock].generation % 2 == 0) return nullptr;
  return &block->keys[key % kPerBlock];
}

bool run_one_round() noexcept {
  bool found = false;
  const ThreadSync& mine = my_sync();
  for (unsigned b = 0; b < kBlocks; ++b) {
    SpecificBlock* block = mine.specific[b];
    for (unsigned i = 0; block != nullptr && i < kPerBlock; ++i) {
      Value& value = block->values[i];
      void* const data = value.data;
      if (data == nullptr) continue;
      value.data = nullptr;
      const Key* key = find_key(b * kPerBlock + i);
      if (key == nullptr || key->generation != value.generation || key->destructor == nullptr) continue;
      found = true;
      key->destructor(data);
    }
  }
  return found;
}

}  // namespace

int create_key(unsigned* key, void (*destructor)(void*)) noexcept {
  for (unsigned b = 0; b < kBlocks; ++b) {
    KeyBlock*& block = world().sync->keys[b];
    if (block == nullptr) block = arena_new<KeyBlock>();
    for (unsigned i = 0; i < kPerBlock; ++i) {
      if (block->keys[i].generation % 2 == 1) continue;
      ++block->keys[i].generation;
      block->keys[i].destructor = destructor;
      *key = b * kPerBlock + i;
      return 0;
    }
  }
  return EAGAIN;
}

int delete_key(unsigned key) noexcept {
  Key* known = find_key(key);
  if (known == nullptr) return EINVAL;
  ++known->generation;
  return 0;
}

void* get_specific(unsigned key) noexcept {
  const Key* known = find_key(key);
  if (known == nullptr) return nullptr;
  const SpecificBlock* block = my_sync().specific[key / kPerBlock];
  if (block == nullptr) return nullptr;
  const Value& value = block->values[key % kPerBlock];
  return value.generation == known->generation ? value.data : nullptr;
}

int set_specific(unsigned key, const void* data) noexcept {
  const Key* known = find_key(key);
  if (known == nullptr) return EINVAL;
  SpecificBlock*& block = my_sync().specific[key / kPerBlock];
  if (block == nullptr) {
    if (data == nullptr) return 0;
    block = arena_new<SpecificBlock>();
  }
  block->values[key % kPerBlock] = {known->generation, const_cast<void*>(data)};
  return 0;
}

void run_key_destructors() noexcept {
  for (unsigned round = 0; round < kRounds && run_one_round(); ++round) {
  }
}

void run_thread_local_destructors() noexcept {
  ThreadSync& sync = my_sync();
  while (ThreadDestructor* newest = sync.destructors) {
    sync.destructors = newest->older;
    newest->call(newest->object);
  }
}

}  // namespace treadle

using namespace treadle;

extern "C" {

int pthread_key_create(pthread_key_t* key, void (*destructor)(void*)) noexcept {
  return native() ? TREADLE_REAL(pthread_key_create)(key, destructor) : create_key(key, destructor);
}

int __pthread_key_create(pthread_key_t* key, void (*destructor)(void*)) noexcept {
  return native() ? TREADLE_REAL(__pthread_key_create)(key, destructor) : create_key(key, destructor);
}

int pthread_key_delete(pthread_key_t key) noexcept { return native() ? TREADLE_REAL(pthread_key_delete)(key) : delete_key(key); }

void* pthread_getspecific(pthread_key_t key) noexcept { return native() ? TREADLE_REAL(pthread_getspecific)(key) : get_specific(key); }

int pthread_setspecific(pthread_key_t key, const void* value) noexcept {
  return native() ? TREADLE_REAL(pthread_setspecific)(key, value) : set_specific(key, value);
}

/// libstdc++'s __cxa_thread_atexit ends up here.
int __cxa_thread_atexit_impl(void (*call)(void*), void* object, void* library) noexcept {
  if (native()) return TREADLE_REAL(__cxa_thread_atexit_impl)(call, object, library);
  auto* destructor = arena_new<ThreadDestructor>();
  *destructor = {my_sync().destructors, call, object};
  my_sync().destructors = destructor;
  return 0;
}

}  // extern "C"
