/* SPDX-License-Identifier: Apache-2.0 */
/* The one piece of memory that host and program share, and where the runtime keeps things.
 *
 * The host posts a batch of jobs and wakes the guest; the guest runs them one after another, each appending its events, choices and
 * texts, fills in one result per job, and counts `results_done` up after each. The host trusts nothing it reads here.
 */
#ifndef TREADLE_ABI_SHARED_BLOCK_H
#define TREADLE_ABI_SHARED_BLOCK_H

#include <stdint.h>

#include "abi/events.h"
#include "abi/symbolic.h"

#define TREADLE_ABI_VERSION 8u
#define TREADLE_MAGIC 0x656c646165727431ull /* "1treadle" */

/* Environment of the program: number of the descriptor that holds the shared block. Absent: run natively. */
#define TREADLE_ENV_FD "TREADLE_SHARED_FD"

#define TREADLE_MAX_THREADS 250u
#define TREADLE_MAX_BATCH 256u
#define TREADLE_SHORT_BATCH 8u /* executions, at most: over before a process that sleeps has woken up */
#define TREADLE_MAX_PENDING 8192u
#define TREADLE_MAX_ARGUMENT_BYTES 4096u

/* ---- fixed places in the program's address space (ASLR is off) ---- */
#define TREADLE_AT_SHARED 0x200000000000ull
#define TREADLE_AT_ARENA 0x210000000000ull     /* the runtime's own state: bump arena, copied by snapshots */
#define TREADLE_ARENA_BYTES 0x000400000000ull  /* 16 GiB reserved, touched as needed */
#define TREADLE_AT_SNAPSHOTS 0x218000000000ull /* saved images: outside everything that is restored */
#define TREADLE_SNAPSHOTS_BYTES 0x001000000000ull
#define TREADLE_AT_STACKS 0x220000000000ull  /* thread t: [AT_STACKS + t * STACK_SLOT, + STACK_SLOT) */
#define TREADLE_STACK_SLOT 0x000008000000ull /* 128 MiB; the lowest page is a guard; the top 1 MiB holds its TLS */
#define TREADLE_TLS_BYTES 0x000000100000ull
#define TREADLE_AT_HEAP 0x310000000000ull        /* thread t: [AT_HEAP + t * HEAP_SLOT, + HEAP_SLOT) */
#define TREADLE_HEAP_SLOT 0x000100000000ull      /* 4 GiB */
#define TREADLE_AT_MAPPINGS 0x330000000000ull    /* what the program maps itself, one after another */
#define TREADLE_MAPPINGS_BYTES 0x010000000000ull /* 1 TiB */
#define TREADLE_AT_SHADOW 0x400000000000ull      /* shadow of a: AT_SHADOW + (a & 0xfffffffffff) * 2 */

/* ---- decisions ---- */
typedef enum {
  TREADLE_STEP = 0,     /* thread makes its next step */
  TREADLE_TIMEOUT = 1,  /* the timed wait of thread times out */
  TREADLE_SPURIOUS = 2, /* the condition wait of thread wakes without a signal */
  TREADLE_WAKE = 3,     /* thread signals, and the signal wakes thread `argument` */
  TREADLE_FLUSH = 4,    /* the oldest buffered store of thread (PSO: in its buffer number `argument`) reaches memory */
  TREADLE_ANY = 5,      /* in a prefix only: thread moves in whatever way it can, STEP before WAKE before TIMEOUT before SPURIOUS */
  TREADLE_DECISION_KINDS
} TreadleDecisionKind;

typedef struct {
  uint8_t kind;
  uint8_t thread;
  uint16_t argument;
} TreadleDecision;

/* Choice stream, one entry per decision point, all uint32_t: a head word (count of alternatives), then the alternatives as decisions,
 * the one taken first. With RECORD_CHOICES off the head is absent and only the decision taken is there. */

typedef enum {
  TREADLE_POLICY_CONTINUE = 0, /* after the prefix: keep the running thread while it is enabled, else the lowest number */
  TREADLE_POLICY_RANDOM = 1,   /* uniformly among the alternatives, from the seed */
  TREADLE_POLICY_PCT = 2,      /* random priorities, `pct_depth - 1` change points within `pct_length` steps */
  TREADLE_POLICY_STOP = 3,     /* end the execution after the prefix */
  TREADLE_POLICY_PATIENT = 4,  /* as CONTINUE, and who is about to fail lets the others go on first, as far as they can */
  TREADLE_POLICIES
} TreadlePolicy;

enum { TREADLE_MODEL_SC, TREADLE_MODEL_TSO, TREADLE_MODEL_PSO };
enum { TREADLE_RACES_STOP, TREADLE_RACES_EXPLORE, TREADLE_RACES_IGNORE };

