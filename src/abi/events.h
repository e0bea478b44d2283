/* SPDX-License-Identifier: Apache-2.0 */
/* The records that a program under test leaves behind, one per event. Part of the fence between guest
 * (runtime, in the program's process) and host: C, self-contained, layouts pinned by static_assert.
 *
 * One catalogue, so that the runtime, the reader, the text form and the validator cannot disagree:
 *   X(NAME, "text-name", CLASS)
 * CLASS: PLAIN     plain memory access (visible only with --races=explore)
 *        ATOMIC    atomic access or fence, always a visible operation
 *        SYNC      synchronisation call, always a visible operation
 *        NOTE      recorded, never a scheduling point
 *        TROUBLE   a finding that does not end the execution (race, misuse, leak)
 */
#ifndef TREADLE_ABI_EVENTS_H
#define TREADLE_ABI_EVENTS_H

#include <stddef.h>
#include <stdint.h>

/* address / value / extra, per kind, stand in the comment. */
#define TREADLE_EVENT_KINDS(X)                                                                                                        \
  X(NONE, "none", NOTE)                                                                                                               \
  /* plain memory: address, value, size in `size` (or in extra for ranges, value = 0) */                                              \
  X(READ, "read", PLAIN)                                                                                                              \
  X(WRITE, "write", PLAIN)                                                                                                            \
  X(RANGE_READ, "range-read", PLAIN)                                                                                                  \
  X(RANGE_WRITE, "range-write", PLAIN)                                                                                                \
  /* atomics: address; value = value read or stored; extra = value left behind by an RMW or CAS, or overwritten by a store */         \
  X(ATOMIC_READ, "atomic-read", ATOMIC)                                                                                               \
  X(ATOMIC_WRITE, "atomic-write", ATOMIC)                                                                                             \
  X(RMW, "rmw", ATOMIC)                                                                                                               \
  X(CAS_OK, "cas", ATOMIC)                                                                                                            \
  X(CAS_FAIL, "cas-fail", ATOMIC) /* extra = value expected */                                                                        \
  X(FENCE, "fence", ATOMIC)                                                                                                           \
  X(FLUSH, "flush", ATOMIC) /* TSO, PSO: a buffered store reaches memory; address, value, size; extra = its event */                  \
  /* woken after a fruitless iteration of a loop; address = one location it watches, extra = how many; value = visible steps of it */ \
  X(SPIN, "spin", SYNC)                                                                                                               \
  /* threads: value = the other thread */                                                                                             \
  X(THREAD_CREATE, "create", SYNC)                                                                                                    \
  X(THREAD_START, "start", SYNC)                                                                                                      \
  X(THREAD_EXIT, "exit-thread", SYNC) /* value = its result */                                                                        \
  X(THREAD_JOIN, "join", SYNC)        /* extra = 0, or an errno; size = 1: need not wait */                                           \
  X(THREAD_DETACH, "detach", SYNC)                                                                                                    \
  X(THREAD_CANCEL, "cancel", SYNC)                                                                                                    \
  X(TEST_CANCEL, "test-cancel", SYNC) /* value = 1 when the thread is cancelled here */                                               \
  X(YIELD, "yield", SYNC)                                                                                                             \
  X(SLEEP, "sleep", SYNC)                 /* value = nanoseconds */                                                                   \
  /* value = thread, extra = signal number, or 0; size: one of TREADLE_SIGNAL_* */                                                    \
  X(SIGNAL_THREAD, "signal-thread", SYNC)                                                                                             \
  /* mutex: address = object; extra = result (0 or errno); value = recursion depth after the operation */                             \
  X(MUTEX_INIT, "mutex-init", NOTE)                                                                                                   \
  X(MUTEX_DESTROY, "mutex-destroy", SYNC)                                                                                             \
  X(LOCK, "lock", SYNC)                                                                                                               \
  X(TRYLOCK, "trylock", SYNC)                                                                                                         \
  X(TIMEDLOCK, "timedlock", SYNC)                                                                                                     \
  /* extra = EOWNERDEAD: its thread ends, and it was robust; size = 1: nobody made it consistent, nobody can lock it any more */        \
  X(UNLOCK, "unlock", SYNC)                                                                                                           \
  /* readers-writer lock: value = readers after the operation, extra = result */                                                      \
  X(RWLOCK_INIT, "rwlock-init", NOTE)                                                                                                 \
  X(RWLOCK_DESTROY, "rwlock-destroy", SYNC)                                                                                           \
  X(RDLOCK, "rdlock", SYNC)                                                                                                           \
  X(WRLOCK, "wrlock", SYNC)                                                                                                           \
  X(TRYRDLOCK, "tryrdlock", SYNC)                                                                                                     \
  X(TRYWRLOCK, "trywrlock", SYNC)                                                                                                     \
  X(TIMEDRDLOCK, "timedrdlock", SYNC)                                                                                                 \
  X(TIMEDWRLOCK, "timedwrlock", SYNC)                                                                                                 \
  X(RWUNLOCK, "rwunlock", SYNC) /* value = readers left, extra = 1 when a writer left */                                              \
  /* condition variable, wait in three steps: WAIT releases the mutex and starts waiting; WOKEN leaves the                            \
     condition variable (extra: 0 signalled, 1 timed out, 2 spurious, 3 cancelled); LOCK takes the mutex back */                      \
  X(COND_INIT, "cond-init", NOTE)                                                                                                     \
  X(COND_DESTROY, "cond-destroy", SYNC)                                                                                               \
  X(COND_WAIT, "cond-wait", SYNC)      /* address = condvar, value = mutex */                                                         \
  X(COND_WOKEN, "cond-woken", SYNC)    /* address = condvar, value = mutex */                                                         \
  X(COND_SIGNAL, "signal", SYNC)       /* value = thread woken + 1, or 0 */                                                           \
  X(COND_BROADCAST, "broadcast", SYNC) /* value = how many were woken */                                                              \
  /* barrier, semaphore, spinlock, once */                                                                                            \
  X(BARRIER_INIT, "barrier-init", NOTE)                                                                                               \
  X(BARRIER_DESTROY, "barrier-destroy", SYNC)                                                                                         \
  X(BARRIER_ARRIVE, "barrier-arrive", SYNC) /* value = arrived so far, extra = generation, size = 1: result unused */                 \
  X(BARRIER_LEAVE, "barrier-leave", SYNC)   /* extra = generation */                                                                  \
  X(SEM_INIT, "sem-init", NOTE)                                                                                                       \
  X(SEM_DESTROY, "sem-destroy", SYNC)                                                                                                 \
  X(SEM_WAIT, "sem-wait", SYNC) /* value = count after, extra = result */                                                             \
  X(SEM_TRYWAIT, "sem-trywait", SYNC)                                                                                                 \
  X(SEM_TIMEDWAIT, "sem-timedwait", SYNC)                                                                                             \
  X(SEM_POST, "sem-post", SYNC)                                                                                                       \
  X(SEM_GETVALUE, "sem-getvalue", SYNC)                                                                                               \
  X(SPIN_INIT, "spin-init", NOTE)                                                                                                     \
  X(SPIN_DESTROY, "spin-destroy", SYNC)                                                                                               \
  X(SPIN_LOCK, "spin-lock", SYNC)                                                                                                     \
  X(SPIN_TRYLOCK, "spin-trylock", SYNC)                                                                                               \
  X(SPIN_UNLOCK, "spin-unlock", SYNC)                                                                                                 \
  X(ONCE_BEGIN, "once-begin", SYNC) /* value = 1 when this thread runs the initialiser, 0 when it was done */                         \
  X(ONCE_END, "once-end", SYNC)                                                                                                       \
  X(FUTEX_WAIT, "futex-wait", SYNC)   /* value = word seen, extra = 0 sleeps, else errno returned at once */                          \
  X(FUTEX_WOKEN, "futex-woken", SYNC) /* value = 1 + event that woke it, or 0; extra = 0 woken, 1 timed out */                        \
  X(FUTEX_WAKE, "futex-wake", SYNC)   /* value = how many were woken */                                                               \
  /* blocking input/output among the program's own threads: address = fd, value = result, extra = errno */                            \
  X(FD_READ, "fd-read", SYNC)                                                                                                         \
  X(FD_WRITE, "fd-write", SYNC)                                                                                                       \
  X(FD_POLL, "fd-poll", SYNC)                                                                                                         \
  X(FD_CLOSE, "fd-close", SYNC)                                                                                                       \
  /* memory blocks: address, value = size */                                                                                          \
  X(ALLOC, "alloc", NOTE)                                                                                                             \
  X(FREE, "free", NOTE)                                                                                                               \
  /* what the program tells us: name in the text region (address = offset, size in extra), value */                                   \
  X(OBSERVE, "observe", NOTE)                                                                                                         \
  X(INPUT, "input", NOTE)                                                                                                             \
  X(CLOCK, "clock", NOTE) /* value = virtual nanoseconds handed out */                                                                \
  X(REGION_BEGIN, "atomic-begin", NOTE)                                                                                               \
  X(REGION_END, "atomic-end", NOTE)                                                                                                   \
  /* an iteration of a loop that may spin, before its first visible operation: address = loop, value = hash of all it starts from,    \
     extra = 1: some of that was carried from the iteration before; address and value 0, in front of a SPIN: nothing is known of the  \
     iteration that ends there */                                                                                                     \
  X(ITERATION, "iteration", NOTE)                                                                                                     \
  X(OPAQUE_ASM, "inline-asm", NOTE) /* unmodelled inline assembly was executed at pc */                                               \
  /* __VERIFIER_atomic_*: no other thread runs in between; value = depth */                                                           \
  X(EXCLUSIVE_BEGIN, "exclusive-begin", SYNC)                                                                                         \
  X(EXCLUSIVE_END, "exclusive-end", SYNC)                                                                                             \
  X(EXIT, "exit", SYNC) /* value = exit status */                                                                                     \
  /* findings that do not end the execution */                                                                                        \
  X(RACE, "race", TROUBLE)             /* address; value = pc of the earlier access; extra = TREADLE_RACE_* | thread<<8 | size<<16 */ \
  X(MISUSE, "misuse", TROUBLE)         /* address = object; value = TREADLE_MISUSE_*; extra = other object or thread */               \
  X(LEAK, "leak", TROUBLE)             /* address; value = size; extra = TREADLE_LEAK_* */                                            \
  X(HEAP_ERROR, "heap-error", TROUBLE) /* address; value = TREADLE_HEAP_*; extra = base of the block */                               \
  /* a thread that follows a recording, when it leaves its way and at the end: value = blocks entered as recorded, extra =            \
     TREADLE_ON_THE_PATH, …; address = mark of the block that it should not have entered (abi/follow.h) */                          \
  X(PATH, "path", NOTE)                                                                                                               \
  X(FAIL, "fail", SYNC) /* TREADLE_POLICY_PATIENT: what ends the execution, a step of its own */

