// SPDX-License-Identifier: Apache-2.0
// A symbolic build does what the plain one does: for the same Schedule the same events, choices and end. Code, and with it the addresses of
// globals and of what lies on stacks, is elsewhere in another build, so numbers that can be addresses must be the same up to names: one
// of the one build stands for one of the other throughout a trace. Of places on stacks only the stack is compared: which objects take turns
// in one place is the compiler's choice, and so is what lay there before the first write.
//
//   symbolic_trace PLAIN SYMBOLIC SCHEDULES [ARGUMENTS…]
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <tuple>
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

std::vector<Decision> alternatives_at(const Trace& trace, std::size_t choice) {
  const auto first = trace.alternatives.begin() + trace.choices[choice].first_alternative;
  return {first, first + trace.choices[choice].alternatives};
}

std::string listed(const std::vector<Decision>& decisions) {
  std::string text;
  for (const Decision& one : decisions) text += fmt::format(" {}:{}:{}", index_of(one.thread), static_cast<int>(one.kind), one.argument);
  return text;
}

/// In any order: the one taken comes first.
std::vector<Decision> without_flushes(std::vector<Decision> decisions) {
  std::erase_if(decisions, [](const Decision& one) { return one.kind == DecisionKind::Flush; });
  std::ranges::sort(decisions, {}, [](const Decision& one) { return std::tuple(one.thread, one.kind, one.argument); });
  return decisions;
}

/// Up to which decision the two were under the same schedule. Under PSO, stores to one place keep their order: where objects on a stack
/// take turns in one place in one build only, other stores may be flushed first, and a schedule means something else from there on.
std::size_t same_schedule_until(const Trace& a, const Trace& b) {
  const std::size_t both = std::min(a.choices.size(), b.choices.size());
  std::size_t event = 0;
  bool stored_on_a_stack = false;
  for (std::size_t i = 0; i < both; ++i) {
    for (; event < a.events.size() && a.events[event].step < i; ++event)
      stored_on_a_stack |= a.events[event].kind == TREADLE_EV_WRITE && is_on_a_stack(a.events[event].address);
    const std::vector<Decision> of_a = alternatives_at(a, i), of_b = alternatives_at(b, i);
    if (stored_on_a_stack && of_a != of_b && without_flushes(of_a) == without_flushes(of_b)) return i;
  }
  return SIZE_MAX;
}

std::string first_difference(const Trace& a, const Trace& b, MemoryModel model) {
  const std::size_t until = model == MemoryModel::Pso ? same_schedule_until(a, b) : SIZE_MAX;
  Renaming names;
  for (std::size_t i = 0; i < std::min(a.events.size(), b.events.size()); ++i) {
    const Event &x = a.events[i], &y = b.events[i];
    if (x.step >= until && y.step >= until) break;
    const bool same = x.kind == y.kind && x.thread == y.thread && x.size == y.size && x.order == y.order && x.step == y.step &&
                      names.same(x.address, y.address) && (has_pc_for_value(x) || names.same(x.value, y.value)) &&
                      (may_overwrite_garbage(x) || names.same(x.extra, y.extra));
    if (!same) return fmt::format("event {}:\n    {}\n    {}", i, shown(x), shown(y));
  }
  for (std::size_t i = 0; i < std::min({a.choices.size(), b.choices.size(), until}); ++i) {
    const std::vector<Decision> of_a = alternatives_at(a, i), of_b = alternatives_at(b, i);
    if (of_a != of_b) return fmt::format("choice {}:\n    {}\n    {}", i, listed(of_a), listed(of_b));
  }
  if (until != SIZE_MAX) return "";
  if (a.events.size() != b.events.size()) return fmt::format("{} and {} events", a.events.size(), b.events.size());
  if (a.choices.size() != b.choices.size()) return fmt::format("{} and {} choices", a.choices.size(), b.choices.size());
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
    if (const std::string what = first_difference(a, b, schedule_number(i).model); !what.empty())
      return fmt::print("schedule {}: a symbolic build differs in {}\n", i, what), 1;
    events += a.events.size();
  }
  fmt::print("{} events, all the same\n", events);
  return 0;
}
