// SPDX-License-Identifier: Apache-2.0
#include "paths.h"

#include <algorithm>
#include <stdexcept>
#include <unordered_set>

#include "emit_c.h"

namespace oracle {
namespace {

/// All executions with given inputs. Two beginnings with the same state and the same path so far go on alike.
class Search {
 public:
  Search(const Machine& machine, std::uint64_t most_states, Paths& found) : machine_(machine), most_states_(most_states), found_(found) {}

  void run() { visit({machine_.start(), {}}); }

 private:
  struct Place {
    State state;
    Path path;
  };

  void visit(const Place& place) {
    if (found_.states >= most_states_) {
      found_.complete = false;
      return;
    }
    std::string key = machine_.key(place.state);
    for (const std::string& path : place.path) key += path + ";";
    if (!seen_.insert(std::move(key)).second) return;
    ++found_.states;
    std::vector<Move> moves;
    machine_.moves(place.state, moves);
    for (const Move move : moves) {
      Place next = place;
      const Event event = machine_.apply(next.state, move);
      if (move.kind != Move::Kind::Flush) extend(next.path[move.thread], event, place.state, move.thread);
      if (event.failed != nullptr) found_.failing.insert(assertion_label(move.thread, event.failed->object));
      visit(next);
    }
    if (moves.empty()) end(place);
  }

  static void extend(std::string& path, const Event& event, const State& before, int thread) {
    const Instruction& what = *event.instruction;
    if (event.phase == Phase::Running && may_fail(what.op)) path += event.succeeded ? '1' : '0';
    if (event.phase == Phase::Running && what.op == Op::SemGetValue) path += char('0' + before.count[what.object]);
    // Told when the mutex is taken back, by the call that returns then.
    if (event.phase == Phase::Relocking && what.timed) path += char('0' + before.threads[thread].registers[what.reg]);
    if (event.phase == Phase::Running && what.op == Op::FutexWait && !event.succeeded) path += '1';
    if (event.phase == Phase::Asleep || event.phase == Phase::Roused) path += event.phase == Phase::Asleep ? '2' : '0';
    if (event.phase == Phase::Running && what.op == Op::FutexWake && what.reg >= 0) path += char('0' + event.woken);
    for (int i = 0; i < event.branched; ++i) path += (event.branches >> i & 1) != 0 ? '1' : '0';
    if (path.size() > std::size_t(kMaxMarks)) throw std::invalid_argument("a path is too long");
  }

  static bool may_fail(Op op) {
    return op == Op::CompareExchange || op == Op::TryLock || op == Op::SemTry || op == Op::TryReadLock || op == Op::TryWriteLock;
  }

  /// Who waits for ever has gone as far as he stands.
  static Path with_places(const Place& place) {
    Path path = place.path;
    for (std::size_t t = 0; t < path.size(); ++t)
      path[t] += "@" + std::to_string(place.state.threads[t].pc) + "." + std::to_string(int(place.state.threads[t].phase));
    return path;
  }

  void end(const Place& place) {
    switch (machine_.ending(place.state)) {
      case Ending::Completed:
        found_.completed.insert(place.path);
        break;
      case Ending::Stuck:
        found_.stuck.insert(with_places(place));
        break;
      case Ending::Failed:
        found_.failed.insert(place.path);
        break;
      case Ending::Misused:
        found_.complete = false;
        break;
      case Ending::NoExecution:
        break;
    }
  }

  const Machine& machine_;
  std::uint64_t most_states_;
  Paths& found_;
  std::unordered_set<std::string> seen_;
};

bool begins(const Path& beginning, const Path& whole) {
  for (std::size_t t = 0; t < whole.size(); ++t)
    if (!whole[t].starts_with(beginning[t])) return false;
  return true;
}

}  // namespace

std::string to_string(const Path& path) {
  std::string text;
  for (std::size_t t = 0; t < path.size(); ++t)
    if (!path[t].empty()) text += (text.empty() ? "" : " ") + ("t" + std::to_string(t)) + ":" + path[t];
  return text.empty() ? "no branch" : text;
}

Paths paths_of(const Program& program, Model model, std::uint64_t most_states) {
  Paths found;
  std::vector<int> values;
  for (const InputRange& range : program.inputs) values.push_back(range.lowest);
  for (bool more = true; more && found.complete;) {
    const Machine machine(program, {.model = model, .inputs = values});
    Search(machine, most_states, found).run();
    ++found.inputs;
    more = false;
    for (std::size_t i = 0; i < values.size() && !more; ++i) {
      more = values[i] < program.inputs[i].highest;
      values[i] = more ? values[i] + 1 : program.inputs[i].lowest;
    }
  }
  return found;
}

std::set<Path> without_beginnings(const std::set<Path>& paths) {
  std::set<Path> longest;
  for (const Path& path : paths)
    if (std::none_of(paths.begin(), paths.end(), [&path](const Path& other) { return other != path && begins(path, other); }))
      longest.insert(path);
  return longest;
}

}  // namespace oracle
