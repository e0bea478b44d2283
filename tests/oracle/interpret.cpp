// SPDX-License-Identifier: Apache-2.0
#include "interpret.h"

#include <unordered_map>

namespace oracle {
namespace {

constexpr std::uint64_t kSaturated = std::uint64_t(1) << 62;  // two of them still fit

class Search {
 public:
  Search(const Program& program, MachineOptions options, std::uint64_t most_states)
      : machine_(program, options), most_states_(most_states) {}

  Interpretation run() {
    found_.executions = visit(machine_.start());
    found_.states = paths_.size();
    return std::move(found_);
  }

 private:
  // The number of executions that go on from here. Programs are bounded and a spin loop counts as blocked, so the states form no cycle.
  std::uint64_t visit(const State& state) {
    if (paths_.size() >= most_states_) {
      found_.complete = false;
      return 0;
    }
    const auto [known, fresh] = paths_.try_emplace(machine_.key(state), 0);
    if (!fresh) return known->second;
    std::vector<Move> moves;
    machine_.moves(state, moves);
    std::uint64_t paths = 0;
    for (const Move move : moves) {
      State next = state;
      machine_.apply(next, move);
      paths = std::min(kSaturated, paths + visit(next));
    }
    if (moves.empty()) {
      paths = machine_.ending(state) == Ending::NoExecution ? 0 : 1;
      end(state);
    }
    return known->second = paths;  // references into an unordered_map stay valid
  }

  void end(const State& state) {
    switch (machine_.ending(state)) {
      case Ending::Completed:
        found_.outcomes.insert(machine_.outcome(state));
        break;
      case Ending::Stuck:
        found_.deadlocks = true;
        break;
      case Ending::Failed:
        found_.fails = true;
        break;
      case Ending::Misused:
        found_.misuses = true;
        break;
      case Ending::NoExecution:
        break;
    }
  }

  Machine machine_;
  std::uint64_t most_states_;
  std::unordered_map<std::string, std::uint64_t> paths_;
  Interpretation found_;
};

}  // namespace

Interpretation interpret(const Program& program, MachineOptions options, std::uint64_t most_states) {
  return Search(program, options, most_states).run();
}

Interpretation interpret(const Program& program, Model model) { return interpret(program, MachineOptions{.model = model}); }

std::map<std::string, int> named(const Program& program, const Outcome& outcome) {
  std::map<std::string, int> result;
  const std::vector<std::string> names = observed_names(program);
  for (std::size_t i = 0; i < names.size(); ++i) result[names[i]] = outcome[i];
  return result;
}

std::string to_string(const std::map<std::string, int>& outcome) {
  std::string text;
  for (const auto& [name, value] : outcome) text += (text.empty() ? "" : " ") + name + "=" + std::to_string(value);
  return text;
}

}  // namespace oracle
