// SPDX-License-Identifier: Apache-2.0
// What every analysis concludes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/trace.h"
#include "trace/witness.h"

namespace treadle {

#define TREADLE_FINDING_KINDS(X)             \
  X(Assertion, "assertion")                  \
  X(Crash, "crash")                          \
  X(DataRace, "data-race")                   \
  X(Deadlock, "deadlock")                    \
  X(LostWakeup, "lost-wakeup")               \
  X(Livelock, "livelock")                    \
  X(Misuse, "misuse")                        \
  X(Atomicity, "atomicity")                  \
  X(Leak, "leak")                            \
  X(UseAfterFree, "use-after-free")          \
  X(UncaughtException, "uncaught-exception") \
  X(NullDereference, "null-dereference")     \
  X(Nondeterminism, "nondeterminism")

enum class FindingKind {
#define X(name, text) name,
  TREADLE_FINDING_KINDS(X)
#undef X
};
const char* text_of(FindingKind kind);

struct SourceFrame {
  std::string function{};  // demangled; "??" when unknown
  std::string file{};      // as the compiler saw it; empty when unknown
  unsigned line = 0, column = 0;
  bool library = false;  // the runtime's, or the C or C++ library's: not where the user would look
};

struct SourceStack {
  std::vector<SourceFrame> frames;  // innermost first, inlined calls expanded
};

/// One thread's part in a finding.
struct Part {
  std::string thread;  // stable name, "0.1"
  std::string does;    // "writes 4 bytes of `counter`", "waits for mutex `b`, held by 0.2"
  std::string also;    // "holds mutex `a` since main.c:12"; may be empty
  SourceStack where;
  std::uint64_t event = 0;  // in the witness's trace, UINT64_MAX when it never happened (pending)
};

/// A value that the program asked for.
struct InputValue {
  std::string thread;  // stable name
  std::string name;    // as the program calls it
  std::int64_t value = 0;
};

struct Finding {
  FindingKind kind{};
  std::string message;  // one sentence
  SourceFrame location;
  std::vector<Part> parts;
  std::string fingerprint;  // the same bug has the same one in every execution and every run
  std::uint64_t key = 0;    // diagnose.h: its quick key, the same in every execution of one binary
  bool confirmed = false;   // a replay failed in the same way
  Witness witness;
  std::string witness_file;        // where it was written, or empty
  std::uint64_t execution = 0;     // found in the how-manieth execution
  std::vector<InputValue> inputs;  // of the execution that confirmed it, in the order in which they were asked for
};

enum class VerdictKind { Clean, Bugs, Incomplete };

struct Verdict {
  VerdictKind kind = VerdictKind::Incomplete;
  std::string covers;  // "all schedules under SC for these inputs", "1000 random schedules only"
};

}  // namespace treadle
