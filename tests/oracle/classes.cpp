// SPDX-License-Identifier: Apache-2.0
#include "classes.h"

#include <string>
#include <unordered_set>

#include "prefix.h"

namespace oracle {
namespace {

class Counter {
 public:
  Counter(const Program& program, bool plain_is_visible, std::uint64_t limit)
      : machine_(program, {.model = Model::Sc, .plain_is_visible = plain_is_visible, .handle_reads = false}), limit_(limit) {}

  Classes by_prefixes() {
    visit(initial(), true);
    return classes_;
  }
  Classes by_enumeration() {
    visit(initial(), false);
    return classes_;
  }

 private:
  Prefix initial() const {
    Prefix prefix;
    prefix.state = machine_.start();
    return prefix;
  }

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
    if (moves.empty()) ++kind_of(prefix.state);
    for (const Move move : moves) {
      Prefix longer = prefix;
      longer.add(machine_, move);
      visit(longer, each_once);
    }
  }

  std::uint64_t& kind_of(const State& state) {
    if (state.failed) return classes_.failed;
    return machine_.completed(state) ? classes_.completed : classes_.stuck;
  }

  Machine machine_;
  std::uint64_t limit_, used_ = 0;
  std::unordered_set<std::string> seen_;
  Classes classes_;
};

}  // namespace

Classes count_classes(const Program& program, bool plain_is_visible, std::uint64_t most_prefixes) {
  return Counter(program, plain_is_visible, most_prefixes).by_prefixes();
}

Classes count_classes_by_enumeration(const Program& program, bool plain_is_visible, std::uint64_t most_executions) {
  return Counter(program, plain_is_visible, most_executions).by_enumeration();
}

}  // namespace oracle