typedef enum {
#define X(name, text, class_) TREADLE_EV_##name,
  TREADLE_EVENT_KINDS(X)
#undef X
      TREADLE_EV_COUNT
} TreadleEventKind;

typedef struct {
  uint8_t kind;   /* TreadleEventKind */
  uint8_t thread; /* stable thread number, see TreadleThreadName */
  uint8_t size;   /* bytes of a scalar access */
  uint8_t order;  /* C11 memory order (0 relaxed, 1 consume, 2 acquire, 3 release, 4 acq_rel, 5 seq_cst), low 3 bits;
                     TREADLE_ORDER_BUFFERED; bit 7: volatile */
  uint32_t step;  /* index of the decision in whose course it happened */
  uint64_t pc;    /* return address in the program */
  uint64_t address;
  uint64_t value;
  uint64_t extra;
} TreadleEvent;

/* SIGNAL_THREAD.size: what it is about besides that thread */
#define TREADLE_SIGNAL_TO_THREAD 0u
#define TREADLE_SIGNAL_AWAITED 1u    /* its thread waited for one that is sent to it or to the process */
#define TREADLE_SIGNAL_OF_PROCESS 2u /* sent to the process, or a look at what is pending, or at who blocks what */

/* A store that went into its thread's store buffer (a FLUSH will follow); a load that was served by it, wholly. */
#define TREADLE_ORDER_BUFFERED 0x40u