enum {
  TREADLE_RECORD_PLAIN = 1,     /* plain accesses become events (always so with RACES_EXPLORE) */
  TREADLE_RECORD_CHOICES = 2,   /* alternatives at each decision point */
  TREADLE_SPURIOUS_WAKEUPS = 4, /* condition waits may wake without a signal */
  TREADLE_CHECK_LEAKS = 8,      /* report blocks and objects alive at exit */
  TREADLE_SHOW_OUTPUT = 16,     /* the program's stdout and stderr reach the user */
  TREADLE_SPINS_BLOCK =
      64, /* a spin loop's iteration that began within the prefix and led nowhere is not repeated: its thread stands still */
  TREADLE_RECORD_SYMBOLIC = 128, /* a symbolic build keeps expressions and notes (abi/symbolic.h); no snapshots meanwhile */
  TREADLE_SPINS_STOP = 512, /* who goes round a loop in vain with the last step of the prefix, and then leaves it: the execution is over */
  TREADLE_STATUS_MATTERS = 256,   /* an exit status other than 0 is a failure, and what was printed says which */
  TREADLE_STOP_FOR_DEBUGGER = 32, /* call treadle_stop_here() at event `stop_at_event` and at the end */
};

#define TREADLE_MAX_STACK_REQUESTS 8
#define TREADLE_MAX_FRAMES 48

typedef struct {
  uint32_t decision_count; /* prefix: decisions[first_decision …] */
  uint32_t first_decision;
  uint32_t policy;
  uint32_t pct_depth;
  uint32_t pct_length;
  uint32_t flags;
  uint32_t races;
  uint32_t model;
  uint64_t seed;
  uint64_t max_heap_bytes;
  uint32_t max_steps;
  uint32_t max_milliseconds;
  uint32_t input_words; /* lists of inputs (inputs.h), words[first_input …]; for those that are not in them the seed decides */
  uint32_t first_input;
  uint32_t thread_names;                               /* names[0 … thread_names) are known to the host */
  uint32_t save_snapshot_at;                           /* decision index at which a snapshot is saved, or UINT32_MAX */
  uint64_t save_snapshot_as;                           /* its name: any number but 0 that was not used before */
  uint64_t resume_from;                                /* name of the snapshot to go on from; 0, or not there: from the start */
  uint64_t stack_requests[TREADLE_MAX_STACK_REQUESTS]; /* event numbers at which to take a backtrace, UINT64_MAX = none */
  uint64_t stop_at_event;
} TreadleJob;

/* Thread number t > 0 is the `ordinal`-th thread created by thread `parent`. Numbers are handed out on first sight and then
 * stay the same in every execution of a session: the host sends the table back with each job. */
typedef struct {
  uint16_t parent;
  uint16_t ordinal;
} TreadleThreadName;

#define TREADLE_ENDINGS(X)                                                                                              \
  X(NOT_RUN, "not run")                                                                                                 \
  X(COMPLETED, "completed")                   /* detail = exit status; extra = 1: which is a failure, text = printed */ \
  X(ASSERTION, "assertion failed")            /* text */                                                                \
  X(ABORTED, "aborted")                       /* abort() */                                                             \
  X(REACHED_ERROR, "error reached")           /* reach_error, __VERIFIER_error */                                       \
  X(UNCAUGHT_EXCEPTION, "uncaught exception") /* text = type and what() */                                              \
  X(SIGNALLED, "killed by a signal")          /* detail = signal, address at fault, extra = si_code */                  \
  X(STACK_OVERFLOW, "stack overflow")                                                                                   \
  X(HEAP_BROKEN, "heap error") /* detail = TREADLE_HEAP_*, address, extra = block */                                    \
  X(DEADLOCK, "deadlock")      /* everybody is blocked; pending[] says on what */                                       \
  X(LIVELOCK, "livelock")      /* everybody is blocked, at least one in a spin loop */                                  \
  X(STEP_LIMIT, "step limit reached")                                                                                   \
  X(TIME_LIMIT, "time limit reached")                                                                                   \
  X(MEMORY_LIMIT, "memory limit reached")                                                                               \
  X(ASSUMPTION_FAILED, "assumption does not hold")                                                                      \
  X(STOPPED, "stopped after the prefix")                                                                                \
  X(DIVERGED, "the schedule cannot be followed") /* detail = decision index */                                          \
  X(NEEDS_FORK, "cannot be reset in place")      /* text = reason; the host re-runs with fork */                        \
  X(NEEDS_THREADS, "more threads than prepared for")                                                                    \
  X(UNSUPPORTED, "not supported")       /* text = one sentence */                                                       \
  X(HOST_SAW_DEATH, "the process died") /* written by the host only; detail = wait status */                            \
  X(OFF_THE_PATH, "not as recorded")    /* abi/follow.h: no thread can go on along its recorded way */

typedef enum {
#define X(name, text) TREADLE_END_##name,
  TREADLE_ENDINGS(X)
#undef X
      TREADLE_ENDING_COUNT
} TreadleEnding;

typedef struct {
  uint64_t event; /* the request */
  uint32_t thread;
  uint32_t count;
  uint64_t pc[TREADLE_MAX_FRAMES]; /* innermost first */
} TreadleStack;

