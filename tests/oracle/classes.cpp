// SPDX-License-Identifier: Apache-2.0
#include "classes.h"

#include <string>
#include <unordered_set>

#include "prefix.h"
#include "sights.h"

namespace oracle {
namespace {

/// `Beginning` of an execution: a Prefix, which tells orders apart, or Sights, which tell only what is seen.
template <class Beginning>
class Counter {
 public:
  Counter(const Machine& machine, std::uint64_t limit) : machine_(machine), limit_(limit) {}

  Classes run(const Beginning& start, bool each_once) {
    visit(start, each_once);
    return classes_;
  }

 private:
  void visit(const Beginning& beginning, bool each_once) {
    if (used_ >= limit_) {
      classes_.complete = false;
      return;
    }
    std::vector<Move> moves;
    machine_.moves(beginning.state, moves);
    if (each_once || moves.empty()) ++used_;
    if (each_once && !seen_.insert(beginning.key(machine_)).second) return;
    if (moves.empty() && ended_.insert(beginning.of_execution(machine_)).second) count(beginning.state);
    for (const Move move : moves) {
      Beginning longer = beginning;
      longer.add(machine_, move);
      visit(longer, each_once);
    }
  }

  void count(const State& state) {
    switch (machine_.ending(state)) {
      case Ending::Completed:
        ++classes_.completed;
        break;
      case Ending::Stuck:
        ++classes_.stuck;
        break;
      case Ending::Failed:
        ++classes_.failed;
        break;
      case Ending::Misused:
      case Ending::NoExecution:
        break;
    }
  }

  const Machine& machine_;
  std::uint64_t limit_, used_ = 0;
  std::unordered_set<std::string> seen_, ended_;
  Classes classes_;
};

Classes count(const Program& program, ClassOptions options, std::uint64_t limit, bool each_once) {
  const bool by_order = options.by == TellApart::Order;
  const Machine machine(program, {.model = options.model, .plain_is_visible = options.plain_is_visible || !by_order});
  if (by_order) return Counter<Prefix>(machine, limit).run(Prefix(machine), each_once);
  return Counter<Sights>(machine, limit).run(Sights(machine, options.by), each_once);
}

}  // namespace

const char* text_of(TellApart by) {
  static constexpr const char* kNames[] = {"Mazurkiewicz", "reads-from", "value"};
  return kNames[static_cast<int>(by)];
}

Classes count_classes(const Program& program, ClassOptions options, std::uint64_t most_prefixes) {
  return count(program, options, most_prefixes, true);
}

Classes count_classes_by_enumeration(const Program& program, ClassOptions options, std::uint64_t most_executions) {
  return count(program, options, most_executions, false);
}

}  // namespace oracle
