// SPDX-License-Identifier: Apache-2.0
#include "classes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "generate.h"
#include "interpret.h"

namespace oracle {
namespace {

Statement store(int v, int value) { return Store{v, Order::Relaxed, constant(value)}; }
Statement load(int v, int reg) { return Load{v, Order::Relaxed, reg}; }

TEST(Classes, AreOneForIndependentThreads) {
  EXPECT_EQ(count_classes(with_threads({{}, {}}, {{store(0, 1), load(0, 0)}, {store(1, 1), load(1, 0)}})).all(), 1u);
  EXPECT_EQ(count_classes(with_threads({{}}, {{load(0, 0), load(0, 1)}, {load(0, 0)}, {load(0, 0)}})).all(), 1u);
  EXPECT_EQ(count_classes(with_threads({{}}, {{Fence{}}, {Fence{}}})).all(), 1u);
}

TEST(Classes, AreTheOrdersOfConflictingOperations) {
  EXPECT_EQ(count_classes(with_threads({{}}, {{store(0, 1)}, {store(0, 2)}})).all(), 2u);
  EXPECT_EQ(count_classes(with_threads({{}}, {{store(0, 1)}, {store(0, 2)}, {store(0, 3)}})).all(), 6u);
  EXPECT_EQ(count_classes(with_threads({{}, {}}, {{store(0, 1), load(1, 0)}, {store(1, 1), load(0, 0)}})).all(), 3u);
  // One store among the two loads of another thread: before, between, after.
  EXPECT_EQ(count_classes(with_threads({{}}, {{store(0, 1)}, {load(0, 0), load(0, 1)}})).all(), 3u);
}

TEST(Classes, DoNotCountPlainAccessesThatAreInvisible) {
  const Program program = with_threads({{false, 0}}, {{Store{0, Order::Plain, constant(1)}}, {Store{0, Order::Plain, constant(2)}}});
  EXPECT_EQ(count_classes(program).all(), 2u);
  EXPECT_EQ(count_classes(program, {.plain_is_visible = false}).all(), 1u);
}

TEST(Classes, TellCompletedStuckAndFailedApart) {
  Program program = with_threads({}, {{Lock{0}, Lock{1}, Unlock{1}, Unlock{0}}, {Lock{1}, Lock{0}, Unlock{0}, Unlock{1}}});
  program.mutexes = 2;
  EXPECT_EQ(count_classes(program), (Classes{.completed = 2, .stuck = 1, .failed = 0}));
  const Program failing = with_threads({{}}, {{store(0, 1)}, {load(0, 0), Assert{{0, true, 0}}}});
  EXPECT_EQ(count_classes(failing).completed, 1u);
  EXPECT_GE(count_classes(failing).failed, 1u);
}

TEST(Classes, ReadALockThatATrylockDoesNotGet) {
  // Two failed trylocks commute: the holder's release stands before, between or after them (each either way of who is first when they got
  // it).
  const Block attempt{TryLock{0, 0}, If{{0, true, 1}, {Unlock{0}}, {}}};
  Program program = with_threads({}, {attempt});
  program.mutexes = 1;
  program.threads[0] = {Lock{0}, Create{1}, Unlock{0}, Join{1}};
  EXPECT_EQ(count_classes(program).all(), 2u);
}

TEST(Classes, DoNotOrderAWakeUpWithOtherSignals) {
  // The signal that wakes nobody any more does not care whether the one woken has left the condition variable.
  Program program = with_threads({}, {{Signal{0}, Signal{0}}});
  program.mutexes = program.condvars = 1;
  program.threads[0] = {Lock{0}, Create{1}, Wait{0, 0}, Unlock{0}, Join{1}};
  // Both signals before the wait: stuck. The wait before both, or between them: it is woken by the first that finds it.
  EXPECT_EQ(count_classes(program), (Classes{.completed = 2, .stuck = 1}));
}

TEST(Classes, OrderReadersOfALockOnlyWithItsWriters) {
  const Block reader{RwLock{0, false}, RwUnlock{0}}, writer{RwLock{0, true}, RwUnlock{0}};
  Program readers = with_threads({}, {reader, reader}), both = with_threads({}, {reader, writer}),
          three = with_threads({}, {reader, writer, reader});
  readers.rwlocks = both.rwlocks = three.rwlocks = 1;
  EXPECT_EQ(count_classes(readers).all(), 1u);
  EXPECT_EQ(count_classes(both).all(), 2u);
  EXPECT_EQ(count_classes(three).all(), 4u);
}

TEST(Classes, UnderTsoAndPsoAreReadsFromAndCoherence) {
  const Program sb = with_threads({{}, {}}, {{store(0, 1), load(1, 0)}, {store(1, 1), load(0, 0)}});
  EXPECT_EQ(count_classes(sb).all(), 3u);
  EXPECT_EQ(count_classes(sb, {Model::Tso}).all(), 4u);
  // Whether a load gets its own store from the buffer or from memory makes no difference.
  const Program own = with_threads({{}}, {{store(0, 1), load(0, 0), load(0, 1)}});
  for (const Model model : kModels) EXPECT_EQ(count_classes(own, {model}).all(), 1u);
  const Program own_and_another = with_threads({{}}, {{store(0, 1), load(0, 0)}, {store(0, 2)}});
  for (const Model model : kModels) EXPECT_EQ(count_classes(own_and_another, {model}).all(), 3u);
  // Two stores overtake each other: their orders are told apart only by one who looks.
  const Program unseen = with_threads({{}, {}}, {{store(0, 1), store(1, 1)}});
  EXPECT_EQ(count_classes(unseen, {Model::Pso}).all(), 1u);
  const Program mp = with_threads({{}, {}}, {{store(0, 1), store(1, 1)}, {load(1, 0), load(0, 1)}});
  EXPECT_EQ(count_classes(mp, {Model::Tso}).all(), 3u);
  EXPECT_EQ(count_classes(mp, {Model::Pso}).all(), 4u);
}

TEST(Classes, DoNotKnowRoundsOfASpinLoopThatChangeNothing) {
  const Program flag = with_threads({{}}, {{store(0, 1)}, {Await{0, Order::Relaxed, 1}}});
  EXPECT_EQ(count_classes(flag).all(), 1u);
  // The older value leaves the loop as well.
  const Program older = with_threads({{}}, {{store(0, 1), store(0, 2)}, {Spin{{0, false, 1}, {load(0, 0)}}}});
  EXPECT_EQ(count_classes(older), (Classes{.completed = 2}));
  // Leaves when x is 1, or else y: x seen at 1; or x seen at 0 and then y at 1.
  const Spin either{{0, true, 1}, {load(0, 0), If{{0, false, 1}, {load(1, 0)}, {}}}};
  const Program two = with_threads({{}, {}}, {{store(0, 1)}, {store(1, 1)}, {either}});
  EXPECT_EQ(count_classes(two), (Classes{.completed = 2}));
  const Program never = with_threads({{}, {}}, {{store(0, 2)}, {either}});
  EXPECT_EQ(count_classes(never), (Classes{.stuck = 1}));
  // Two loops in a row.
  const Program in_a_row = with_threads({{}}, {{store(0, 1)}, {Spin{{0, true, 1}, {load(0, 0)}}, Spin{{0, true, 2}, {load(0, 0)}}}});
  EXPECT_EQ(count_classes(in_a_row), (Classes{.stuck = 1}));
  const Block locked{Spin{{0, true, 0}, {Exchange{0, Order::Acquire, 0, constant(1)}}}, Store{0, Order::Release, constant(0)}};
  EXPECT_EQ(count_classes(with_threads({{}}, {locked, locked, locked})), (Classes{.completed = 6}));
}

std::uint64_t told_apart(const Program& program, TellApart by, Model model = Model::Sc) {
  return count_classes(program, {.model = model, .by = by}).all();
}

TEST(CoarserClasses, ForgetTheOrderOfWhatNobodySees) {
  // The last write is seen in the end.
  const Program writers = with_threads({{}}, {{store(0, 1)}, {store(0, 2)}, {store(0, 3)}});
  EXPECT_EQ(told_apart(writers, TellApart::Order), 6u);
  EXPECT_EQ(told_apart(writers, TellApart::ReadsFrom), 3u);
  EXPECT_EQ(told_apart(writers, TellApart::Values), 3u);
  const Program same_value = with_threads({{}}, {{store(0, 1)}, {store(0, 1)}, {store(0, 1)}});
  EXPECT_EQ(told_apart(same_value, TellApart::ReadsFrom), 3u);
  EXPECT_EQ(told_apart(same_value, TellApart::Values), 1u);
  const Program nothing_new = with_threads({{}}, {{store(0, 0)}, {load(0, 0)}});
  EXPECT_EQ(told_apart(nothing_new, TellApart::ReadsFrom), 2u);
  EXPECT_EQ(told_apart(nothing_new, TellApart::Values), 1u);
  // Who adds first is seen by both, but not who is second and who is third by the one who is first.
  const Program adders = with_threads({{}}, {{FetchAdd{0, Order::SeqCst, 0, constant(1)}}, {FetchAdd{0, Order::SeqCst, 0, constant(1)}}});
  EXPECT_EQ(told_apart(adders, TellApart::Values), 2u);
}

TEST(CoarserClasses, KnowLocksOnlyByWhatIsReadUnderThem) {
  const Block empty{Lock{0}, Unlock{0}}, counts{Lock{0}, load(0, 0), Store{0, Order::Relaxed, reg_plus(0, 1)}, Unlock{0}};
  Program nothing = with_threads({{}}, {empty, empty}), counter = with_threads({{}}, {counts, counts});
  nothing.mutexes = counter.mutexes = 1;
  EXPECT_EQ(told_apart(nothing, TellApart::Order), 2u);
  EXPECT_EQ(told_apart(nothing, TellApart::ReadsFrom), 1u);
  EXPECT_EQ(told_apart(counter, TellApart::Values), 2u);
}

TEST(CoarserClasses, KnowWhetherAnAttemptSucceedsAndWhereThreadsGetStuck) {
  Program attempts = with_threads({}, {{Lock{0}, Unlock{0}}, {TryLock{0, 0}, If{{0, true, 1}, {Unlock{0}}, {}}}});
  attempts.mutexes = 1;
  EXPECT_EQ(told_apart(attempts, TellApart::Values), 2u);
  Program ring = with_threads({}, {{Lock{0}, Lock{1}, Unlock{1}, Unlock{0}}, {Lock{1}, Lock{0}, Unlock{0}, Unlock{1}}});
  ring.mutexes = 2;
  EXPECT_EQ(count_classes(ring, {.by = TellApart::Values}), (Classes{.completed = 1, .stuck = 1}));
  Program barrier = with_threads({}, {{BarrierWait{0}}, {BarrierWait{0}}});
  barrier.barriers = {2};
  EXPECT_EQ(told_apart(barrier, TellApart::Values), 2u);  // which of the two was the last
  Program waits = with_threads({}, {{Signal{0}, Signal{0}}});
  waits.mutexes = waits.condvars = 1;
  waits.threads[0] = {Lock{0}, Create{1}, Wait{0, 0}, Unlock{0}, Join{1}};
  EXPECT_EQ(count_classes(waits, {.by = TellApart::Values}), (Classes{.completed = 1, .stuck = 1}));
}

TEST(CoarserClasses, UnderTsoAndPsoKnowWhatABufferServes) {
  const Program own_and_another = with_threads({{}}, {{store(0, 1), load(0, 0)}, {store(0, 2)}});
  for (const Model model : kModels) {
    EXPECT_EQ(told_apart(own_and_another, TellApart::ReadsFrom, model), 3u);
    EXPECT_EQ(told_apart(own_and_another, TellApart::Values, model), 3u);
  }
  const Program mp = with_threads({{}, {}}, {{store(0, 1), store(1, 1)}, {load(1, 0), load(0, 1)}});
  EXPECT_EQ(told_apart(mp, TellApart::Values, Model::Tso), 3u);
  EXPECT_EQ(told_apart(mp, TellApart::Values, Model::Pso), 4u);
}

TEST(CoarserClasses, DoNotKnowRoundsOfASpinLoopThatChangeNothing) {
  const Program two = with_threads({{}}, {{store(0, 1)}, {store(0, 1)}, {Await{0, Order::Relaxed, 1}}});
  EXPECT_EQ(told_apart(two, TellApart::ReadsFrom), 4u);  // of whom it hears, and who is the last
  EXPECT_EQ(told_apart(two, TellApart::Values), 1u);
}

// The definition once more, by the dependence relation itself: executions are equivalent when one is made of the other by changing places
// of neighbours that are independent.
class Neighbours {
 public:
  Neighbours(const Program& program, Model model) : machine_(program, {.model = model}), model_(model) { visit(machine_.start(), {}, {}); }

