// SPDX-License-Identifier: Apache-2.0
#include "explore/runner.h"

#include <algorithm>
#include <chrono>

#include "explore/patience.h"

namespace treadle {
namespace {

/// Runs until the numbers that came out are the common ones. New threads are rare and each disagreement makes one known, so this ends soon.
template <class Run>
Result<Done> with_common_numbers(Subject& subject, ThreadNumbers& numbers, SharedPrefixes& shared_prefixes, Run run) {
  for (;;) {
    if (auto names = numbers.names(); names != subject.threads()) {
      subject.use_threads(std::move(names));
      shared_prefixes.forget();  // a thread's stack and heap stand where its number says
    }
    if (auto ran = run(); !ran) return ran;
    if (numbers.agree(subject.threads())) return Done{};
  }
}

}  // namespace

std::vector<ThreadName> ThreadNumbers::names() const {
  const std::lock_guard lock(mutex_);
  return names_;
}

bool ThreadNumbers::agree(const std::vector<ThreadName>& seen) {
  const std::lock_guard lock(mutex_);
  const auto common = static_cast<std::ptrdiff_t>(std::min(seen.size(), names_.size()));
  if (!std::equal(seen.begin(), seen.begin() + common, names_.begin())) return false;
  names_.insert(names_.end(), seen.begin() + common, seen.end());
  return true;
}

Result<Done> SubjectRunner::run(const Schedule& schedule, const Recording& recording, Trace& out) {
  return with_common_numbers(subject_, numbers_, shared_prefixes_, [&] { return subject_.run(schedule, recording, out); });
}

Result<Done> SubjectRunner::run_batch(const std::vector<Schedule>& schedules, const Recording& recording, std::vector<Trace>& out) {
  return with_common_numbers(subject_, numbers_, shared_prefixes_, [&] {
    const auto begin = std::chrono::steady_clock::now();
    auto ran = subject_.run_batch(schedules, recording, out, shared_prefixes_.plan(schedules, recording));
    shared_prefixes_.took(schedules.size(), std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    return ran;
  });
}

Schedule exactly(const Schedule& schedule, const Trace& trace) {
  Schedule same = schedule;
  same.prefix = decisions_of(trace);
  same.policy = lets_others_go_first(trace) ? Policy::Patient : Policy::Continue;
  same.threads = trace.threads;
  same.inputs = given_in(trace);  // also those that were drawn, or were what they are when nobody says
  return same;
}

std::optional<Schedule> without_others_behind(const Schedule& schedule, const Trace& trace) {
  if (!lets_others_go_first(trace)) return std::nullopt;
  Schedule shorter = exactly(schedule, trace);
  shorter.policy = Policy::Continue;
  const auto is_its_own = [&](const Decision& d) { return d.thread == trace.end.thread && d.kind != DecisionKind::Flush; };
  shorter.prefix.pop_back();
  while (!shorter.prefix.empty() && !is_its_own(shorter.prefix.back())) shorter.prefix.pop_back();
  return shorter;
}

}  // namespace treadle
