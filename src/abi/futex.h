/* SPDX-License-Identifier: Apache-2.0 */
/* FUTEX_WAKE in detail (events.h): `extra` is how many are woken at most, and these; `size` is 1 where the program does not use the result.
 */
#ifndef TREADLE_ABI_FUTEX_H
#define TREADLE_ABI_FUTEX_H

#define TREADLE_FUTEX_SOME_BITS (1ull << 32) /* only those who wait with one of some bits */
#define TREADLE_FUTEX_REQUEUES (1ull << 33)  /* others wait elsewhere from then on, or nothing is done since the word has changed */

#endif
