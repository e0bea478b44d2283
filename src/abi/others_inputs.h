/* SPDX-License-Identifier: Apache-2.0 */
/* The names of KLEE and CREST that are the same when a program is checked and when it is recorded. */
#ifndef TREADLE_ABI_OTHERS_INPUTS_H
#define TREADLE_ABI_OTHERS_INPUTS_H

#include <stdint.h>

/* X(name, type, what a report calls it) for each function of CREST that makes a variable an input: CREST_int(x) is __CrestInt(&x). */
// clang-format off
#define TREADLE_CREST_INPUTS(X) \
  X(Char, char, "CREST_char") \
  X(UChar, unsigned char, "CREST_unsigned_char") \
  X(Short, short, "CREST_short") \
  X(UShort, unsigned short, "CREST_unsigned_short") \
  X(Int, int, "CREST_int") \
  X(UInt, unsigned, "CREST_unsigned_int") \
  X(Long, long, "CREST_long") \
  X(ULong, unsigned long, "CREST_unsigned_long") \
  X(LongLong, long long, "CREST_long_long") \
  X(ULongLong, unsigned long long, "CREST_unsigned_long_long") \
  X(Float, float, "CREST_float") \
  X(Double, double, "CREST_double")

/* X(declaration) for each function that advises an engine, or asks it to print, and changes nothing that a program can see. */
#define TREADLE_ADVICE(X) \
  X(void klee_prefer_cex(void*, uintptr_t)) \
  X(void klee_posix_prefer_cex(void*, uintptr_t)) \
  X(void klee_mark_global(void*)) \
  X(void klee_set_forking(unsigned)) \
  X(void klee_open_merge()) \
  X(void klee_close_merge()) \
  X(void klee_merge()) \
  X(void klee_stack_trace()) \
  X(void klee_warning(const char*)) \
  X(void klee_warning_once(const char*)) \
  X(void klee_print_expr(const char*, ...)) \
  X(void klee_print_range(const char*, int)) \
  X(void __CrestInit()) \
  X(void __CrestLoad(int, unsigned long, long long)) \
  X(void __CrestStore(int, unsigned long)) \
  X(void __CrestClearStack(int)) \
  X(void __CrestApply1(int, int, long long)) \
  X(void __CrestApply2(int, int, long long)) \
  X(void __CrestBranch(int, int, unsigned char)) \
  X(void __CrestCall(int, unsigned)) \
  X(void __CrestReturn(int)) \
  X(void __CrestHandleReturn(int, long long))
// clang-format on

#endif
