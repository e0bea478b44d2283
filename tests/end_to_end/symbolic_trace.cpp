// SPDX-License-Identifier: Apache-2.0
// A symbolic build does what the plain one does: for the same Schedule the same events, choices and end. Code, and with it the addresses of
// globals and of what lies on stacks, is elsewhere in another build, so numbers that can be addresses must be the same up to names: one
// of the one build stands for one of the other throughout a trace. Of places on stacks only the stack is compared: which objects take turns
// in one place is the compiler's choice, and so is what lay there before the first write.
//
//   symbolic_trace PLAIN SYMBOLIC SCHEDULES [ARGUMENTS…]
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "difference.h"

using namespace treadle;

namespace {

std::unique_ptr<Subject> started(const std::string& program, const std::vector<std::string>& arguments) {
  SubjectOptions options;
  options.program = program;
  options.arguments = arguments;
  options.max_milliseconds = 60'000;
  return must(Subject::start(options));
}

std::uint64_t stack_of(std::uint64_t address) { return (address - TREADLE_AT_STACKS) / TREADLE_STACK_SLOT; }
bool is_on_a_stack(std::uint64_t address) { return address >= TREADLE_AT_STACKS && stack_of(address) < TREADLE_MAX_THREADS; }

class Renaming {
 public:
  bool same(std::uint64_t a, std::uint64_t b) {
    if (a == b || (is_on_a_stack(a) && stack_of(a) == stack_of(b))) return true;
    if (a < lowest_address || b < lowest_address) return false;
    return there_.try_emplace(a, b).first->second == b && back_.try_emplace(b, a).first->second == a;
  }

 private:
  static constexpr std::uint64_t lowest_address = 0x10000;
  std::map<std::uint64_t, std::uint64_t> there_, back_;
};

/// A place in the program, in `value`.
bool has_pc_for_value(const Event& event) { return event.kind == TREADLE_EV_RACE; }

std::string first_difference(const Trace& a, const Trace& b) {
  Renaming names;
  for (std::size_t i = 0; i < std::min(a.events.size(), b.events.size()); ++i) {
    const Event &x = a.events[i], &y = b.events[i];
    const bool same = x.kind == y.kind && x.thread == y.thread && x.size == y.size && x.order == y.order && x.step == y.step &&
                      names.same(x.address, y.address) && (has_pc_for_value(x) || names.same(x.value, y.value)) &&
                      (may_overwrite_garbage(x) || names.same(x.extra, y.extra));
    if (!same) return fmt::format("event {}:\n    {}\n    {}", i, shown(x), shown(y));
  }
  if (a.events.size() != b.events.size()) return fmt::format("{} and {} events", a.events.size(), b.events.size());
  if (a.choices.size() != b.choices.size()) return fmt::format("{} and {} choices", a.choices.size(), b.choices.size());
  for (std::size_t i = 0; i < a.choices.size(); ++i)
    if (a.choices[i].taken != b.choices[i].taken || a.choices[i].alternatives != b.choices[i].alternatives)
      return fmt::format("choice {}", i);
  if (a.end.ending != b.end.ending || a.end.thread != b.end.thread || a.end.detail != b.end.detail)
    return fmt::format("the end: {} and {} ({} and {})", text_of(a.end.ending), text_of(b.end.ending), a.end.text, b.end.text);
  if (a.texts != b.texts) return "the texts";
  return a.heap_bytes == b.heap_bytes ? "" : fmt::format("the heap: {} and {} bytes", a.heap_bytes, b.heap_bytes);
}

Schedule schedule_number(unsigned i) {
  constexpr MemoryModel models[] = {MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso};
  Schedule schedule;
  schedule.model = models[i % 3];
  if (i % 4 >= 2) schedule.races = Races::Explore;
  schedule.policy = i % 2 ? Policy::Pct : Policy::Random;
  schedule.seed = i + 1;
  schedule.pct_depth = 3;
  schedule.pct_length = 100;
  return schedule;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return fmt::print(stderr, "usage: symbolic_trace PLAIN SYMBOLIC SCHEDULES [ARGUMENTS...]\n"), 2;
  const std::vector<std::string> arguments(argv + 4, argv + argc);
  auto plain = started(argv[1], arguments), symbolic = started(argv[2], arguments);
  const Recording everything{.plain = true, .choices = true, .leaks = true, .stacks_at = {}};
  std::size_t events = 0;
  for (unsigned i = 0; i < static_cast<unsigned>(std::atoi(argv[3])); ++i) {
    Trace a, b;
    must(plain->run(schedule_number(i), everything, a));
    must(symbolic->run(schedule_number(i), everything, b));
    if (const std::string what = first_difference(a, b); !what.empty())
      return fmt::print("schedule {}: a symbolic build differs in {}\n", i, what), 1;
    events += a.events.size();
  }
  fmt::print("{} events, all the same\n", events);
  return 0;
}
