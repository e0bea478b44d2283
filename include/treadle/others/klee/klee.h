/* SPDX-License-Identifier: Apache-2.0 */
/* KLEE's names, for programs written for it: they compile as they are, and leave their inputs to Treadle. Only taken when neither the
 * project nor the system has a header of this name. */
#ifndef TREADLE_OTHERS_KLEE_H
#define TREADLE_OTHERS_KLEE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Inputs. A range ends before `end`; klee_choose gives a number below n. */
void klee_make_symbolic(void *object, size_t bytes, const char *name);
int klee_range(int begin, int end, const char *name);
int klee_int(const char *name);
uintptr_t klee_choose(uintptr_t n);

/* What holds, what must hold, and other ways to end. */
void klee_assume(uintptr_t condition);
__attribute__((noreturn)) void klee_assert_fail(const char *condition, const char *file, unsigned line, const char *function);
__attribute__((noreturn)) void klee_report_error(const char *file, int line, const char *message, const char *suffix);
__attribute__((noreturn)) void klee_abort(void);
__attribute__((noreturn)) void klee_silent_exit(int status);
#define klee_assert(condition) ((condition) ? (void)0 : klee_assert_fail(#condition, __FILE__, __LINE__, __PRETTY_FUNCTION__))

/* Memory. */
void klee_check_memory_access(const void *address, size_t bytes);
void klee_define_fixed_object(void *address, size_t bytes);
size_t klee_get_obj_size(void *object);
int klee_get_errno(void);

/* Treadle gives these back as they are, and goes on with all their values. */
float klee_get_valuef(float value);
double klee_get_valued(double value);
long klee_get_valuel(long value);
long long klee_get_valuell(long long value);
int32_t klee_get_value_i32(int32_t value);
int64_t klee_get_value_i64(int64_t value);

/* Always 0: a program under Treadle runs with values. */
unsigned klee_is_symbolic(uintptr_t value);
unsigned klee_is_replay(void);

/* Advice to KLEE and questions about its state, without effect. */
void klee_prefer_cex(void *object, uintptr_t condition);
void klee_posix_prefer_cex(void *object, uintptr_t condition);
void klee_mark_global(void *object);
void klee_set_forking(unsigned enable);
void klee_open_merge(void);
void klee_close_merge(void);
void klee_stack_trace(void);
void klee_warning(const char *message);
void klee_warning_once(const char *message);
void klee_print_expr(const char *message, ...);
void klee_print_range(const char *name, int value);

#ifdef __cplusplus
}
#endif

#endif