/* RACE.extra, low byte */
#define TREADLE_RACE_EARLIER_WRITES 1u
#define TREADLE_RACE_LATER_WRITES 2u
#define TREADLE_RACE_EARLIER_ATOMIC 4u
#define TREADLE_RACE_LATER_ATOMIC 8u

#define TREADLE_MISUSES(X)                                                             \
  X(UNINITIALISED_MUTEX, "a mutex is used that was never initialised")                 \
  X(UNINITIALISED_COND, "a condition variable is used that was never initialised")     \
  X(UNINITIALISED_RWLOCK, "a readers-writer lock is used that was never initialised")  \
  X(UNINITIALISED_SEM, "a semaphore is used that was never initialised")               \
  X(UNINITIALISED_BARRIER, "a barrier is used that was never initialised")             \
  X(DESTROYED_OBJECT, "a synchronisation object is used after it was destroyed")       \
  X(NOT_DESTROYED, "a synchronisation object is not destroyed at exit")                \
  X(UNLOCK_NOT_OWNER, "a mutex is unlocked by a thread that does not hold it")         \
  X(UNLOCK_NOT_LOCKED, "a mutex is unlocked that nobody holds")                        \
  X(RELOCK, "a thread locks a normal mutex that it holds already")                     \
  X(COND_TWO_MUTEXES, "one condition variable is waited on with two mutexes")          \
  X(COND_WAIT_UNLOCKED, "a condition variable is waited on without holding the mutex") \
  X(DESTROY_IN_USE, "a synchronisation object is destroyed while threads use it")      \
  X(REINITIALISED, "a synchronisation object is initialised again while in use")       \
  X(MAIN_LEFT_EARLY, "the program ends while threads are still running")               \
  X(JOIN_TWICE, "a thread is joined or detached twice")                                \
  X(JOIN_SELF, "a thread joins itself")                                                \
  X(EXIT_HOLDING_LOCK, "a thread ends while it holds a lock")                          \
  X(THREAD_NOT_JOINED, "a thread is neither joined nor detached")                      \
  X(SEM_OVERFLOW, "a semaphore is posted beyond its maximum")

