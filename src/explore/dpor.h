// SPDX-License-Identifier: Apache-2.0
// Dynamic partial order reduction as Inspect does it (Yang, Chen, Gopalakrishnan, Kirby 2007, Fig. 2 and 8; after Flanagan and Godefroid
// 2005): depth first over the transitions of executions. Each state on the stack has a backtrack set, to which races found later add the
// processes that must be explored from there too, and a sleep set of transitions that would only repeat what has been explored.
//
// The search is stateless: an execution follows the stack to its top, takes the transition chosen there and then runs on by itself. The
// runtime knows nothing of sleep sets, so it may run a sleeping transition. What follows is known by then: the execution is cut there, and
// if something else was possible in that state, the next one takes it.
//
// Where the seed says "any q of E" we take one whose first transition depends on no other in E (an initial, as in source sets, Abdulla et
// al. 2014): one of those that the seed may choose from, and the choice for which the combination with sleep sets has a proof. Why the
// figures are still the seed's: docs/fidelity.md.
//
// A thread with several ways to make its next step (whom a signal wakes) is explored in all of them wherever it is explored at all.
#pragma once

#include <vector>

#include "explore/partial_order.h"
#include "explore/strategy.h"

namespace treadle {

class Dpor final : public Strategy {
 public:
  /// The seed's two ways to avoid redundant backtracking; switched off only to show what they save.
  struct Reductions {
    bool locksets = true;    // §4.4: two acquisitions are not co-enabled while their threads hold another lock in common
    bool sleep_sets = true;  // §4.5
  };

  explicit Dpor(Schedule base);
  Dpor(Schedule base, Reductions reductions);

  std::optional<Item> next() override;
  void learn_from(Ticket ticket, const Trace& trace) override;
  Recording needs() const override;
  std::string covers() const override;
  std::optional<double> estimate() const override;
  Counts counts() const override { return counts_; }
  std::string save() const override;
  bool load(std::string_view bytes) override;

 private:
  /// A state of the stack: where the transitions of the states below it lead.
  struct State {
    std::uint32_t depth = 0;         // decisions on the way here
    std::vector<Decision> enabled;   // sleeping ones included
    std::vector<Process> backtrack;  // to be explored from here: explored already, under way or still to come
    std::vector<Decision> done;      // explored or under way
    std::vector<Action> sleep;       // inherited, and what has been explored from here
    Action taken;                    // the transition under way
    bool under_way = false;
    bool explored = false;  // something has been taken from here and did not lead back
  };

  State& push(std::uint32_t depth);
  static std::vector<Decision>::const_iterator to_explore(const State& state);
  void fall_asleep(const State& before, State& after) const;
  std::uint32_t follow(const Trace& trace, std::uint32_t from);
  bool go_elsewhere(State& state);
  void look_back_of_blocked(const Trace& trace, std::uint32_t kept);
  void list_enabled(const Trace& trace, std::uint32_t transition, State& state);
  void backtrack_for(const Trace& trace, const Race& race);
  void backtrack_without_locksets(std::uint32_t from, std::uint32_t kept);
  void find_initials(const Trace& trace, const Race& race);

  /// The first move of a process on the way to the second transition of a race.
  struct Initial {
    Process process;
    Decision decision;
  };

  Schedule base_;
  Reductions reductions_;
  FruitlessIterations fruitless_;
  PartialOrder order_;
  std::vector<State> stack_;  // the first `height_` count, the others keep their memory
  std::size_t height_ = 0;
  std::vector<Decision> path_;  // what the transitions under way consist of
  std::vector<Initial> initials_;
  std::vector<std::uint32_t> past_, firsts_;
  std::vector<std::uint32_t> before_;  // scratch of find_initials
  std::vector<ThreadId> turned_back_;  // threads whose last moves, in a fruitless loop, do not count
  Decision chosen_;                    // what the execution that is out does first
  Trace until_cut_;
  bool started_ = false, out_ = false;
  bool resumed_ = false;     // nothing has been taken in since
  bool look_again_ = false;  // what can be overtaken from the top of the stack is still to be seen
  std::uint64_t executions_ = 0;
  Counts counts_;
};

}  // namespace treadle
