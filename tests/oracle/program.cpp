// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <algorithm>
#include <set>

namespace oracle {

const char* text_of(Model model) {
  switch (model) {
    case Model::Sc:
      return "sc";
    case Model::Tso:
      return "tso";
    case Model::Pso:
      return "pso";
  }
  return "?";
}

Program with_threads(std::vector<Variable> variables, std::vector<Block> bodies) {
  Program program;
  program.variables = std::move(variables);
  Block main;
  for (int t = 1; t <= int(bodies.size()); ++t) main.push_back(Create{t});
  for (int t = 1; t <= int(bodies.size()); ++t) main.push_back(Join{t});
  program.threads.push_back(std::move(main));
  for (Block& body : bodies) program.threads.push_back(std::move(body));
  return program;
}

int registers_of(const Block& block) {
  int used = 0;
  const auto use = [&used](int reg) { used = std::max(used, reg + 1); };
  const auto use_condition = [&use](const Condition& condition) { use(condition.reg), use(condition.other); };
  const auto use_all = [&](const Block& inner) { used = std::max(used, registers_of(inner)); };
  for (const Statement& statement : block) {
    std::visit(Cases{
                   [&](const Load& s) { use(s.reg); },
                   [&](const Store& s) { use(s.value.reg); },
                   [&](const Element& s) { use(s.index.reg), use(s.value.reg), use(s.reg); },
                   [&](const FetchAdd& s) { use(s.reg), use(s.value.reg); },
                   [&](const Exchange& s) { use(s.reg), use(s.value.reg); },
                   [&](const CompareExchange& s) { use(s.reg), use(s.expected.reg), use(s.desired.reg); },
                   [&](const TryLock& s) { use(s.reg); },
                   [&](const Wait& s) { use(s.reg); },
                   [&](const SemTry& s) { use(s.reg); },
                   [&](const SemGetValue& s) { use(s.reg); },
                   [&](const RwTryLock& s) { use(s.reg); },
                   [&](const FutexWait& s) { use(s.reg), use(s.expected.reg); },
                   [&](const FutexWake& s) { use(s.reg); },
                   [&](const Input& s) { use(s.reg); },
                   [&](const Assume& s) { use_condition(s.holds); },
                   [&](const Assert& s) { use_condition(s.holds); },
                   [&](const If& s) { use_condition(s.when), use_all(s.then), use_all(s.otherwise); },
                   [&](const Loop& s) { use_condition(s.until), use_all(s.body); },
                   [&](const Spin& s) { use_condition(s.until), use_all(s.body); },
                   [](const auto&) {},
               },
               statement.is);
  }
  return used;
}

std::vector<std::string> observed_names(const Program& program) {
  std::vector<std::string> names;
  for (std::size_t v = 0; v < program.variables.size(); ++v) names.push_back("x" + std::to_string(v));
  for (std::size_t t = 0; t < program.threads.size(); ++t)
    for (int r = 0; r < registers_of(program.threads[t]); ++r) names.push_back("t" + std::to_string(t) + "_r" + std::to_string(r));
  return names;
}

bool spins(const Block& block) {
  return std::any_of(block.begin(), block.end(), [](const Statement& statement) {
    return std::visit(Cases{
                          [](const Await&) { return true; },
                          [](const Spin&) { return true; },
                          [](const If& s) { return spins(s.then) || spins(s.otherwise); },
                          [](const Loop& s) { return spins(s.body); },
                          [](const auto&) { return false; },
                      },
                      statement.is);
  });
}

bool spins(const Program& program) {
  return std::any_of(program.threads.begin(), program.threads.end(), [](const Block& block) { return spins(block); });
}

int size_of(const Block& block) {
  int size = 0;
  for (const Statement& statement : block) {
    ++size;
    if (const If* branch = std::get_if<If>(&statement.is)) size += size_of(branch->then) + size_of(branch->otherwise);
    if (const Loop* loop = std::get_if<Loop>(&statement.is)) size += size_of(loop->body);
    if (const Spin* spin = std::get_if<Spin>(&statement.is)) size += size_of(spin->body);
  }
  return size;
}

int size_of(const Program& program) {
  int size = 0;
  for (const Block& block : program.threads) size += size_of(block);
  return size;
}

namespace {

class Checker {
 public:
  explicit Checker(const Program& program) : program_(program), creator_(program.threads.size(), -1), joined_(program.threads.size()) {}

