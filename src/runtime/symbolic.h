// SPDX-License-Identifier: Apache-2.0
// The books of a symbolic build (abi/symbolic_hooks.h): expressions, what memory holds, calls under way, notes. One per execution, in the
// arena; what is too large for it has a place of its own that outlives executions. No snapshots are saved or gone on from meanwhile.
#pragma once

#include "abi/branches.h"
#include "abi/symbolic.h"
#include "runtime/symbolic_shadow.h"
#include "runtime/symbolic_table.h"
#include "runtime/world.h"

namespace treadle {

constexpr unsigned kMostArguments = 32;
constexpr std::uint64_t kMostCopied = 4096;  // bytes of a range that are looked at one by one
constexpr std::uint64_t kNoEvent = ~0ull;

struct Passed {
  Expr expression;
  std::uint64_t value;
};

/// A set of them, by number.
struct Arguments {
  std::uint32_t present;
  Passed at[kMostArguments];
};

struct ThreadSymbolic {
  Arguments arguments;   // of the call about to be made
  const void* called;    // which is to this function; null: none is under way
  Arguments parameters;  // of the function entered last
  Arguments returned;    // by part of what is returned
  Passed result;         // of its function, when it has ended
  const void* returned_by;
};

struct SymbolicState {
  ExpressionTable table;
  ExpressionShadow shadow;
  std::uint64_t* noted_by;  // by expression: execution << 8 | thread + 1 that has noted that it holds
  TreadleNote* notes;
  std::uint64_t note_count, note_capacity;
  ThreadSymbolic* threads[256];
};

/// Null: nothing is to be recorded, as before main, natively, and once the execution has ended or there is no more room.
extern __attribute__((visibility("hidden"))) SymbolicState* g_symbolic;

inline SymbolicState* symbolic() noexcept { return __builtin_expect(g_symbolic != nullptr, 0) ? g_symbolic : nullptr; }

/// Is anything of the program one? By the linker, and the section that the pass leaves (TREADLE_SYMBOLIC_SECTION).
extern "C" __attribute__((weak, visibility("hidden"))) const char __start_treadle_symbolic[];
inline bool is_symbolic_build() noexcept { return __start_treadle_symbolic != nullptr; }

// symbolic.cpp
void symbolic_execution_begin() noexcept;
void symbolic_execution_end() noexcept;  // fills in the result
inline bool is_symbolic(const TreadleJob& job) noexcept { return (job.flags & TREADLE_RECORD_SYMBOLIC) != 0; }
/// What a hook returns: constants are no expressions. When the table has become full, all leaves are pinned and the books closed.
Expr handed_out(SymbolicState& s, Expr e, std::uint64_t pc) noexcept;
/// With this many bits; a narrower one is zero-extended.
Expr fitted(SymbolicState& s, Expr e, unsigned bits) noexcept;
Expr or_constant(SymbolicState& s, Expr e, std::uint64_t value, unsigned bits) noexcept;
ThreadSymbolic& thread_symbolic(SymbolicState& s) noexcept;

// symbolic_notes.cpp
void note(SymbolicState& s, TreadleNoteKind kind, unsigned thread, std::uint64_t event, Expr e, unsigned part, unsigned reason,
          std::uint64_t pc) noexcept;
/// Of the running thread, not tied to an event. What is known to hold, and what the thread has noted already, is left out.
void note_condition(SymbolicState& s, TreadleNoteKind kind, Expr condition, unsigned reason, std::uint64_t pc,
                    TreadleWay way = TREADLE_WAY_FALSE) noexcept;
void pin(SymbolicState& s, Expr e, std::uint64_t value, unsigned reason, std::uint64_t pc) noexcept;

// symbolic_memory.cpp
const TreadleEvent& event_at(std::uint64_t number) noexcept;
Expr held_by_memory(SymbolicState& s, std::uint64_t address, unsigned bytes, std::uint64_t value) noexcept;
void memory_holds(SymbolicState& s, std::uint64_t address, unsigned bytes, Expr e, std::uint64_t value, std::uint64_t pc) noexcept;
/// These bytes end their life, or something without hooks has written to them.
inline void symbolic_forget(std::uint64_t address, std::uint64_t bytes) noexcept {
  if (SymbolicState* s = symbolic()) s->shadow.forget(address, bytes);
}

/// Of a block that moves.
void symbolic_moved(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) noexcept;

/// The read recorded last has been compared with that value, or the expression for it: how that came out is a way of its own.
void symbolic_compared(Expr expected, std::uint64_t value, std::uint64_t pc) noexcept;

// symbolic_ranges.cpp
/// These bytes have been copied; announced are the source, unless 1 is in `private_`, and then the target, unless 2 is.
void symbolic_copied(void* to, const void* from, std::size_t bytes, std::uint32_t private_, std::uint64_t pc) noexcept;
/// Code without hooks looks at them: the value that each has is a way of its own. Announced before, if at all.
void symbolic_seen(const void* from, std::size_t bytes, std::uint32_t private_, unsigned reason, std::uint64_t pc) noexcept;
/// Code without hooks was handed this address: what lies there, as far as one object may reach, may have been looked at, and written to.
void symbolic_lent(const void* object, std::uint64_t pc) noexcept;

// symbolic_calls.cpp
/// What was handed over for an argument of a call to ourselves, if it has this value; from then on nothing is. 0: nothing was.
Expr symbolic_taken(unsigned argument, std::uint64_t value, unsigned bits, std::uint64_t pc) noexcept;
void symbolic_returns(SymbolicState& s, const void* function, unsigned part, Passed what, std::uint64_t pc) noexcept;

/// What the running thread's function, this one, has returned waits for whoever joins it.
void symbolic_result_kept(const void* function) noexcept;
/// The WRITE recorded last has put the result of that thread, or the low bytes of it, there.
void symbolic_result_written(unsigned thread, const void* to, unsigned bytes, std::uint64_t pc) noexcept;

// symbolic_inputs.cpp
/// The running thread is about to return the low `bits` of the input recorded last.
void symbolic_input_returned(unsigned bits, std::uint64_t pc) noexcept;
/// The input recorded last is returned as something that has no model (a floating-point number, more than 64 bits): the value that it
/// has counts as a way of its own.
void symbolic_input_pinned(std::uint64_t pc) noexcept;
/// The input recorded last lies between these.
void symbolic_input_between(std::int64_t lowest, std::int64_t highest, std::uint64_t pc) noexcept;
/// Its expression, or 0.
Expr symbolic_input(SymbolicState& s) noexcept;
/// It has been written to memory, as the bytes of a range that was announced as event `range`, from `offset` on.
void symbolic_input_written(void* to, unsigned bytes, std::uint64_t range, std::uint64_t offset, std::uint64_t pc) noexcept;
/// The same for bytes that were taken before, an expression for each.
void symbolic_bytes_written(void* to, const Expr* expressions, std::size_t bytes, std::uint64_t range, std::uint64_t pc) noexcept;
/// The running thread is about to return such a byte as an int.
void symbolic_byte_returned(Expr byte, std::uint64_t pc) noexcept;
/// A function has stopped at the first end of line among these bytes, if there is one.
void symbolic_line_ended(const Expr* expressions, std::size_t bytes, std::uint64_t pc) noexcept;

}  // namespace treadle
