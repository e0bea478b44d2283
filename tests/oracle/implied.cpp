// SPDX-License-Identifier: Apache-2.0
#include "implied.h"

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>
#include <unordered_set>

#include "emit_c.h"
#include "flatten.h"

namespace oracle {
namespace {

/// One operation of a thread's way.
struct Step {
  Phase phase = Phase::Running;
  const Instruction* instruction = nullptr;
  bool succeeded = true, times_out = false, opens_barrier = false;
  int found = 0;  // what a read got
  std::uint64_t branches = 0;
  std::uint8_t branched = 0;
};

using Way = std::vector<Step>;

bool reads_memory(Op op) { return op == Op::Load || op == Op::FetchAdd || op == Op::Exchange || op == Op::CompareExchange; }

Step step_of(const Event& event, Move move, const State& after) {
  const Instruction& what = *event.instruction;
  const bool has_register = event.phase == Phase::Running && (reads_memory(what.op) || what.op == Op::SemGetValue);
  return {.phase = event.phase,
          .instruction = &what,
          .succeeded = event.succeeded,
          .times_out = move.kind == Move::Kind::Timeout,
          .opens_barrier = event.opens_barrier,
          .found = has_register ? after.threads[move.thread].registers[what.reg] : 0,
          .branches = event.branches,
          .branched = event.branched};
}

bool has_the_result_of(const Step& now, const Step& then) {
  if (now.phase != then.phase || now.instruction != then.instruction) return false;
  if (now.instruction->op == Op::SemGetValue && now.found != then.found) return false;
  return now.succeeded == then.succeeded && now.times_out == then.times_out && now.opens_barrier == then.opens_barrier;
}

std::uint64_t lowest_bits(std::uint64_t bits, int count) { return count >= 64 ? bits : bits & ((std::uint64_t(1) << count) - 1); }

/// The conditions that both have met came out the same.
bool goes_the_way_of(const Step& now, const Step& then) {
  const int both = std::min(now.branched, then.branched);
  return lowest_bits(now.branches, both) == lowest_bits(then.branches, both);
}

class Search {
 public:
  /// Without ways, all executions.
  Search(const Machine& machine, std::optional<std::array<Way, kMaxThreads>> ways, Reads reads, std::uint64_t most_states)
      : machine_(machine), ways_(std::move(ways)), reads_(reads), most_states_(most_states) {}

  Implied run() {
    visit({machine_.start(), {}, {}});
    found_.states = seen_.size();
    return std::move(found_);
  }

 private:
  struct Place {
    State state;
    std::array<std::uint8_t, kMaxThreads> made{};  // steps of each thread
    std::array<bool, kMaxThreads> stands{};        // it would go another way
  };

  std::string key(const Place& place) const {
    std::string key = machine_.key(place.state);
    if (ways_)
      for (int t = 0; t < kMaxThreads; ++t) key += char(place.made[t]), key += char(place.stands[t]);
    return key;
  }

  void visit(const Place& place) {
    if (seen_.size() >= most_states_) {
      found_.complete = false;
      return;
    }
    if (!seen_.insert(key(place)).second) return;
    look_for_races(place);
    look_for_rings(place);
    std::vector<Move> moves;
    machine_.moves(place.state, moves);
    if (moves.empty()) found_.stuck |= is_stuck(place);
    for (const Move move : moves) make(place, move);
  }

  /// Who has left its way, or spins, does not count as waiting.
  bool is_stuck(const Place& place) const {
    for (int t = 0; t < machine_.threads(); ++t) {
      const ThreadState& thread = place.state.threads[t];
      if (thread.phase == Phase::Running && (thread.round != Round::None || machine_.code(t)[thread.pc].op == Op::Await)) return false;
      if (place.stands[t] && thread.phase != Phase::Done) return false;
    }
    return machine_.ending(place.state) == Ending::Stuck;
  }