  static constexpr std::size_t kMost = 4000;
  std::size_t executions() const { return numbers_.size(); }

  std::size_t components() {
    std::size_t count = numbers_.size();
    for (const auto& [moves, number] : numbers_) {
      for (std::size_t i = 0; i + 1 < moves.size(); ++i) {
        const Effect &first = effects_[number][i], &second = effects_[number][i + 1];
        if (moves[i].process == moves[i + 1].process || dependent(first, second)) continue;
        std::vector<Action> other = moves;
        std::swap(other[i], other[i + 1]);
        const auto found = numbers_.find(other);
        if (found == numbers_.end()) {  // a store before its own flush, a flush before what waits for it
          EXPECT_EQ(first.thread, second.thread) << "independent, but not in this order";
          continue;
        }
        const int a = root(number), b = root(found->second);
        if (a == b) continue;
        leader_[a] = b;
        --count;
      }
    }
    return count;
  }

 private:
  struct Action {
    int process = 0;   // a thread, or one of its buffers
    int argument = 0;  // who is woken, that it timed out
    auto operator<=>(const Action&) const = default;
  };
  struct Effect {
    int thread = 0;
    bool ends = false;
    std::vector<int> reads, writes;  // a load that its own buffer serves reads nothing, a buffered store writes nothing
  };

