// SPDX-License-Identifier: Apache-2.0
#include "generate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "emit_c.h"
#include "interpret.h"

namespace oracle {
namespace {

TEST(Generator, MakesTheSameProgramFromTheSameSeed) {
  for (const Profile& profile : profiles())
    for (std::uint64_t seed = 1; seed <= 20; ++seed)
      EXPECT_EQ(generate(seed, profile), generate(seed, profile)) << profile.name << "/" << seed;
}

TEST(Generator, MakesDifferentProgramsFromDifferentSeeds) {
  for (const Profile& profile : profiles()) {
    std::set<std::string> texts;
    for (std::uint64_t seed = 1; seed <= 50; ++seed) texts.insert(emit_c(generate(seed, profile)));
    EXPECT_GE(texts.size(), 48u) << profile.name;
  }
}

TEST(Generator, StaysWithinTheLimitOfExecutionsAndNeverMisusesALock) {
  for (const Profile& profile : profiles()) {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      const Program program = generate(seed, profile);
      EXPECT_EQ(why_malformed(program), "");
      const Interpretation all = interpret(program, Model::Sc);
      EXPECT_TRUE(all.complete);
      EXPECT_FALSE(all.misuses) << profile.name << "/" << seed;
      EXPECT_LE(all.executions, profile.most_executions) << profile.name << "/" << seed;
    }
  }
}

TEST(Generator, ReachesDeadlocksAndFailedAssertionsWhereTheProfileHasThem) {
  const auto some = [](const char* name, auto property) {
    for (std::uint64_t seed = 1; seed <= 100; ++seed)
      if (property(interpret(generate(seed, *find_profile(name)), Model::Sc))) return true;
    return false;
  };
  const auto deadlocks = [](const Interpretation& all) { return all.deadlocks; };
  const auto fails = [](const Interpretation& all) { return all.fails; };
  for (const char* name : {"locks", "condvars", "semaphores", "spins"}) EXPECT_TRUE(some(name, deadlocks)) << name;
  for (const char* name : {"racy", "locks", "loops"}) EXPECT_TRUE(some(name, fails)) << name;
  EXPECT_FALSE(some("atomics", deadlocks));
}

// What happens in some execution of a program, in words.
class Happenings {
 public:
  explicit Happenings(const Program& program) : machine_(program, {}) { visit(machine_.start()); }
  std::set<std::string> all;