  std::string run() {
    const auto too_many = [](std::size_t count, int limit) { return count > std::size_t(limit); };
    if (program_.threads.empty() || too_many(program_.threads.size(), kMaxThreads)) return "number of threads";
    if (too_many(program_.variables.size(), kMaxVariables)) return "too many variables";
    if (program_.mutexes > kMaxObjects || program_.condvars > kMaxObjects || program_.rwlocks > kMaxObjects ||
        too_many(program_.semaphores.size(), kMaxObjects) || too_many(program_.barriers.size(), kMaxObjects) ||
        too_many(program_.onces.size(), kMaxObjects))
      return "too many objects";
    for (const Block& once : program_.onces) {
      const auto stores_constant = [](const Statement& s) {
        const Store* store = std::get_if<Store>(&s.is);
        return store != nullptr && store->value.reg < 0;
      };
      expect(std::all_of(once.begin(), once.end(), stores_constant), "an initialiser that does more than store constants");
      block(once, false);
    }
    for (std::size_t t = 0; t < program_.threads.size(); ++t) {
      if (registers_of(program_.threads[t]) > kMaxRegisters) return "too many registers";
      thread_ = int(t);
      block(program_.threads[t], true);
    }
    for (std::size_t t = 1; t < program_.threads.size(); ++t) expect(joined_[t], "a thread is not joined");
    return why_;
  }

 private:
  void expect(bool holds, const char* why) {
    if (!holds && why_.empty()) why_ = why;
  }
  void index(int i, std::size_t count, const char* why) { expect(i >= 0 && std::size_t(i) < count, why); }

  void access(int variable, Order order, int size = 0) {
    expect(program_.bytes ? size == 1 || size == 2 || size == 4 : size == 0, "a size that the program's variables do not have");
    expect(size == 0 || variable % size == 0, "an access that is not aligned");
    for (int v = variable; v < variable + std::max(size, 1); ++v) {
      index(v, program_.variables.size(), "no such variable");
      if (why_.empty()) expect((order != Order::Plain) == program_.variables[v].atomic, "order does not fit the variable");
    }
  }
  void futex(int variable) {
    expect(!program_.bytes, "a futex is no byte");
    access(variable, Order::SeqCst);
  }
  void mutex(int m) { index(m, program_.mutexes, "no such mutex"); }
  void condvar(int c) { index(c, program_.condvars, "no such condition variable"); }
  void input(int i) {
    index(i, program_.inputs.size(), "no such input");
    expect(loops_ == 0 && inputs_.insert(i).second, "an input is asked for once");
  }
  void read_modify_write(int variable, Order order, int size = 0) {
    access(variable, order, size);
    expect(order != Order::Plain, "a plain read-modify-write");
  }

  bool some_thread(int thread, bool outside_branches) {
    index(thread, program_.threads.size(), "no such thread");
    expect(thread > thread_ && outside_branches, "a thread creates and joins threads with a higher number, outside branches");
    return why_.empty();
  }
  void create(int thread, bool outside_branches) {
    if (!some_thread(thread, outside_branches)) return;
    expect(creator_[thread] < 0, "a thread is created twice");
    creator_[thread] = thread_;
  }
  void join(int thread, bool outside_branches) {
    if (!some_thread(thread, outside_branches)) return;
    expect(creator_[thread] == thread_ && !joined_[thread], "a thread is joined once, by the one that created it");
    joined_[thread] = true;
  }

