// SPDX-License-Identifier: Apache-2.0
#include "pass/known_functions.h"

#include <llvm/ADT/StringMap.h>

namespace treadle {

using namespace llvm;

namespace {

struct Entry {
  Deed deed;
  const char* names;  // separated by blanks
};

// Not here, and for good: cancellation, signals, longjmp, input and output whose contents come back (pipes, files), dlopen.
const Entry catalogue_of_deeds[] = {
    {Deed::Operates,
     "pthread_mutex_init pthread_mutex_destroy pthread_mutex_lock pthread_mutex_trylock pthread_mutex_timedlock pthread_mutex_unlock "
     "pthread_mutex_clocklock pthread_mutex_consistent pthread_mutexattr_init pthread_mutexattr_destroy pthread_mutexattr_settype "
     "pthread_mutexattr_setpshared pthread_mutexattr_setprotocol pthread_mutexattr_setrobust"},
    {Deed::Operates,
     "pthread_rwlock_init pthread_rwlock_destroy pthread_rwlock_rdlock pthread_rwlock_wrlock pthread_rwlock_tryrdlock "
     "pthread_rwlock_trywrlock pthread_rwlock_timedrdlock pthread_rwlock_timedwrlock pthread_rwlock_unlock"},
    {Deed::Operates,
     "pthread_cond_init pthread_cond_destroy pthread_cond_wait pthread_cond_timedwait pthread_cond_clockwait pthread_cond_signal "
     "pthread_cond_broadcast pthread_condattr_init pthread_condattr_destroy pthread_condattr_setclock"},
    {Deed::Operates,
     "pthread_barrier_init pthread_barrier_destroy pthread_barrier_wait pthread_spin_init pthread_spin_destroy pthread_spin_lock "
     "pthread_spin_trylock pthread_spin_unlock sem_init sem_destroy sem_wait sem_trywait sem_timedwait sem_clockwait sem_post"},
    {Deed::Operates,
     "mtx_init mtx_destroy mtx_lock mtx_trylock mtx_timedlock mtx_unlock cnd_init cnd_destroy cnd_wait cnd_timedwait cnd_signal "
     "cnd_broadcast thrd_yield thrd_sleep thrd_detach thrd_current thrd_equal"},
    {Deed::Operates,
     "__errno_location sched_yield pthread_yield usleep nanosleep clock_nanosleep sleep pthread_self pthread_equal pthread_detach "
     "pthread_attr_init "
     "pthread_attr_destroy pthread_attr_setdetachstate pthread_attr_setstacksize pthread_setname_np pthread_setconcurrency"},
    {Deed::Operates,
     "treadle_atomic_begin treadle_atomic_end __VERIFIER_atomic_begin __VERIFIER_atomic_end __cxa_guard_acquire __cxa_guard_release "
     "__cxa_guard_abort __cxa_begin_catch __cxa_end_catch __cxa_free_exception __cxa_get_exception_ptr"},
    {Deed::Operates,
     "_ZNSt6thread4joinEv _ZNSt6thread6detachEv _ZNSt6thread20hardware_concurrencyEv _ZNSt6thread6_StateD2Ev "
     "_ZNSt18condition_variableC1Ev _ZNSt18condition_variableD1Ev _ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE "
     "_ZNSt18condition_variable10notify_oneEv _ZNSt18condition_variable10notify_allEv _ZNSt8ios_base4InitC1Ev _ZNSt8ios_base4InitD1Ev"},
    // Those that do not return; the code behind them is gone anyway.
    {Deed::Operates,
     "abort exit _exit _Exit quick_exit __assert_fail __assert_perror_fail reach_error __VERIFIER_error _ZSt9terminatev __cxa_throw "
     "klee_assert_fail klee_report_error klee_abort klee_silent_exit "
     "__cxa_rethrow _Unwind_Resume __stack_chk_fail __cxa_pure_virtual __cxa_bad_cast __cxa_throw_bad_array_new_length"},
    {Deed::Prints, "printf vprintf puts putchar putc fputc fputs fprintf vfprintf fflush perror fwrite treadle_observe"},
    {Deed::Prints, "__printf_chk __fprintf_chk __vprintf_chk __vfprintf_chk putchar_unlocked fputs_unlocked"},
    {Deed::Prints,
     "klee_warning klee_warning_once klee_print_expr klee_print_range klee_prefer_cex klee_posix_prefer_cex klee_mark_global "
     "klee_set_forking klee_open_merge klee_close_merge klee_merge klee_stack_trace"},
    {Deed::Prints,
     "__CrestInit __CrestLoad __CrestStore __CrestClearStack __CrestApply1 __CrestApply2 __CrestBranch __CrestCall __CrestReturn "
     "__CrestHandleReturn"},
    {Deed::Computes, "abs labs llabs toupper tolower"},
    {Deed::Computes,
     "sin cos tan asin acos atan atan2 sinh cosh tanh exp exp2 log log2 log10 pow sqrt cbrt hypot fabs floor ceil round trunc fmod fmin "
     "fmax sinf cosf sqrtf powf expf logf fabsf floorf ceilf lround llround lrint rint"},
    {Deed::Computes,
     "memcpy memmove mempcpy memset bcopy bzero explicit_bzero memcmp bcmp memchr memrchr memmem strlen strnlen strcpy stpcpy strncpy "
     "stpncpy strcat strncat strcmp strncmp strcasecmp strncasecmp strcoll strchr strchrnul index strrchr rindex strstr strcasestr strspn "
     "strcspn strpbrk __memcpy_chk __memmove_chk __memset_chk __strcpy_chk __strncpy_chk __strcat_chk __strncat_chk"},
    {Deed::ReadsText, "atoi atol atoll atof strtol strtoul strtoll strtoull strtod strtof __isoc23_strtol __isoc23_strtoul"},
    {Deed::Allocates,
     "malloc calloc free aligned_alloc memalign valloc __cxa_allocate_exception _Znwm _Znam _ZnwmRKSt9nothrow_t _ZnamRKSt9nothrow_t "
     "_ZnwmSt11align_val_t _ZnamSt11align_val_t _ZdlPv _ZdaPv _ZdlPvm _ZdaPvm _ZdlPvSt11align_val_t _ZdlPvmSt11align_val_t"},
    {Deed::AsksForInput,
     "treadle_input_int treadle_input_unsigned treadle_input_int64 treadle_input_byte treadle_input_bool treadle_input_range "
     "__VERIFIER_nondet_int __VERIFIER_nondet_uint __VERIFIER_nondet_bool __VERIFIER_nondet_char __VERIFIER_nondet_uchar "
     "__VERIFIER_nondet_short __VERIFIER_nondet_ushort __VERIFIER_nondet_long __VERIFIER_nondet_ulong __VERIFIER_nondet_longlong "
     "__VERIFIER_nondet_ulonglong __VERIFIER_nondet_size_t __VERIFIER_nondet_loff_t __VERIFIER_nondet_pointer __VERIFIER_nondet_float "
     "__VERIFIER_nondet_double rand random lrand48 mrand48 drand48"},
    {Deed::FillsIn, "sem_getvalue clock_gettime clock_getres gettimeofday time timespec_get clock pthread_getname_np"},
    {Deed::Assumes, "treadle_assume __VERIFIER_assume klee_assume"},
    {Deed::SetsSpecific, "pthread_setspecific tss_set"},
    {Deed::GetsSpecific, "pthread_getspecific tss_get"},
    {Deed::StartsThread, "pthread_create thrd_create"},
    {Deed::Joins, "pthread_join thrd_join pthread_timedjoin_np pthread_tryjoin_np pthread_clockjoin_np"},
    {Deed::EndsThread, "pthread_exit thrd_exit"},
    {Deed::CallsBack,
     "pthread_once call_once atexit at_quick_exit __cxa_atexit __cxa_thread_atexit pthread_key_create tss_create pthread_key_delete "
     "tss_delete _ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE"},
};

}  // namespace

Deed deed_of(const Function& function) {
  static const StringMap<Deed> by_name = [] {
    StringMap<Deed> map;
    for (const Entry& entry : catalogue_of_deeds) {
      SmallVector<StringRef, 32> names;
      StringRef(entry.names).split(names, ' ', -1, /*KeepEmpty=*/false);
      for (StringRef name : names) map[name] = entry.deed;
    }
    return map;
  }();
  if (function.getName().starts_with("_ZSt") && function.getName().contains("__throw_")) return Deed::Operates;  // std::__throw_...
  return by_name.lookup(function.getName());
}

ThreadArguments thread_arguments(const Function& starter) {
  return starter.getName() == "pthread_create" ? ThreadArguments{2, 3} : ThreadArguments{1, 2};
}

}  // namespace treadle
