/* SPDX-License-Identifier: Apache-2.0 */
/* Calls `function`, then `afterwards(argument, 1)`; when an exception or pthread_exit leaves `function`, `afterwards(argument, 0)` on the
 * way. In C, because a cleanup in C++ would need libstdc++'s personality routine, with which a C program is not linked. */
#ifndef TREADLE_RUNTIME_GUARDED_CALL_H
#define TREADLE_RUNTIME_GUARDED_CALL_H

#ifdef __cplusplus
extern "C"
#endif
    void
    treadle_guarded_call(void (*function)(void), void (*afterwards)(void*, int returned), void* argument);

#endif