typedef enum {
#define X(name, text) TREADLE_MISUSE_##name,
  TREADLE_MISUSES(X)
#undef X
      TREADLE_MISUSE_COUNT
} TreadleMisuse;

enum { TREADLE_LEAK_MEMORY, TREADLE_LEAK_THREAD, TREADLE_LEAK_MUTEX };

#define TREADLE_HEAP_ERRORS(X)                                    \
  X(USE_AFTER_FREE_READ, "read of freed memory")                  \
  X(USE_AFTER_FREE_WRITE, "write to freed memory")                \
  X(OUT_OF_BOUNDS_READ, "read outside the block it belongs to")   \
  X(OUT_OF_BOUNDS_WRITE, "write outside the block it belongs to") \
  X(DOUBLE_FREE, "block freed twice")                             \
  X(INVALID_FREE, "free of something that is not a block")

typedef enum {
#define X(name, text) TREADLE_HEAP_##name,
  TREADLE_HEAP_ERRORS(X)
#undef X
      TREADLE_HEAP_COUNT
} TreadleHeapError;

#ifdef __cplusplus
static_assert(sizeof(TreadleEvent) == 40 && offsetof(TreadleEvent, pc) == 8, "record layout is the fence");
static_assert(TREADLE_EV_COUNT <= 255, "a kind is one byte");
#endif

#endif
