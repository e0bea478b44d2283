// SPDX-License-Identifier: Apache-2.0
// The same Schedule gives the identical Trace: many times in a row, under every carrier, in another process, and in one that has been used
// with other arguments. Identical means every event with its addresses and values, every choice with its alternatives, and the end.
//
//   same_trace PROGRAM SCHEDULES TIMES STARTS
#include <memory>
#include <string>
#include <vector>

#include "difference.h"

using namespace treadle;

namespace {

struct Case {
  std::string name;
  Schedule schedule;
  Trace reference;
};

std::unique_ptr<Subject> started(const std::string& program, Carrier carrier, const char* argument = "first",
                                 std::unique_ptr<Subject> used = {}) {
  SubjectOptions options;
  options.program = program;
  options.arguments = {argument};
  options.carrier = carrier;
  options.may_fall_back = false;
  options.max_milliseconds = 20'000;
  return must(Subject::start(options, std::move(used)));
}

const Recording everything{.plain = true, .choices = true, .leaks = true, .stacks_at = {}};

/// Random and PCT schedules under each memory model (the weak ones with plain accesses as scheduling points, so that plain stores are
/// buffered too), and for each the list of its decisions alone, in words of the first session's thread table.
std::vector<Case> make_cases(Subject& subject, unsigned schedules) {
  constexpr std::pair<MemoryModel, const char*> models[] = {{MemoryModel::Sc, "sc"}, {MemoryModel::Tso, "tso"}, {MemoryModel::Pso, "pso"}};
  std::vector<Case> cases;
  for (unsigned i = 0; i < schedules * std::size(models); ++i) {
    const auto [model, model_name] = models[i / schedules];
    Case policy;
    policy.name = fmt::format("{} {} seed {}", model_name, i % 2 ? "pct" : "random", i + 1);
    policy.schedule.model = model;
    if (model != MemoryModel::Sc && i % 4 < 2) policy.schedule.races = Races::Explore;
    policy.schedule.policy = i % 2 ? Policy::Pct : Policy::Random;
    policy.schedule.seed = i + 1;
    policy.schedule.pct_depth = 3;
    policy.schedule.pct_length = 100;
    must(subject.run(policy.schedule, everything, policy.reference));
    policy.schedule.threads = subject.threads();
    Case decisions = policy;
    decisions.name += ", as a list of decisions";
    decisions.schedule.policy = Policy::Continue;
    decisions.schedule.prefix = decisions_of(policy.reference);
    cases.push_back(std::move(policy));
    cases.push_back(std::move(decisions));
  }
  return cases;
}

unsigned repeat(Subject& subject, const char* carrier, const Case& one, unsigned times) {
  Trace trace;
  for (unsigned i = 0; i < times; ++i) {
    must(subject.run(one.schedule, everything, trace));
    if (const std::string what = difference(one.reference, trace); !what.empty()) {
      fmt::print("{}, {}, run {} of {}: differs in {}\n", carrier, one.name, i + 1, times, what);
      return 1;
    }
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return fmt::print(stderr, "usage: same_trace PROGRAM SCHEDULES TIMES STARTS\n"), 2;
  const std::string program = argv[1];
  const unsigned schedules = static_cast<unsigned>(std::atoi(argv[2])), times = static_cast<unsigned>(std::atoi(argv[3])),
                 starts = static_cast<unsigned>(std::atoi(argv[4]));
  const std::vector<Case> cases = make_cases(*started(program, Carrier::Reset), schedules);
  unsigned failures = 0;
  const std::pair<Carrier, const char*> carriers[] = {{Carrier::Reset, "reset"}, {Carrier::Fork, "fork"}, {Carrier::Kernel, "kernel"}};
  for (const auto& [carrier, name] : carriers) {
    auto subject = started(program, carrier);
    // The first schedule all the times in a row; the others, so that each follows each, fewer times.
    failures += repeat(*subject, name, cases.front(), times);
    for (unsigned round = 0; round < 5; ++round)
      for (const Case& one : cases) failures += repeat(*subject, name, one, times / 100 + 1);
    for (unsigned i = 0; i < starts; ++i) {
      auto another = started(program, carrier);
      for (const Case& one : cases) failures += repeat(*another, name, one, 1);
    }
  }
  auto subject = started(program, Carrier::Reset, "other");
  for (const char* argument : {"first", "third", "first"}) {
    Trace ignored;
    for (const Case& one : cases) must(subject->run(one.schedule, everything, ignored));
    subject = started(program, Carrier::Reset, argument, std::move(subject));
  }
  const bool used = subject->was_used_before();
  for (const Case& one : cases) failures += repeat(*subject, used ? "used before" : "started again", one, 3);
  std::size_t events = 0, ends = 0, flushes = 0;
  for (const Case& one : cases) {
    for (const Event& event : one.reference.events) flushes += event.kind == TREADLE_EV_FLUSH;
    events += one.reference.events.size();
    ends += one.reference.end.ending == TREADLE_END_COMPLETED;
  }
  fmt::print("{} schedules, {} events on average, {} stores out of buffers, {} completed, {}: {} differences\n", cases.size(),
             events / cases.size(), flushes, ends, used ? "took other arguments" : "started anew for other arguments", failures);
  // Nothing in C without constructors may be started twice for nothing.
  if (program.ends_with("/arguments") && !used) return fmt::print("it did not take other arguments\n"), 1;
  return failures ? 1 : 0;
}
