// SPDX-License-Identifier: Apache-2.0
#include "flatten.h"

#include <stdexcept>

namespace oracle {
namespace {

class Flattener {
 public:
  Flattener(const std::vector<Block>& onces, bool handle_reads) : onces_(onces), handle_reads_(handle_reads) {}

  std::vector<Instruction> run(const Block& body) {
    block(body);
    code_.push_back({.op = Op::Exit});
    if (code_.size() > 250) throw std::invalid_argument("a thread is too long");
    return std::move(code_);
  }

 private:
  int here() const { return int(code_.size()); }
  void on(Op op, int object) { code_.push_back({.op = op, .object = object}); }

  void attempt(Op op, int object, int reg, bool timed) { code_.push_back({.op = op, .timed = timed, .object = object, .reg = reg}); }

  void block(const Block& body) {
    for (const Statement& statement : body) one(statement);
  }

  void one(const Statement& statement) {
    std::visit(
        Cases{
            [&](const Load& s) { code_.push_back({.op = Op::Load, .order = s.order, .size = s.size, .object = s.variable, .reg = s.reg}); },
            [&](const Store& s) {
              code_.push_back({.op = Op::Store, .order = s.order, .size = s.size, .object = s.variable, .value = s.value});
            },
            [&](const FetchAdd& s) {
              code_.push_back({.op = Op::FetchAdd, .order = s.order, .object = s.variable, .reg = s.reg, .value = s.value});
            },
            [&](const Exchange& s) {
              code_.push_back({.op = Op::Exchange, .order = s.order, .size = s.size, .object = s.variable, .reg = s.reg, .value = s.value});
            },
            [&](const CompareExchange& s) {
              code_.push_back({.op = Op::CompareExchange,
                               .order = s.order,
                               .size = s.size,
                               .object = s.variable,
                               .reg = s.reg,
                               .value = s.desired,
                               .expected = s.expected});
            },
            [&](const Fence& s) { code_.push_back({.op = Op::Fence, .order = s.order}); },
            [&](const Await& s) { code_.push_back({.op = Op::Await, .order = s.order, .object = s.variable, .value = constant(s.value)}); },
            [&](const Lock& s) { on(Op::Lock, s.mutex); },
            [&](const Unlock& s) { on(Op::Unlock, s.mutex); },
            [&](const TryLock& s) { attempt(Op::TryLock, s.mutex, s.reg, s.timed); },
            [&](const Wait& s) {
              code_.push_back({.op = Op::Wait, .timed = s.reg >= 0, .object = s.condvar, .mutex = s.mutex, .reg = s.reg});
            },
            [&](const Signal& s) { on(Op::Signal, s.condvar); },
            [&](const Broadcast& s) { on(Op::Broadcast, s.condvar); },
            [&](const SemWait& s) { on(Op::SemWait, s.semaphore); },
            [&](const SemPost& s) { on(Op::SemPost, s.semaphore); },
            [&](const SemTry& s) { attempt(Op::SemTry, s.semaphore, s.reg, s.timed); },
            [&](const SemGetValue& s) {
              code_.push_back({.op = Op::SemGetValue, .object = s.semaphore, .reg = s.reg});
              if (handle_reads_) on(Op::ReadHandle, 0);  // where the call has put it
            },
            [&](const RwLock& s) { on(s.writes ? Op::WriteLock : Op::ReadLock, s.rwlock); },
            [&](const RwTryLock& s) { attempt(s.writes ? Op::TryWriteLock : Op::TryReadLock, s.rwlock, s.reg, s.timed); },
            [&](const RwUnlock& s) { on(Op::RwUnlock, s.rwlock); },
            [&](const BarrierWait& s) { on(Op::BarrierWait, s.barrier); },
            [&](const Once& s) {
              const int begin = here();
              on(Op::OnceBegin, s.once);
              block(onces_[s.once]);
              on(Op::OnceEnd, s.once);
              code_[begin].target = here();
            },
            [&](const FutexWait& s) {
              code_.push_back({.op = Op::FutexWait, .timed = s.timed, .object = s.variable, .reg = s.reg, .expected = s.expected});
            },
            [&](const FutexWake& s) { code_.push_back({.op = Op::FutexWake, .all = s.all, .object = s.variable, .reg = s.reg}); },
            [&](const Create& s) { on(Op::Create, s.thread); },
            [&](const Join& s) {
              if (handle_reads_) on(Op::ReadHandle, s.thread);
              on(Op::Join, s.thread);
            },
            [&](const Element& s) { element(s); },
            [&](const Input& s) { code_.push_back({.op = Op::Input, .object = s.input, .reg = s.reg}); },
            [&](const Assume& s) { code_.push_back({.op = Op::Assume, .condition = s.holds}); },
            [&](const Assert& s) { code_.push_back({.op = Op::Assert, .object = asserts_++, .condition = s.holds}); },
            [&](const If& s) { branch(s); },
            [&](const Loop& s) { loop(s); },
            [&](const Spin& s) {
              code_.push_back({.op = Op::SpinBegin});
              block(s.body);
              code_.push_back({.op = Op::SpinEnd, .condition = s.until});
            },
        },
        statement.is);
  }

  void element(const Element& s) {
    code_.push_back({.op = Op::Choose, .bound = s.count, .value = s.index});
    const int end = here() + 2 * s.count;
    for (int v = 0; v < s.count; ++v) {
      if (s.stores)
        code_.push_back({.op = Op::Store, .object = v, .value = s.value});
      else
        code_.push_back({.op = Op::Load, .object = v, .reg = s.reg});
      code_.push_back({.op = Op::Jump, .target = end});
    }
  }

  void branch(const If& s) {
    const int jump_to_else = here();
    code_.push_back({.op = Op::JumpUnless, .condition = s.when});
    block(s.then);
    const int jump_to_end = here();
    code_.push_back({.op = Op::Jump});
    code_[jump_to_else].target = here();
    block(s.otherwise);
    code_[jump_to_end].target = here();
  }

  void loop(const Loop& s) {
    if (depth_ == kMaxCounters) throw std::invalid_argument("loops are nested too deeply");
    const int counter = depth_++;
    code_.push_back({.op = Op::SetCounter, .object = counter});
    const int head = here();
    code_.push_back({.op = Op::JumpIfCounted, .object = counter, .bound = s.most, .condition = s.until});
    block(s.body);
    code_.push_back({.op = Op::Jump, .target = head});
    code_[head].target = here();
    --depth_;
  }

  const std::vector<Block>& onces_;
  bool handle_reads_;
  int depth_ = 0;
  int asserts_ = 0;
  std::vector<Instruction> code_;
};

}  // namespace

std::vector<Instruction> flatten(const Block& block, const std::vector<Block>& onces, bool handle_reads) {
  return Flattener(onces, handle_reads).run(block);
}

}  // namespace oracle