  static bool meet(const std::vector<int>& some, const std::vector<int>& others) {
    return std::any_of(some.begin(), some.end(), [&](int o) { return std::find(others.begin(), others.end(), o) != others.end(); });
  }
  static bool dependent(const Effect& a, const Effect& b) {
    if (a.ends || b.ends) return true;
    if (a.thread == b.thread) return false;  // a load and a flush of the same thread: it gets the same value either way
    return meet(a.writes, b.writes) || meet(a.reads, b.writes) || meet(a.writes, b.reads);
  }

  Action action_of(Move move, int flushed) const {
    if (move.kind != Move::Kind::Flush) return {move.thread, int(move.kind) * 10 + move.argument};
    return {move.thread + 10 * (model_ == Model::Tso ? 1 : flushed + 1), 0};
  }

  void visit(const State& state, const std::vector<Action>& actions, const std::vector<Effect>& effects) {
    if (executions() > kMost) return;
    std::vector<Move> moves;
    machine_.moves(state, moves);
    if (moves.empty() && machine_.ending(state) != Ending::NoExecution) {
      leader_.push_back(int(leader_.size()));
      numbers_.emplace(actions, leader_.back());
      effects_.push_back(effects);
    }
    for (const Move move : moves) {
      State next = state;
      const Event event = machine_.apply(next, move);
      const ThreadState& before = state.threads[move.thread];
      Effect effect{move.thread, next.failed, {}, {}};
      for (int i = 0; i < event.touched; ++i) {
        const Touch touch = event.touches[i];
        const auto same = [&touch](const Buffered& entry) { return entry.variable == touch.object; };
        const bool served = !touch.writes && touch.object < kMaxVariables &&
                            std::any_of(before.buffer.begin(), before.buffer.begin() + before.buffered, same);
        if (!touch.buffered && !served) (touch.writes ? effect.writes : effect.reads).push_back(touch.object);
      }
      std::vector<Action> more_actions = actions;
      more_actions.push_back(action_of(move, event.touches[0].object));
      std::vector<Effect> more_effects = effects;
      more_effects.push_back(std::move(effect));
      visit(next, more_actions, more_effects);
    }
  }