 private:
  void visit(const State& state) {
    if (seen_.size() > 20'000 || !seen_.insert(machine_.key(state)).second) return;
    std::vector<Move> moves;
    machine_.moves(state, moves);
    int waiters = 0;
    for (const Move move : moves) {
      State next = state;
      const Event event = machine_.apply(next, move);
      waiters += move.kind == Move::Kind::Wake;
      tell(move, event);
      visit(next);
    }
    if (waiters > 1) all.insert("a signal that has a choice");
    if (moves.empty() && machine_.ending(state) == Ending::Stuck) all.insert("stuck");
    if (moves.empty() && machine_.ending(state) == Ending::Failed) all.insert("a failed assertion");
  }

  void tell(Move move, const Event& event) {
    const Op op = event.instruction->op;
    const std::string how = move.kind == Move::Kind::Timeout ? " times out" : event.succeeded ? "" : " fails";
    const auto happens = [this](const std::string& what) { all.insert(what); };
    if (op == Op::CompareExchange) happens("compare-exchange" + how);
    if (op == Op::TryLock) happens("trylock" + how);
    if (op == Op::TryReadLock) happens("tryrdlock" + how);
    if (op == Op::TryWriteLock) happens("trywrlock" + how);
    if (op == Op::SemTry) happens("sem_trywait" + how);
    if (op == Op::Wait && event.phase == Phase::Waiting) happens("cond_wait" + how);
    if (op == Op::SemGetValue) happens("sem_getvalue");
    if (op == Op::SemWait) happens("sem_wait");
    if (op == Op::BarrierWait && event.phase == Phase::Released) happens("a barrier opens");
    if (op == Op::Broadcast && event.touched > 2) happens("a broadcast to several");
    if (op == Op::Create && move.thread > 0) happens("a thread of a thread");
    if (op == Op::Join && move.thread == 0 && event.instruction->object > 1) happens("join of a later thread");
  }

  Machine machine_;
  std::set<std::string> seen_;
};

TEST(Generator, LeavesNothingOut) {
  std::set<std::string> missing{"compare-exchange",
                                "compare-exchange fails",
                                "trylock",
                                "trylock fails",
                                "trylock times out",
                                "tryrdlock",
                                "tryrdlock fails",
                                "tryrdlock times out",
                                "trywrlock",
                                "trywrlock fails",
                                "trywrlock times out",
                                "sem_trywait",
                                "sem_trywait fails",
                                "sem_trywait times out",
                                "cond_wait times out",
                                "sem_getvalue",
                                "sem_wait",
                                "a barrier opens",
                                "a broadcast to several",
                                "a signal that has a choice",
                                "a thread of a thread",
                                "join of a later thread",
                                "stuck",
                                "a failed assertion"};
  for (const char* name : {"mixed", "condvars"}) {
    for (std::uint64_t seed = 1; seed <= 500; ++seed) {
      Profile profile = resolve(*find_profile(name), seed);
      profile.most_classes = 150;  // as reductions are compared
      profile.most_executions = UINT64_MAX;
      for (const std::string& happening : Happenings(generate(seed, profile)).all) missing.erase(happening);
    }
  }
  EXPECT_EQ(missing, std::set<std::string>{});
}

Program small(const char* profile, std::uint64_t seed) {
  Profile limited = *find_profile(profile);
  limited.most_classes = 100;
  limited.most_executions = UINT64_MAX;
  return generate(seed, limited);
}

TEST(Generator, BringsAnyTwoKindsOfOperationsTogetherInTheProfileOfEverything) {
  std::set<unsigned> missing;
  for (unsigned one = 1; one <= kKinds; one <<= 1)
    for (unsigned other = one << 1; other <= kKinds; other <<= 1)
      if ((one & kKinds) != 0 && (other & kKinds) != 0) missing.insert(one | other);
  EXPECT_EQ(missing.size(), 36u);
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const unsigned kinds = kinds_of(small("everything", seed));
    std::erase_if(missing, [kinds](unsigned pair) { return (pair & ~kinds) == 0; });
  }
  EXPECT_EQ(missing, std::set<unsigned>{});
}

// A reader waits at a barrier, without having given back what it reads.
bool waits_among_readers(const Block& block) {
  bool reads = false;
  for (const Statement& statement : block) {
    if (const RwLock* lock = std::get_if<RwLock>(&statement.is)) reads |= !lock->writes;
    if (std::holds_alternative<RwUnlock>(statement.is)) reads = false;
    if (reads && std::holds_alternative<BarrierWait>(statement.is)) return true;
  }
  return false;
}

bool writes_lock(const Block& block) {
  return std::any_of(block.begin(), block.end(), [](const Statement& statement) {
    const RwLock* lock = std::get_if<RwLock>(&statement.is);
    return lock != nullptr && lock->writes;
  });
}

TEST(Generator, LetsReadersMeetAtABarrierWhileAWriterWaitsForThem) {
  int met = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const Program program = small("meetings", seed);
    const auto readers = std::count_if(program.threads.begin(), program.threads.end(), waits_among_readers);
    met += readers > 1 && std::any_of(program.threads.begin(), program.threads.end(), writes_lock);
  }
  EXPECT_GE(met, 5);
}

TEST(Generator, NeverMisusesALockWhereEverythingMeets) {
  for (const char* profile : {"meetings", "everything"})
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      const Program program = small(profile, seed);
      EXPECT_EQ(program, small(profile, seed)) << profile << "/" << seed;
      EXPECT_EQ(why_malformed(program), "");
      const Interpretation all = interpret(program, Model::Sc);
      EXPECT_TRUE(all.complete);
      EXPECT_FALSE(all.misuses) << profile << "/" << seed;
    }
}

// Walks through a thread and checks that plain variables are touched only while their mutex is held.
void expect_guarded(const Program& program, const Block& block, std::set<int>& held) {
  const auto guarded = [&](int variable) {
    if (!program.variables[variable].atomic) EXPECT_TRUE(held.count(variable % program.mutexes)) << emit_c(program);
  };
  for (const Statement& statement : block) {
    std::visit(Cases{
                   [&](const Load& s) { guarded(s.variable); },
                   [&](const Store& s) { guarded(s.variable); },
                   [&](const Lock& s) { held.insert(s.mutex); },
                   [&](const Unlock& s) { held.erase(s.mutex); },
                   [&](const If& s) {
                     std::set<int> other = held;
                     expect_guarded(program, s.then, held);
                     expect_guarded(program, s.otherwise, other);
                   },
                   [&](const Loop& s) { expect_guarded(program, s.body, held); },
                   [](const auto&) {},
               },
               statement.is);
  }
}

TEST(Generator, GuardsEveryPlainAccessInTheRaceFreeProfiles) {
  for (const char* name : {"drf", "condvars"}) {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
      const Program program = generate(seed, *find_profile(name));
      for (const Block& block : program.threads) {
        std::set<int> held;
        expect_guarded(program, block, held);
      }
    }
  }
}

}  // namespace
}  // namespace oracle