  void spin(const Spin& s) {
    expect(!s.body.empty(), "a spin loop that reads nothing");
    for (const Statement& statement : s.body)
      expect(std::holds_alternative<Load>(statement.is) || std::holds_alternative<CompareExchange>(statement.is) ||
                 std::holds_alternative<Exchange>(statement.is) || std::holds_alternative<If>(statement.is),
             "a spin loop that does more than read");
  }

  void block(const Block& statements, bool may_create) {
    for (const Statement& statement : statements) {
      std::visit(Cases{
                     [&](const Load& s) {
                       access(s.variable, s.order, s.size);
                       expect(s.order != Order::Release && s.order != Order::AcqRel, "a load does not release");
                     },
                     [&](const Store& s) {
                       access(s.variable, s.order, s.size);
                       expect(s.order != Order::Acquire && s.order != Order::AcqRel, "a store does not acquire");
                     },
                     [&](const Element& s) {
                       expect(program_.array && s.count >= 2, "no array");
                       for (int v = 0; v < s.count; ++v) access(v, Order::Plain);
                     },
                     [&](const FetchAdd& s) { read_modify_write(s.variable, s.order); },
                     [&](const Exchange& s) { read_modify_write(s.variable, s.order, s.size); },
                     [&](const CompareExchange& s) { read_modify_write(s.variable, s.order, s.size); },
                     [&](const Fence& s) { expect(s.order != Order::Plain && s.order != Order::Relaxed, "a fence without order"); },
                     [&](const Await& s) {
                       access(s.variable, s.order);
                       expect(s.order == Order::Relaxed || s.order == Order::Acquire || s.order == Order::SeqCst, "an await is a load");
                     },
                     [&](const Lock& s) { mutex(s.mutex); },
                     [&](const Unlock& s) { mutex(s.mutex); },
                     [&](const TryLock& s) { mutex(s.mutex); },
                     [&](const Wait& s) { mutex(s.mutex), condvar(s.condvar); },
                     [&](const Signal& s) { condvar(s.condvar); },
                     [&](const Broadcast& s) { condvar(s.condvar); },
                     [&](const FutexWait& s) { futex(s.variable); },
                     [&](const FutexWake& s) { futex(s.variable); },
                     [&](const SemWait& s) { index(s.semaphore, program_.semaphores.size(), "no such semaphore"); },
                     [&](const SemPost& s) { index(s.semaphore, program_.semaphores.size(), "no such semaphore"); },
                     [&](const SemTry& s) { index(s.semaphore, program_.semaphores.size(), "no such semaphore"); },
                     [&](const SemGetValue& s) { index(s.semaphore, program_.semaphores.size(), "no such semaphore"); },
                     [&](const RwLock& s) { index(s.rwlock, program_.rwlocks, "no such readers-writer lock"); },
                     [&](const RwTryLock& s) { index(s.rwlock, program_.rwlocks, "no such readers-writer lock"); },
                     [&](const RwUnlock& s) { index(s.rwlock, program_.rwlocks, "no such readers-writer lock"); },
                     [&](const BarrierWait& s) { index(s.barrier, program_.barriers.size(), "no such barrier"); },
                     [&](const Once& s) { index(s.once, program_.onces.size(), "no such initialiser"); },
                     [&](const Create& s) { create(s.thread, may_create); },
                     [&](const Join& s) { join(s.thread, may_create); },
                     [&](const Input& s) { input(s.input); },
                     [&](const Assume&) {},
                     [&](const Assert&) {},
                     [&](const If& s) { block(s.then, false), block(s.otherwise, false); },
                     [&](const Loop& s) {
                       expect(s.most >= 0 && s.most <= 8, "loop bound");
                       ++loops_;
                       block(s.body, false);
                       --loops_;
                     },
                     [&](const Spin& s) { spin(s), block(s.body, false); },
                 },
                 statement.is);
    }
  }

  const Program& program_;
  int thread_ = 0, loops_ = 0;
  std::set<int> inputs_;  // asked for so far
  std::vector<int> creator_;
  std::vector<bool> joined_;
  std::string why_;
};

}  // namespace

std::string why_malformed(const Program& program) { return Checker(program).run(); }

}  // namespace oracle