  void make(const Place& place, Move move) {
    Place next = place;
    const int t = move.thread;
    if (move.kind == Move::Kind::Flush) {
      machine_.apply(next.state, move);
      return visit(next);
    }
    if (!may_go_on(place, t)) return;
    const Event event = machine_.apply(next.state, move);
    if (next.state.misused || next.state.fruitless) return;
    if (ways_ && !keeps_to_its_way(next, step_of(event, move, next.state), t)) return;
    if (event.failed != nullptr) found_.failing.insert(assertion_label(t, event.failed->object));
    if (!next.state.failed) visit(next);
  }

  bool keeps_to_its_way(Place& place, const Step& now, int t) {
    const Step& then = (*ways_)[t][place.made[t]++];
    if (!has_the_result_of(now, then)) return false;
    const bool as_seen = reads_ == Reads::Free || now.found == then.found;
    if (!as_seen && now.instruction->op != Op::Load) return false;
    const bool same_way = goes_the_way_of(now, then);
    if (!same_way && place.state.failed) return false;
    place.stands[t] = !same_way || !as_seen || now.branched != then.branched;
    return true;
  }

  bool may_go_on(const Place& place, int t) const { return !ways_ || (!place.stands[t] && place.made[t] < (*ways_)[t].size()); }

  const Instruction* next_of(const Place& place, int t) const {
    const ThreadState& thread = place.state.threads[t];
    return thread.phase == Phase::Running && may_go_on(place, t) ? &machine_.code(t)[thread.pc] : nullptr;
  }

  void look_for_races(const Place& place) {
    if (place.state.failed) return;
    for (int t = 0; t < machine_.threads(); ++t) {
      for (int u = 0; u < t; ++u) {
        const Instruction *a = next_of(place, t), *b = next_of(place, u);
        const auto is_plain = [](const Instruction* i) {
          return i != nullptr && i->order == Order::Plain && (i->op == Op::Load || i->op == Op::Store);
        };
        if (is_plain(a) && is_plain(b) && a->object == b->object && (a->op == Op::Store || b->op == Op::Store))
          found_.racing.insert(a->object);
      }
    }
  }

  /// Whom the thread waits for to give a mutex back; -1: nobody.
  int waits_for(const Place& place, int t) const {
    const Instruction* next = next_of(place, t);
    if (next == nullptr || next->op != Op::Lock) return -1;
    const int owner = place.state.owner[next->object];
    return owner == t ? -1 : owner;
  }

  void look_for_rings(const Place& place) {
    for (int t = 0; t < machine_.threads(); ++t) {
      int at = waits_for(place, t);
      for (int steps = 0; at >= 0 && at != t && steps < kMaxThreads; ++steps) at = waits_for(place, at);
      found_.ring |= at == t;
    }
  }

  const Machine& machine_;
  std::optional<std::array<Way, kMaxThreads>> ways_;
  Reads reads_;
  std::uint64_t most_states_;
  std::unordered_set<std::string> seen_;
  Implied found_;
};

std::array<Way, kMaxThreads> ways_of(const Machine& machine, const std::vector<Move>& run) {
  std::array<Way, kMaxThreads> ways;
  State state = machine.start();
  std::vector<Move> moves;
  for (const Move move : run) {
    machine.moves(state, moves);
    const auto same = [move](Move m) { return m.kind == move.kind && m.thread == move.thread && m.argument == move.argument; };
    if (std::none_of(moves.begin(), moves.end(), same)) throw std::invalid_argument("this is no execution of the program");
    const Event event = machine.apply(state, move);
    if (move.kind != Move::Kind::Flush) ways[move.thread].push_back(step_of(event, move, state));
  }
  return ways;
}

}  // namespace

Implied implied_by(const Program& program, MachineOptions options, const std::vector<Move>& run, Reads reads, std::uint64_t most_states) {
  const Machine machine(program, options);
  return Search(machine, ways_of(machine, run), reads, most_states).run();
}

Implied possible(const Program& program, MachineOptions options, std::uint64_t most_states) {
  const Machine machine(program, options);
  return Search(machine, std::nullopt, Reads::Free, most_states).run();
}

}  // namespace oracle
