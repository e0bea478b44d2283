/* SPDX-License-Identifier: Apache-2.0 */
/* The inputs of SV-COMP that return an integer, __VERIFIER_nondet_NAME: what checking and recording both stand in for. */
#ifndef TREADLE_ABI_VERIFIER_INPUTS_H
#define TREADLE_ABI_VERIFIER_INPUTS_H

#include <stddef.h>
#include <stdint.h>

/* X(name, type) for each. */
// clang-format off
#define TREADLE_VERIFIER_INTEGERS(X) \
  X(int, int) \
  X(uint, unsigned) \
  X(unsigned, unsigned) \
  X(unsigned_int, unsigned) \
  X(long, long) \
  X(ulong, unsigned long) \
  X(longlong, long long) \
  X(ulonglong, unsigned long long) \
  X(char, char) \
  X(schar, signed char) \
  X(uchar, unsigned char) \
  X(unsigned_char, unsigned char) \
  X(short, short) \
  X(ushort, unsigned short) \
  X(size_t, size_t) \
  X(u8, uint8_t) \
  X(u16, uint16_t) \
  X(u32, uint32_t) \
  X(u64, uint64_t) \
  X(U8, uint8_t) \
  X(U16, uint16_t) \
  X(U32, uint32_t) \
  X(U64, uint64_t) \
  X(S8, int8_t) \
  X(S16, int16_t) \
  X(S32, int32_t) \
  X(S64, int64_t) \
  X(loff_t, long) \
  X(sector_t, unsigned long) \
  X(pthread_t, unsigned long)
// clang-format on

#endif
