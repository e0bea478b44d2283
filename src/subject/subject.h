// SPDX-License-Identifier: Apache-2.0
// The program under test as a function: one Schedule in, one Trace out, many per second. Survives whatever the program does.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
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
  std::vector<std::string> environment{};  // "NAME=value", besides ours
  Carrier carrier = Carrier::Reset;
  bool may_fall_back = true;                // from Reset to Fork, when the program needs it
  std::uint32_t max_milliseconds = 10'000;  // per execution
  std::uint64_t max_heap_bytes = 1ull << 30;
  bool show_output = false;
  std::string stdin_file;  // empty: /dev/null
  std::string follow;      // the recorded ways of its threads (abi/follow.h): a file; empty: none
  bool operator==(const SubjectOptions&) const = default;
};

/// What to keep of a run beyond its visible operations.
struct Recording {
  bool plain = false;
  bool choices = false;
  bool leaks = false;
  bool symbolic = false;  // expressions and notes, of a symbolic build; another one leaves none. No snapshots are saved or used meanwhile
  bool spins_block =
      false;  // an iteration of a spin loop that began within the prefix and led nowhere is not repeated: its thread stands still
  bool spins_stop =
      false;  // who goes round a spin loop in vain with the last step of the prefix, and then leaves it: the execution is over
  std::vector<std::uint64_t> stacks_at;      // at most TREADLE_MAX_STACK_REQUESTS event numbers
  std::uint64_t stop_at_event = UINT64_MAX;  // with a debugger: where treadle_stop_here() is called, besides the end
};

/// Snapshots in mid-run save a Schedule the steps that it has in common with an earlier one. They change nothing but the time it takes: the
/// prefix still lists all decisions from the start, the Trace shows them all, and what is not there (any more) is made from the start.
/// The program keeps a stack of them, those of one path: a run that resumes from one drops the ones that were saved later, and what it
/// saves itself lies on top of that; a run from the start that saves one drops all others.
struct Snapshots {
  std::uint64_t resume_from = 0;  // name of a snapshot, saved by a run that took the same decisions up to there; 0: from the start
  std::uint64_t save_as = 0;      // save one under this name, which must not have been used before; 0: save none
  std::uint32_t save_at = 0;      // before decision number …
};

class Subject {
 public:
  /// `used`: one that nobody needs any more. Where that makes no difference to what will be seen, it goes on with the new arguments, and
  /// the program is spared another start.
  static Result<std::unique_ptr<Subject>> start(SubjectOptions options, std::unique_ptr<Subject> used = {});
  ~Subject();

  /// Runs one Schedule to its end. A crash, a hang, the death of the process are Traces; a Problem is what the user must know (unsupported
  /// feature).
  Result<Done> run(const Schedule& schedule, const Recording& recording, Trace& out, const Snapshots& snapshots = {});

  /// Runs many that do not depend on each other's outcome; `out` gets as many Traces. `snapshots` is empty or has one for each; later ones
  /// may resume from what earlier ones save.
  Result<Done> run_batch(const std::vector<Schedule>& schedules, const Recording& recording, std::vector<Trace>& out,
                         std::span<const Snapshots> snapshots = {});

  const std::vector<ThreadName>& threads() const;   // all thread names seen so far: what thread numbers mean in this session
  void use_threads(std::vector<ThreadName> names);  // from the next run on they mean this
  Carrier carrier() const;                          // in use now
  const std::string& why_fork() const;              // reason of the fall-back, or empty
  std::uint64_t restarts() const;                   // how often the process had to be started again
  bool was_used_before() const;                     // it was not started anew
  std::uint64_t binary_hash() const;
  std::vector<LoadedObject> loaded_objects() const;  // where the program and its libraries are in memory: the same in every run

 private:
  struct Parts;
  explicit Subject(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace treadle
