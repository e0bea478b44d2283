// SPDX-License-Identifier: Apache-2.0
#include "solve/causal_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <set>

#include "abi/futex.h"
#include "solve/made_up_run.h"

namespace treadle {
namespace {

/// What can be read where, found by making the units of a trace in every possible order: the definition of the model, without the solver.
class BruteForce {
 public:
  BruteForce(const Trace& trace, const Units& units) : trace_(trace), units_(units), done_(units.all.size(), false) {
    for (CellId c = 0; c < units.initial.size(); ++c) memory_.push_back(units.initial[c]);
    go();
  }

  bool can_read(UnitId u, std::uint32_t read, ValueId value) const { return seen_.contains({u, read, value}); }
  bool can_fail(UnitId u) const { return seen_.contains({u, nothing, 0}); }
  bool can_succeed(UnitId u) const { return seen_.contains({u, nothing, 1}); }

 private:
  void go() {
    if (!states_.insert(done_and_memory()).second) return;
    for (UnitId u = 0; u < units_.all.size(); ++u) {
      const Unit& unit = units_.all[u];
      if (done_[u] || !std::all_of(unit.must.begin(), unit.must.end(), [&](UnitId m) { return done_[m]; })) continue;
      if (look(u)) make(u);
    }
  }

  std::vector<std::uint64_t> done_and_memory() const {
    std::vector<std::uint64_t> state(done_.begin(), done_.end());
    state.insert(state.end(), memory_.begin(), memory_.end());
    return state;
  }

  const Event* sync_of(const Unit& unit) const { return unit.syncs.empty() ? nullptr : &trace_.events[unit.syncs[0]]; }

  bool is_held(std::uint64_t at) const {
    int held = 0;
    for (UnitId u = 0; u < units_.all.size(); ++u) {
      const Event* e = done_[u] ? sync_of(units_.all[u]) : nullptr;
      if (e == nullptr || e->address != at || e->extra != 0) continue;
      held += e->kind == TREADLE_EV_LOCK || e->kind == TREADLE_EV_TRYLOCK ? 1 : e->kind == TREADLE_EV_UNLOCK ? -1 : 0;
    }
    return held > 0;
  }

  int semaphore(std::uint64_t at) const {
    int value = 0;
    for (UnitId u = 0; u < units_.all.size(); ++u) {
      const Event* e = done_[u] ? sync_of(units_.all[u]) : nullptr;
      if (e == nullptr || e->address != at || e->extra != 0) continue;
      value += e->kind == TREADLE_EV_SEM_POST ? 1 : e->kind == TREADLE_EV_SEM_WAIT || e->kind == TREADLE_EV_SEM_TRYWAIT ? -1 : 0;
    }
    return value;
  }

  /// Notes what it reads here; true: all is as it was in the trace.
  bool look(UnitId u) {
    const Unit& unit = units_.all[u];
    if (const Event* e = sync_of(unit)) {
      const bool taken = is_held(e->address);
      const bool none_left = semaphore(e->address) == 0;
      const bool got = e->extra == 0;
      if (e->kind == TREADLE_EV_LOCK && taken) return false;
      if (e->kind == TREADLE_EV_SEM_WAIT && none_left) return false;
      if (e->kind == TREADLE_EV_TRYLOCK || e->kind == TREADLE_EV_SEM_TRYWAIT) {
        const bool can = e->kind == TREADLE_EV_TRYLOCK ? !taken : !none_left;
        seen_.insert({u, nothing, can ? 1 : 0});
        if (can != got) return false;
      }
    }
    for (std::uint32_t r = 0; r < unit.reads.size(); ++r) {
      const UnitRead& read = unit.reads[r];
      const bool own = read.own_flush != nothing && !done_[read.own_flush];
      const ValueId value = own ? read.own_value : memory_[read.cell];
      seen_.insert({u, r, value});
      if (value != read.value) return false;
    }
    return true;
  }

  void make(UnitId u) {
    const std::vector<ValueId> before = memory_;
    for (const UnitWrite& write : units_.all[u].writes) memory_[write.cell] = write.value;
    done_[u] = true;
    go();
    done_[u] = false;
    memory_ = before;
  }

