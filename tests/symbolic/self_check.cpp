// SPDX-License-Identifier: Apache-2.0
// Whatever a symbolic build does, its expressions say the same: for a number of schedules under each memory model, with plain accesses as
// scheduling points and without, the expressions have the values of the run and its conditions hold. And nothing changes by looking: the
// Trace without expressions is the same, and with them it is the same under each carrier.
//
//   self_check PROGRAM SCHEDULES [show] [completes] [symbolic] [garbage] [-- ARGUMENTS…]
//
// completes: each execution does. symbolic: there are expressions. garbage: the program copies what nobody wrote, which is what books were kept
// in on its stack before; then the values that plain accesses carry around need not be the same with and without expressions.
#include <fmt/format.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "../end_to_end/difference.h"
#include "trace/symbolic_check.h"

using namespace treadle;

namespace {

const Recording plainly{.plain = true, .choices = true, .stacks_at = {}};
const Recording symbolically{.plain = true, .choices = true, .symbolic = true, .stacks_at = {}};
const Recording without_plain{.choices = true, .symbolic = true, .stacks_at = {}};

struct Started {
  std::unique_ptr<Subject> subject;
  const char* carrier;
};

Started started(const std::string& program, const std::vector<std::string>& arguments, Carrier carrier, const char* name) {
  SubjectOptions options;
  options.program = program;
  options.arguments = arguments;
  options.carrier = carrier;
  options.may_fall_back = carrier == Carrier::Reset;
  options.max_milliseconds = 20'000;
  return {must(Subject::start(options)), name};
}

template <class T>
bool same_bytes(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

std::string symbolic_difference(const Trace& a, const Trace& b) {
  if (std::string other = difference(a, b); !other.empty()) return other;
  if (!same_bytes(a.expressions, b.expressions)) return fmt::format("the expressions ({}, {})", a.expressions.size(), b.expressions.size());
  if (!same_bytes(a.notes, b.notes)) return fmt::format("the notes ({}, {})", a.notes.size(), b.notes.size());
  return "";
}

void show(const Trace& trace) {
  for (std::size_t i = 0; i < trace.events.size(); ++i) fmt::print("event {}: {}\n", i, shown(trace.events[i]));
  for (std::size_t i = 1; i < trace.expressions.size(); ++i) {
    const Expression& e = trace.expressions[i];
    fmt::print("e{} = {}:{} part {} ({}, {}, {})\n", i, text_of(static_cast<ExpressionOp>(e.op)), e.bits, e.part, e.a, e.b, e.c);
  }
  for (const Note& n : trace.notes)
    fmt::print("note kind {} thread {} reason {} event {} e{} part {} pc {:#x}\n", n.kind, n.thread, n.reason, n.event, n.expression,
               n.part, n.pc);
}

struct Tally {
  unsigned failures = 0;
  std::size_t expressions = 0, notes = 0;
};

struct Wanted {
  bool shows = false, completes = false, symbolic = false, garbage = false;
};

/// What plain writes have overwritten is told when they are steps, or when expressions are recorded.
Trace comparable(const Trace& trace, Races races, Wanted wanted) {
  Trace out = trace;
  for (Event& event : out.events) {
    if (event.kind == TREADLE_EV_WRITE && races != Races::Explore) event.extra = 0;
    if (wanted.garbage && (event.kind == TREADLE_EV_READ || event.kind == TREADLE_EV_WRITE || event.kind == TREADLE_EV_FLUSH))
      event.value = event.extra = 0;
  }
  if (wanted.garbage) out.plain_hash = 0;
  return out;
}

void check(const Schedule& schedule, std::vector<Started>& subjects, Wanted wanted, Tally& tally) {
  auto complain = [&](const char* carrier, const std::string& what) {
    ++tally.failures;
    fmt::print("seed {}, model {}, races {}, {}: {}\n", schedule.seed, static_cast<int>(schedule.model), static_cast<int>(schedule.races),
               carrier, what);
  };
  Trace reference, plain, sparse;
  must(subjects.front().subject->run(schedule, symbolically, reference));
  must(subjects.front().subject->run(schedule, plainly, plain));
  must(subjects.front().subject->run(schedule, without_plain, sparse));
  if (auto differs = difference(comparable(plain, schedule.races, wanted), comparable(reference, schedule.races, wanted)); !differs.empty())
    complain("looked at", "differs in " + differs);
  if (!plain.expressions.empty() || !plain.notes.empty()) complain("not looked at", "has expressions");
  for (const Trace* trace : {&reference, &sparse})
    if (auto problem = check_symbolic(*trace)) complain(trace == &reference ? "plain accesses recorded" : "sparse", *problem);
  if (wanted.completes && reference.end.ending != TREADLE_END_COMPLETED)
    complain("the end", fmt::format("{} {}", text_of(reference.end.ending), reference.end.text));
  if (wanted.symbolic && reference.expressions.size() < 2) complain("reads", "have no symbols");
  for (Started& other : subjects) {
    Schedule same = schedule;
    same.threads = reference.threads;
    Trace trace;
    must(other.subject->run(same, symbolically, trace));
    if (auto differs = symbolic_difference(reference, trace); !differs.empty()) complain(other.carrier, "differs in " + differs);
  }
  tally.expressions += reference.expressions.size();
  tally.notes += reference.notes.size();
  if (wanted.shows && schedule.model == MemoryModel::Sc && schedule.races == Races::Explore) show(reference);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const std::string program = argv[1];
  Wanted wanted;
  std::vector<std::string> arguments;
  for (int i = 3; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--") {
      arguments.assign(argv + i + 1, argv + argc);
      break;
    }
    (word == "show"        ? wanted.shows
     : word == "completes" ? wanted.completes
     : word == "garbage"   ? wanted.garbage
                           : wanted.symbolic) = true;
  }
  std::vector<Started> subjects;
  subjects.push_back(started(program, arguments, Carrier::Reset, "reset"));
  subjects.push_back(started(program, arguments, Carrier::Fork, "fork"));
  subjects.push_back(started(program, arguments, Carrier::Kernel, "kernel"));
  Tally tally;
  for (unsigned i = 0; i < std::stoul(argv[2]); ++i)
    for (const MemoryModel model : {MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso})
      for (const Races races : {Races::Explore, Races::Stop}) {
        Schedule schedule;
        schedule.model = model;
        schedule.races = races;
        schedule.policy = i == 0 ? Policy::Continue : i % 2 ? Policy::Random : Policy::Pct;
        schedule.pct_depth = 3;
        schedule.pct_length = 100;
        schedule.seed = i + 1;
        check(schedule, subjects, wanted, tally);
      }
  fmt::print("{} expressions, {} notes, {} failures\n", tally.expressions, tally.notes, tally.failures);
  return tally.failures == 0 ? 0 : 1;
}