  int root(int n) const {
    while (leader_[n] != n) n = leader_[n];
    return n;
  }

  Machine machine_;
  Model model_;
  std::map<std::vector<Action>, int> numbers_;
  std::vector<std::vector<Effect>> effects_;
  std::vector<int> leader_;
};

Program small_program(const Profile& like, std::uint64_t seed, Model model) {
  Profile profile = resolve(like, seed);
  profile.limit_model = model;
  profile.most_executions = 2000;
  return generate(seed, profile);
}

TEST(Classes, AreWhatChangingPlacesOfIndependentNeighboursCannotReach) {
  int judged = 0;
  for (const Profile& profile : profiles()) {
    for (const Model model : kModels) {
      for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        const Program program = small_program(profile, seed, model);
        SCOPED_TRACE(std::string(profile.name) + "/" + std::to_string(seed) + " " + text_of(model));
        Neighbours neighbours(program, model);
        if (neighbours.executions() > Neighbours::kMost) continue;
        ++judged;
        EXPECT_EQ(neighbours.components(), count_classes(program, {model}).all()) << profile.name << "/" << seed << " " << text_of(model);
      }
    }
  }
  EXPECT_GE(judged, 300);
}

TEST(CoarserClasses, AreUnionsOfFinerOnesAndHaveOneOutcomeEach) {
  const auto no_more = [](const Classes& coarse, const Classes& fine) {
    return coarse.completed <= fine.completed && coarse.stuck <= fine.stuck && coarse.failed <= fine.failed;
  };
  int fewer = 0;
  for (const Profile& profile : profiles()) {
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
      for (const Model model : kModels) {
        const Program program = small_program(profile, seed, model);
        SCOPED_TRACE(std::string(profile.name) + "/" + std::to_string(seed) + " " + text_of(model));
        const Classes by_order = count_classes(program, {.model = model});
        const ClassOptions by_sources{.model = model, .by = TellApart::ReadsFrom}, by_values{.model = model, .by = TellApart::Values};
        const Classes rf = count_classes(program, by_sources), values = count_classes(program, by_values);
        EXPECT_EQ(rf, count_classes_by_enumeration(program, by_sources));
        EXPECT_EQ(values, count_classes_by_enumeration(program, by_values));
        EXPECT_TRUE(no_more(values, rf) && no_more(rf, by_order));
        const Interpretation all = interpret(program, model);
        EXPECT_LE(all.outcomes.size(), values.completed);
        EXPECT_EQ(all.deadlocks, values.stuck > 0);
        EXPECT_EQ(all.fails, values.failed > 0);
        fewer += values.all() < by_order.all();
      }
    }
  }
  EXPECT_GE(fewer, 100);
}

TEST(Classes, OfPrefixesAndByEnumerationAreTheSameNumber) {
  for (const Profile& profile : profiles()) {
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
      for (const Model model : kModels) {
        const Program program = small_program(profile, seed, model);
        EXPECT_EQ(count_classes(program, {model}), count_classes_by_enumeration(program, {model}))
            << profile.name << "/" << seed << " " << text_of(model);
      }
      const Program program = generate(seed, profile);
      const ClassOptions invisible{.plain_is_visible = false};
      EXPECT_EQ(count_classes(program, invisible), count_classes_by_enumeration(program, invisible)) << profile.name << "/" << seed;
    }
  }
}

}  // namespace
}  // namespace oracle
