// SPDX-License-Identifier: Apache-2.0
// What a search needs of a program: Schedules in, Traces out. Stands between the search and the Subject so that decorators (the determinism
// guard) and the made-up programs of our tests can take its place.
#pragma once

#include <mutex>
#include <optional>
#include <vector>

#include "explore/shared_prefixes.h"
#include "subject/subject.h"

namespace treadle {

class Runner {
 public:
  virtual ~Runner() = default;
  virtual Result<Done> run(const Schedule& schedule, const Recording& recording, Trace& out) = 0;
  virtual Result<Done> run_batch(const std::vector<Schedule>& schedules, const Recording& recording, std::vector<Trace>& out) = 0;
};

/// What thread numbers mean to all workers of a search. Each of them has a process of its own, which numbers threads as it meets them; a
/// thread's stack and heap stand at places given by its number, so traces with different numbers could not even be translated.
class ThreadNumbers {
 public:
  std::vector<ThreadName> names() const;

  /// False: `seen` has given a number that stands for somebody else meanwhile. Otherwise the names in it are everybody's from now on.
  bool agree(const std::vector<ThreadName>& seen);

 private:
  mutable std::mutex mutex_;
  std::vector<ThreadName> names_{ThreadName{}};
};

class SubjectRunner final : public Runner {
 public:
  SubjectRunner(Subject& subject, ThreadNumbers& numbers) : subject_(subject), numbers_(numbers) {}
  Result<Done> run(const Schedule& schedule, const Recording& recording, Trace& out) override;
  Result<Done> run_batch(const std::vector<Schedule>& schedules, const Recording& recording, std::vector<Trace>& out) override;

 private:
  Subject& subject_;
  ThreadNumbers& numbers_;
  SharedPrefixes shared_prefixes_;
};

/// The Schedule that leads through exactly the decisions `trace` took.
Schedule exactly(const Schedule& schedule, const Trace& trace);

/// Of a thread that let the others go on before it failed (Policy::Patient): the Schedule by which it fails at once. None: it did not.
std::optional<Schedule> without_others_behind(const Schedule& schedule, const Trace& trace);

}  // namespace treadle
