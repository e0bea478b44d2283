// SPDX-License-Identifier: Apache-2.0
#include "classes.h"

#include <string>
#include <unordered_set>

#include "prefix.h"

namespace oracle {
namespace {

class Counter {
 public:
  Counter(const Program& program, ClassOptions options, std::uint64_t limit)
      : machine_(program, {.model = options.model, .plain_is_visible = options.plain_is_visible}), limit_(limit) {}

  Classes by_prefixes() {
    visit(Prefix(machine_), true);
    return classes_;
  }
  Classes by_enumeration() {
    visit(Prefix(machine_), false);
    return classes_;
  }

 private:
  void visit(const Prefix& prefix, bool each_once) {
    if (used_ >= limit_) {
      classes_.complete = false;
      return;
    }
    std::vector<Move> moves;
    machine_.moves(prefix.state, moves);
    if (each_once || moves.empty()) {
      ++used_;
      if (!seen_.insert(prefix.canonical()).second) return;
    }
    if (moves.empty()) count(prefix.state);
    for (const Move move : moves) {
      Prefix longer = prefix;
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

  Machine machine_;
  std::uint64_t limit_, used_ = 0;
  std::unordered_set<std::string> seen_;
  Classes classes_;
};

}  // namespace

Classes count_classes(const Program& program, ClassOptions options, std::uint64_t most_prefixes) {
  return Counter(program, options, most_prefixes).by_prefixes();
}

Classes count_classes_by_enumeration(const Program& program, ClassOptions options, std::uint64_t most_executions) {
  return Counter(program, options, most_executions).by_enumeration();
}

}  // namespace oracle
