// SPDX-License-Identifier: Apache-2.0
// The program under test as a function: one Schedule in, one Trace out, many per second. Survives whatever the program does.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "finding/symbols.h"
#include "trace/trace.h"

namespace treadle {

enum class Carrier : std::uint8_t { Reset, Fork, Kernel };

struct SubjectOptions {
  std::string program;
  std::vector<std::string> arguments;
  Carrier carrier = Carrier::Reset;
  bool may_fall_back = true;                // from Reset to Fork, when the program needs it
  std::uint32_t max_milliseconds = 10'000;  // per execution
  std::uint64_t max_heap_bytes = 1ull << 30;
  bool show_output = false;
  std::string stdin_file;  // empty: /dev/null
};

/// What to keep of a run beyond its visible operations.
struct Recording {
  bool plain = false;
  bool choices = false;
  bool leaks = false;
  std::vector<std::uint64_t> stacks_at;      // at most TREADLE_MAX_STACK_REQUESTS event numbers
  std::uint64_t stop_at_event = UINT64_MAX;  // with a debugger: where treadle_stop_here() is called, besides the end
  // Mid-run snapshots (reset carrier only; a stack: saving number n drops those above). Trace::saved_snapshot tells whether it was
  // possible.
  std::uint32_t restore_snapshot = 0;  // go on from there instead of from the start; the prefix still lists all decisions
  std::uint32_t save_snapshot_at = 0;  // before decision number …
  std::uint32_t save_snapshot_as = 0;  // 0: save none
};

class Subject {
 public:
  static Result<std::unique_ptr<Subject>> start(SubjectOptions options);
  ~Subject();

  /// Runs one Schedule to its end. A crash, a hang, the death of the process are Traces; a Problem is what the user must know (unsupported
  /// feature).
  Result<Done> run(const Schedule& schedule, const Recording& recording, Trace& out);

  /// Runs many that do not depend on each other's outcome; `out` gets as many Traces.
  Result<Done> run_batch(const std::vector<Schedule>& schedules, const Recording& recording, std::vector<Trace>& out);

  const std::vector<ThreadName>& threads() const;  // all thread names seen so far: what thread numbers mean in this session
  void use_threads(std::vector<ThreadName> names);  // from the next run on they mean this
  Carrier carrier() const;                         // in use now
  const std::string& why_fork() const;             // reason of the fall-back, or empty
  std::uint64_t restarts() const;                  // how often the process had to be started again
  std::uint64_t binary_hash() const;
  std::vector<LoadedObject> loaded_objects() const;  // where the program and its libraries are in memory: the same in every run

 private:
  struct Parts;
  explicit Subject(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace treadle
