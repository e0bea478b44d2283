// SPDX-License-Identifier: Apache-2.0
// Small random programs and one random execution of each, as a Trace; for the tests of the causal model.
#pragma once

#include <deque>
#include <map>
#include <random>
#include <vector>

#include "trace/made_up.h"

namespace treadle {

struct MadeUpOp {
  enum Kind { Read, Write, Add, Lock, Unlock, TryLock, Wait, Post, TryWait } kind;
  std::uint64_t at = 0, value = 0;
};

/// All threads are created by thread 0 in its first steps.
class MadeUpRun {
 public:
  MadeUpRun(std::vector<std::vector<MadeUpOp>> threads, MemoryModel model, std::mt19937& random)
      : threads_(std::move(threads)), model_(model), random_(random), at_(threads_.size(), 0), buffers_(threads_.size()) {
    made_.trace.threads = {{}};
    for (unsigned t = 0; t < threads_.size(); ++t) {
      made_.trace.threads.push_back({0, static_cast<std::uint16_t>(t + 1)});
      made_.event(0, TREADLE_EV_THREAD_CREATE, 0, t + 1);
    }
    while (step()) {
    }
    made_.end(TREADLE_END_COMPLETED);
  }

  Trace& trace() { return made_.trace; }

 private:
  struct Store {
    std::uint64_t address, value, event;
  };

  bool step() {
    std::vector<std::pair<unsigned, int>> can;  // thread, or the store of its buffer that goes to memory
    for (unsigned t = 0; t < threads_.size(); ++t) {
      if (enabled(t)) can.emplace_back(t, -1);
      for (std::size_t i = 0; i < buffers_[t].size(); ++i)
        if (may_flush(t, i)) can.emplace_back(t, static_cast<int>(i));
    }
    if (can.empty()) return false;
    const auto [t, store] = can[random_() % can.size()];
    store < 0 ? make(t) : flush(t, static_cast<std::size_t>(store));
    return true;
  }

  bool may_flush(unsigned t, std::size_t i) const {
    if (model_ == MemoryModel::Tso) return i == 0;
    for (std::size_t k = 0; k < i; ++k)
      if (buffers_[t][k].address == buffers_[t][i].address) return false;
    return true;
  }

  bool enabled(unsigned t) const {
    if (at_[t] == threads_[t].size()) return false;
    const MadeUpOp& op = threads_[t][at_[t]];
    const bool passes = op.kind == MadeUpOp::Read || op.kind == MadeUpOp::Write;
    if (!passes && !buffers_[t].empty()) return false;
    if (op.kind == MadeUpOp::Lock) return !owner_.contains(op.at);
    if (op.kind == MadeUpOp::Wait) return semaphore(op.at) > 0;
    return true;
  }

  std::uint64_t semaphore(std::uint64_t at) const {
    const auto found = semaphores_.find(at);
    return found == semaphores_.end() ? 0 : found->second;
  }

  void flush(unsigned t, std::size_t i) {
    const Store store = buffers_[t][i];
    buffers_[t].erase(buffers_[t].begin() + static_cast<std::ptrdiff_t>(i));
    made_.event(t + 1, TREADLE_EV_FLUSH, store.address, store.value, store.event, 0, 4);
    auto& number = queues_[{t, store.address}];
    made_.trace.choices.back().taken = {DecisionKind::Flush, ThreadId{static_cast<std::uint8_t>(t + 1)},
                                        static_cast<std::uint16_t>(model_ == MemoryModel::Pso ? number : 0)};
    memory_[store.address] = store.value;
  }

  void make(unsigned t) {
    const MadeUpOp op = threads_[t][at_[t]++];
    const std::uint64_t address = 0x1000 + op.at * 8;
    const unsigned id = t + 1;
    switch (op.kind) {
      case MadeUpOp::Read: {
        std::uint64_t value = memory_[address];
        bool own = false;
        for (const Store& s : buffers_[t])
          if (s.address == address) value = s.value, own = true;
        made_.event(id, TREADLE_EV_ATOMIC_READ, address, value, 0, 0, 4, own ? TREADLE_ORDER_BUFFERED : 0);
        return;
      }
      case MadeUpOp::Write:
        if (model_ == MemoryModel::Sc) {
          made_.event(id, TREADLE_EV_ATOMIC_WRITE, address, op.value, memory_[address], 0, 4);
          memory_[address] = op.value;
        } else {
          const auto event = made_.event(id, TREADLE_EV_ATOMIC_WRITE, address, op.value, 0, 0, 4, TREADLE_ORDER_BUFFERED);
          buffers_[t].push_back({address, op.value, event});
          queues_.try_emplace({t, address}, static_cast<std::uint16_t>(queue_count_[t]));
          queue_count_[t] =
              static_cast<unsigned>(std::count_if(queues_.begin(), queues_.end(), [&](auto& q) { return q.first.first == t; }));
        }
        return;
      case MadeUpOp::Add:
        made_.event(id, TREADLE_EV_RMW, address, memory_[address], memory_[address] + op.value, 0, 4);
        memory_[address] += op.value;
        return;
      case MadeUpOp::Lock:
        made_.event(id, TREADLE_EV_LOCK, address, 1, 0);
        owner_[op.at] = t;
        return;
      case MadeUpOp::Unlock:
        made_.event(id, TREADLE_EV_UNLOCK, address, 0, 0);
        owner_.erase(op.at);
        return;
      case MadeUpOp::TryLock: {
        const bool free = !owner_.contains(op.at);
        made_.event(id, TREADLE_EV_TRYLOCK, address, free ? 1 : 0, free ? 0 : EBUSY);
        if (free)
          owner_[op.at] = t;
        else
          at_[t] = threads_[t].size();  // what comes next would need it
        return;
      }
      case MadeUpOp::Wait:
        made_.event(id, TREADLE_EV_SEM_WAIT, address, --semaphores_[op.at], 0);
        return;
      case MadeUpOp::Post:
        made_.event(id, TREADLE_EV_SEM_POST, address, ++semaphores_[op.at], 0);
        return;
      case MadeUpOp::TryWait: {
        const bool got = semaphore(op.at) > 0;
        if (got) --semaphores_[op.at];
        made_.event(id, TREADLE_EV_SEM_TRYWAIT, address, semaphore(op.at), got ? 0 : EAGAIN);
        return;
      }
    }
  }

  std::vector<std::vector<MadeUpOp>> threads_;
  MemoryModel model_;
  std::mt19937& random_;
  std::vector<std::size_t> at_;
  std::vector<std::deque<Store>> buffers_;
  std::map<std::pair<unsigned, std::uint64_t>, std::uint16_t> queues_;
  std::map<unsigned, unsigned> queue_count_;
  std::map<std::uint64_t, std::uint64_t> memory_, semaphores_;
  std::map<std::uint64_t, unsigned> owner_;
  MadeUpTrace made_;
};

}  // namespace treadle
