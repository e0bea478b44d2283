// SPDX-License-Identifier: Apache-2.0
// What a search needs of a program: Schedules in, Traces out. Stands between the search and the Subject so that decorators (the determinism
// guard) and the made-up programs of our tests can take its place.
#pragma once

#include <vector>

#include "subject/subject.h"

namespace treadle {

class Runner {
 public:
  virtual ~Runner() = default;
  virtual Result<Done> run(const Schedule& schedule, const Recording& recording, Trace& out) = 0;
  virtual Result<Done> run_batch(const std::vector<Schedule>& schedules, const Recording& recording, std::vector<Trace>& out) = 0;
};

class SubjectRunner final : public Runner {
 public:
  explicit SubjectRunner(Subject& subject) : subject_(subject) {}
  Result<Done> run(const Schedule& schedule, const Recording& recording, Trace& out) override {
    return subject_.run(schedule, recording, out);
  }
  Result<Done> run_batch(const std::vector<Schedule>& schedules, const Recording& recording, std::vector<Trace>& out) override {
    return subject_.run_batch(schedules, recording, out);
  }

 private:
  Subject& subject_;
};

/// The Schedule that leads through exactly the decisions `trace` took.
inline Schedule exactly(const Schedule& schedule, const Trace& trace) {
  Schedule same = schedule;
  same.prefix = decisions_of(trace);
  same.policy = Policy::Continue;
  same.threads = trace.threads;
  return same;
}

}  // namespace treadle
