// SPDX-License-Identifier: Apache-2.0
// Programs as C11 with pthreads. Each statement is exactly one visible operation (or plain access) for the engine: registers are
// locals, and a thread hands its registers to main as the result of pthread_join, so nothing but the statements touches shared memory.
#pragma once

#include <span>
#include <string>

#include "program.h"

namespace oracle {

/// One program with its own main.
std::string emit_c(const Program& program);

/// Many programs in one translation unit, because compiling them one by one costs too much: `a.out K` runs programs[K].
enum class Emit {
  Observing,  // tells the values of all variables and registers at the end
  Labelling,  // tells none of them, which would tie them down; assertions have names instead: assertion_label() behind "pK_"
  Marking     // likewise, and tells the path (paths.h): the n-th element of thread t's is observed as mark_name(t, n)
};
std::string emit_batch(std::span<const Program> programs, Emit how = Emit::Observing);

/// "t1a0": the first assertion of thread 1, in the order of the text.
std::string assertion_label(int thread, int number);

constexpr int kMaxMarks = 40;                   // per thread
std::string mark_name(int thread, int number);  // "t1_3"

}  // namespace oracle