/* What a thread was about to do when the execution ended. */
typedef struct {
  uint8_t thread;
  uint8_t state;   /* TREADLE_THREAD_* */
  uint8_t kind;    /* pending TreadleEventKind */
  uint8_t enabled; /* 1: could have gone on */
  uint16_t holds;  /* locks held */
  uint8_t size;    /* bytes of a scalar access */
  uint8_t effect;  /* TREADLE_WOULD_*: what it would do if it went on now */
  uint64_t pc;
  uint64_t address;
  uint64_t extra; /* owner of the lock + 1, thread joined + 1, … */
} TreadlePending;

enum { TREADLE_WOULD_WRITE, TREADLE_WOULD_READ /* a compare-exchange, try-lock … that would fail */ };
enum { TREADLE_THREAD_UNUSED, TREADLE_THREAD_READY, TREADLE_THREAD_BLOCKED, TREADLE_THREAD_FINISHED };

typedef struct {
  uint32_t ending; /* TreadleEnding */
  uint32_t thread; /* who ended it */
  uint64_t detail, address, extra, pc;
  uint32_t text_offset, text_length; /* within the texts of this execution, as all places of texts */
  uint64_t first_text, text_bytes;   /* all texts of this execution */
  uint64_t first_event, event_count;
  uint64_t first_choice, choice_words;         /* in the choice region, uint32_t words */
  uint64_t first_expression, expression_count; /* number 0 counted; none at all when not recorded */
  uint64_t first_note, note_count;
  uint32_t steps; /* decisions taken */
  uint32_t preemptions;
  uint32_t thread_names; /* table length afterwards */
  uint32_t first_pending, pending_count;
  uint32_t saved_snapshot; /* 1: it was saved */
  uint32_t resumed_at;     /* decision from which on it was really run: 0 from the start */
  uint32_t inputs_used;
  uint32_t stacks_taken; /* 0: there is nothing in `stacks` and `end_stack`, which are far apart and rarely needed */
  uint32_t unused;
  uint64_t plain_hash; /* over plain accesses, the first of each thread to each location between two synchronisations: same
                          schedule, same hash, also when they are not recorded */
  uint64_t heap_bytes; /* high-water mark */
  TreadleStack stacks[TREADLE_MAX_STACK_REQUESTS];
  TreadleStack end_stack;
} TreadleResult;

enum { TREADLE_CARRIER_RESET, TREADLE_CARRIER_FORK, TREADLE_CARRIER_KERNEL };

enum {
  TREADLE_GUEST_STARTING,
  TREADLE_GUEST_READY,
  TREADLE_GUEST_RUNNING,
  TREADLE_GUEST_REFUSES /* message says why */
};

typedef struct {
  uint64_t magic;
  uint32_t abi_version;
  uint32_t carrier;
  uint32_t prepared_threads; /* how many thread slots to set up */
  uint32_t guest_state;
  uint32_t guest_pid;
  uint32_t posted;                /* futex: batches posted by the host */
  uint32_t finished;              /* futex: batches finished by the guest */
  uint32_t job_count;             /* of the batch posted */
  uint32_t results_done;          /* of the batch posted, counted up by the guest */
  uint32_t running_job;           /* index of the job being run */
  uint32_t shut_down;             /* host asks the guest to leave */
  uint32_t in_place;              /* run the one job in this very process, without fork: for gdb */
  uint32_t arguments_replaceable; /* guest: nothing that ran before main can have seen them */
  uint32_t argument_bytes;        /* host: so many of `arguments` are to replace them before the batch is run; back to 0 by the guest */
  uint64_t execution;             /* serial number of the execution under way, 0 between executions */
  uint64_t interrupt;             /* host: SIGVTALRM is meant for this execution */
  /* byte offsets and capacities of the regions that follow */
  uint64_t decisions_at, decision_capacity;
  uint64_t inputs_at, input_capacity;
  uint64_t events_at, event_capacity;
  uint64_t choices_at, choice_capacity;
  uint64_t texts_at, text_capacity;
  uint64_t expressions_at, expression_capacity;
  uint64_t notes_at, note_capacity;
  uint64_t total_bytes;
  uint64_t events_used, choices_used, texts_used, pending_used, expressions_used, notes_used; /* by the batch so far */
  char message[512];
  char arguments[TREADLE_MAX_ARGUMENT_BYTES]; /* argv[1] and the following, as many and as long as they were, each with its 0 */
  TreadleThreadName names[256];
  TreadlePending pending[TREADLE_MAX_PENDING]; /* of the executions that did not complete */
  TreadleJob jobs[TREADLE_MAX_BATCH];
  TreadleResult results[TREADLE_MAX_BATCH];
} TreadleSharedBlock;

#ifdef __cplusplus
static_assert(sizeof(TreadleDecision) == 4);
static_assert(sizeof(TreadlePending) == 32);
#endif

#endif