  const Trace& trace_;
  const Units& units_;
  std::vector<bool> done_;
  std::vector<ValueId> memory_;
  std::set<std::vector<std::uint64_t>> states_;
  std::set<std::tuple<UnitId, std::uint32_t, ValueId>> seen_;
};

std::vector<std::vector<MadeUpOp>> random_program(std::mt19937& random, bool with_locks) {
  std::vector<std::vector<MadeUpOp>> threads(2 + random() % 2);
  for (auto& ops : threads) {
    const std::size_t length = threads.size() == 2 ? 3 + random() % 3 : 2 + random() % 2;
    while (ops.size() < length) {
      const std::uint64_t x = random() % 2, v = random() % 3;
      switch (random() % (with_locks ? 9 : 4)) {
        case 0:
        case 1:
          ops.push_back({MadeUpOp::Read, x});
          break;
        case 2:
          ops.push_back({MadeUpOp::Write, x, v});
          break;
        case 3:
          ops.push_back({MadeUpOp::Add, x, 1});
          break;
        case 4:
        case 5:
          ops.push_back({random() % 3 == 0 ? MadeUpOp::TryLock : MadeUpOp::Lock, 8});
          ops.push_back({random() % 2 == 0 ? MadeUpOp::Read : MadeUpOp::Write, x, v});
          ops.push_back({MadeUpOp::Unlock, 8});
          break;
        case 6:
          ops.push_back({MadeUpOp::Post, 9});
          break;
        case 7:
          ops.push_back({MadeUpOp::Wait, 9});
          break;
        default:
          ops.push_back({MadeUpOp::TryWait, 9});
      }
    }
  }
  return threads;
}

/// Everything is as in the trace, and the last one finds the value.
bool leads_there(const Units& units, const Question& question, const Reply& reply) {
  std::vector<ValueId> memory = units.initial;
  std::set<UnitId> done;
  for (const UnitId u : reply.units) {
    const Unit& unit = units.all[u];
    for (const UnitId m : unit.must)
      if (!done.contains(m)) return false;
    done.insert(u);
    for (std::uint32_t r = 0; r < unit.reads.size(); ++r) {
      if (u == question.unit && r == question.read) return u == reply.units.back() && memory[unit.reads[r].cell] == question.value;
      if (memory[unit.reads[r].cell] != unit.reads[r].value) return false;
    }
    for (const UnitWrite& write : unit.writes) memory[write.cell] = write.value;
  }
  return false;
}

void compare(MemoryModel model, bool with_locks, unsigned seed, bool cross_check, bool direct_answers = false) {
  std::mt19937 random(seed);
  MadeUpRun run(random_program(random, with_locks), model, random);
  CausalOptions options;
  options.model = model;
  options.direct_answers = direct_answers;
  const auto both = [] { return make_cross_checked_solver(make_acyclic_solver(), make_z3_solver()); };
  CausalModel causal(run.trace(), options, cross_check ? SolverMaker(both) : SolverMaker(make_acyclic_solver));
  ASSERT_EQ(causal.limits(), "");
  const BruteForce all(run.trace(), causal.units());
  std::set<std::tuple<UnitId, std::uint32_t, ValueId>> asked;
  for (const Question& question : causal.questions()) {
    const UnitId u = question.unit;
    const Reply reply = causal.ask(question);
    ASSERT_NE(reply.answer, Answer::Unknown);
    const bool got = causal.units().all[u].syncs.empty() || run.trace().events[causal.units().all[u].syncs[0]].extra == 0;
    const bool possible = question.is_read() ? all.can_read(u, question.read, question.value) : got ? all.can_fail(u) : all.can_succeed(u);
    EXPECT_EQ(reply.answer == Answer::Yes, possible) << "seed " << seed << " unit " << u << " read " << question.read;
    if (question.is_read()) asked.insert({u, question.read, question.value});
    if (question.is_read() && reply.answer == Answer::Yes && model == MemoryModel::Sc)
      EXPECT_TRUE(leads_there(causal.units(), question, reply)) << "seed " << seed << " unit " << u << " read " << question.read;
  }
  // Nothing that can be read is left unasked.
  for (UnitId u = 0; u < causal.units().all.size(); ++u)
    for (std::uint32_t r = 0; r < causal.units().all[u].reads.size(); ++r) {
      const UnitRead& read = causal.units().all[u].reads[r];
      for (ValueId value = 0; value < causal.units().values[read.cell].size(); ++value)
        EXPECT_TRUE(value == read.value || !all.can_read(u, r, value) || asked.contains({u, r, value})) << "seed " << seed << " unit " << u;
    }
}

TEST(CausalModel, FindsExactlyTheValuesThatSomeOrderOfTheStepsGives) {
  for (unsigned seed = 1; seed <= 300; ++seed) compare(MemoryModel::Sc, false, seed, seed <= 20);
}

TEST(CausalModel, KnowsLocksAndSemaphores) {
  for (unsigned seed = 1; seed <= 300; ++seed) compare(MemoryModel::Sc, true, seed, seed <= 20);
}

TEST(CausalModel, GivesTheSameAnswersWhenItAnswersDirectlyWhereItCan) {
  for (unsigned seed = 1; seed <= 300; ++seed) compare(MemoryModel::Sc, seed % 2 == 0, seed, false, true);
}

TEST(CausalModel, NeedsNoFormulaForMostQuestions) {
  std::uint64_t constraints[2] = {0, 0};
  for (unsigned seed = 1; seed <= 50; ++seed)
    for (const bool direct_answers : {false, true}) {
      std::mt19937 random(seed);
      MadeUpRun run(random_program(random, false), MemoryModel::Sc, random);
      CausalOptions options;
      options.direct_answers = direct_answers;
      CausalModel causal(run.trace(), options, make_acyclic_solver);
      for (const Question& question : causal.questions()) causal.ask(question);
      constraints[direct_answers ? 1 : 0] += causal.statistics().constraints;
    }
  EXPECT_LT(constraints[1], constraints[0] / 5);
}

TEST(CausalModel, KnowsTheStoreBuffersOfTso) {
  for (unsigned seed = 1; seed <= 200; ++seed) compare(MemoryModel::Tso, seed % 2 == 0, seed, seed <= 10);
}

TEST(CausalModel, KnowsTheStoreBuffersOfPso) {
  for (unsigned seed = 1; seed <= 200; ++seed) compare(MemoryModel::Pso, seed % 2 == 0, seed, seed <= 10);
}

/// SB+rfi: both threads read their own store first, then the other's location, and neither store has got there.
TEST(CausalModel, ReadsOwnStoresEarlyUnderTso) {
  MadeUpTrace made;
  made.event(0, TREADLE_EV_THREAD_CREATE, 0, 1);
  made.event(0, TREADLE_EV_THREAD_CREATE, 0, 2);
  const auto store = [&](unsigned t, std::uint64_t at) {
    const auto event = made.event(t, TREADLE_EV_ATOMIC_WRITE, at, 1, 0, 0, 4, TREADLE_ORDER_BUFFERED);
    made.event(t, TREADLE_EV_ATOMIC_READ, at, 1, 0, 0, 4, TREADLE_ORDER_BUFFERED);
    return event;
  };
  const auto flush = [&](unsigned t, std::uint64_t at, std::uint64_t event) {
    made.event(t, TREADLE_EV_FLUSH, at, 1, event, 0, 4);
    made.trace.choices.back().taken = {DecisionKind::Flush, ThreadId{static_cast<std::uint8_t>(t)}, 0};
  };
  const auto x = store(1, 0x10);
  made.event(1, TREADLE_EV_ATOMIC_READ, 0x20, 0, 0, 0, 4);
  flush(1, 0x10, x);
  const auto y = store(2, 0x20);
  const auto other = made.event(2, TREADLE_EV_ATOMIC_READ, 0x10, 1, 0, 0, 4);
  flush(2, 0x20, y);
  made.trace.end.ending = TREADLE_END_COMPLETED;
  CausalOptions options;
  options.model = MemoryModel::Tso;
  CausalModel causal(made.trace, options, make_acyclic_solver);
  unsigned yes = 0;
  for (const Question& question : causal.questions())
    if (question.unit == causal.units().unit_of[other] && causal.ask(question).answer == Answer::Yes) ++yes;
  EXPECT_EQ(yes, 1u);
}

TEST(CausalModel, KeepsThePrefixAndAsksOnlyBehindIt) {
  MadeUpTrace made;
  made.event(0, TREADLE_EV_THREAD_CREATE, 0, 1);
  made.event(0, TREADLE_EV_ATOMIC_WRITE, 0x10, 1, 0, 0, 4, 5);
  made.event(1, TREADLE_EV_ATOMIC_READ, 0x10, 1, 0, 0, 4, 5);
  made.trace.end.ending = TREADLE_END_COMPLETED;
  CausalOptions options;
  CausalModel free(made.trace, options, make_acyclic_solver);
  ASSERT_EQ(free.questions().size(), 1u);
  const Reply reply = free.ask(free.questions()[0]);
  ASSERT_EQ(reply.answer, Answer::Yes);
  EXPECT_EQ(reply.decisions.size(), 2u);  // create, read
  options.fixed = 2;
  CausalModel bound(made.trace, options, make_acyclic_solver);
  EXPECT_TRUE(bound.questions().empty());
}

TEST(CausalModel, SaysWhatItHasNoModelFor) {
  MadeUpTrace made;
  made.event(0, TREADLE_EV_THREAD_CREATE, 0, 1);
  made.event(0, TREADLE_EV_FUTEX_WAKE, 0x10, 0, TREADLE_FUTEX_REQUEUES);
  made.trace.end.ending = TREADLE_END_COMPLETED;
  const CausalModel causal(made.trace, {}, make_acyclic_solver);
  EXPECT_EQ(causal.limits(), "a futex call that moves sleepers elsewhere");
}

}  // namespace
}  // namespace treadle
