/* SPDX-License-Identifier: Apache-2.0 */
/* What a program under test may tell Treadle. All of it is optional, and all of it works without Treadle's definitions being
 * linked: a binary built with `treadle cc` and started by itself runs natively, with these as plain functions. */
#ifndef TREADLE_TREADLE_H
#define TREADLE_TREADLE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The value of `name` at the end of this execution; `treadle check --outcomes` lists the distinct combinations seen. Calling it
 * again with the same name replaces the value. */
void treadle_observe(const char* name, int64_t value);

/* An input of the program: any value of its type, chosen by Treadle. */
int treadle_input_int(const char* name);
unsigned treadle_input_unsigned(const char* name);
int64_t treadle_input_int64(const char* name);
uint8_t treadle_input_byte(const char* name);
int treadle_input_bool(const char* name);
int treadle_input_range(const char* name, int lowest, int highest);

/* 1 while Treadle decides what happens next, 0 in a native run. */
int treadle_in_control(void);

/* Executions in which `condition` is false do not count. */
void treadle_assume(int condition);

/* The accesses in between are meant to be atomic: a violation is worth a report. They do not exclude other threads. */
void treadle_atomic_begin(void);
void treadle_atomic_end(void);

/* In front of the definition of a function: its calls are meant to be atomic, however they end. */
#if defined(__clang__)
#define TREADLE_ATOMIC __attribute__((annotate("treadle_atomic")))
#else
#define TREADLE_ATOMIC
#endif

#ifdef __cplusplus
}

namespace treadle {

/// What its scope does is meant to be atomic.
class AtomicRegion {
 public:
  AtomicRegion() noexcept { treadle_atomic_begin(); }
  ~AtomicRegion() { treadle_atomic_end(); }
  AtomicRegion(const AtomicRegion&) = delete;
  AtomicRegion& operator=(const AtomicRegion&) = delete;
};

}  // namespace treadle
#endif
#endif
