// SPDX-License-Identifier: Apache-2.0
#include "races.h"

#include <algorithm>
#include <array>
#include <unordered_set>

#include "prefix.h"
#include "values.h"

namespace oracle {
namespace {

using Clock = std::array<std::uint8_t, kMaxThreads>;

void join(Clock& clock, const Clock& other) {
  for (int t = 0; t < kMaxThreads; ++t) clock[t] = std::max(clock[t], other[t]);
}

bool acquires(Order order) { return order == Order::Acquire || order == Order::AcqRel || order == Order::SeqCst; }
bool releases(Order order) { return order == Order::Release || order == Order::AcqRel || order == Order::SeqCst; }

/// Happens-before as vector clocks, and the latest accesses to plain variables.
class HappensBefore {
 public:
  HappensBefore() {
    for (int t = 0; t < kMaxThreads; ++t) threads_[t].now[t] = 1;
  }

  /// Whether the operation races with an earlier one.
  bool add(int thread, const Event& event) {
    const Instruction& what = *event.instruction;
    switch (event.phase) {
      case Phase::Created:
        acquire(thread, object_thread(thread));
        return false;
      case Phase::Relocking:
        acquire(thread, object_mutex(what.mutex));
        return false;
      case Phase::Released:
        acquire(thread, object_barrier(what.object));
        return false;
      case Phase::Running:
        break;
      default:
        return false;
    }
    return operate(thread, what, event);
  }

 private:
  struct Thread {
    Clock now{};
    Clock fenced{};   // at its latest release fence
    Clock pending{};  // what an acquire fence would acquire
  };
  struct Accesses {
    Clock reads{}, writes{};  // each thread's latest
  };

  void acquire(int thread, int object) { join(threads_[thread].now, objects_[object]); }
  void release(int thread, int object) {
    join(objects_[object], threads_[thread].now);
    ++threads_[thread].now[thread];
  }

  void atomic_read(int thread, const Instruction& what) {
    for (int i = 0; i < variables_of(what.size); ++i)
      join(acquires(what.order) ? threads_[thread].now : threads_[thread].pending, objects_[object_variable(what.object + i)]);
  }
  void atomic_write(int thread, const Instruction& what, bool continues_sequence) {
    for (int i = 0; i < variables_of(what.size); ++i) {
      Clock& sequence = objects_[object_variable(what.object + i)];
      if (!continues_sequence) sequence = {};
      join(sequence, releases(what.order) ? threads_[thread].now : threads_[thread].fenced);
    }
    ++threads_[thread].now[thread];
  }

  bool plain(int thread, const Instruction& what, bool writes) {
    const Clock& now = threads_[thread].now;
    bool races = false;
    for (int i = 0; i < variables_of(what.size); ++i) {
      Accesses& past = accesses_[what.object + i];
      for (int other = 0; other < kMaxThreads; ++other) {
        if (other == thread) continue;
        races |= past.writes[other] > now[other] || (writes && past.reads[other] > now[other]);
      }
      (writes ? past.writes : past.reads)[thread] = now[thread];
    }
    return races;
  }

  bool operate(int thread, const Instruction& what, const Event& event) {
    Thread& self = threads_[thread];
    switch (what.op) {
      case Op::Load:
      case Op::Await:
        if (what.order == Order::Plain) return plain(thread, what, false);
        atomic_read(thread, what);
        break;
      case Op::Store:
        if (what.order == Order::Plain) return plain(thread, what, true);
        atomic_write(thread, what, false);
        break;
      case Op::FetchAdd:
      case Op::Exchange:
        atomic_read(thread, what);
        atomic_write(thread, what, true);
        break;
      case Op::CompareExchange:
        atomic_read(thread, what);
        if (event.succeeded) atomic_write(thread, what, true);
        break;
      case Op::Fence:
        if (acquires(what.order)) join(self.now, self.pending);
        if (releases(what.order)) {
          self.fenced = self.now;
          ++self.now[thread];
        }
        break;
      case Op::Lock:
        acquire(thread, object_mutex(what.object));
        break;
      case Op::TryLock:
        if (event.succeeded) acquire(thread, object_mutex(what.object));
        break;
      case Op::ReadLock:
      case Op::TryReadLock:
        if (!event.succeeded) break;
        acquire(thread, object_rwlock(what.object));
        reading_[thread] |= 1u << what.object;
        break;
      case Op::WriteLock:
      case Op::TryWriteLock:
        if (!event.succeeded) break;
        acquire(thread, object_rwlock(what.object));
        join(self.now, readers_[what.object]);
        break;
      case Op::RwUnlock:
        if ((reading_[thread] & 1u << what.object) != 0) {  // readers are not ordered with each other
          reading_[thread] &= ~(1u << what.object);
          join(readers_[what.object], self.now);
          ++self.now[thread];
        } else {
          release(thread, object_rwlock(what.object));
        }
        break;
      case Op::Unlock:
        release(thread, object_mutex(what.object));
        break;
      case Op::Wait:
        release(thread, object_mutex(what.mutex));
        break;
      case Op::SemPost:
        release(thread, object_semaphore(what.object));
        break;
      case Op::SemWait:
      case Op::SemTry:
        if (!event.succeeded) break;
        acquire(thread, object_semaphore(what.object));
        break;
      case Op::BarrierWait:
        release(thread, object_barrier(what.object));
        break;
      case Op::OnceBegin:
        if (!event.succeeded) acquire(thread, object_once(what.object));
        break;
      case Op::OnceEnd:
        release(thread, object_once(what.object));
        break;
      case Op::Create:
        release(thread, object_thread(what.object));
        break;
      case Op::Exit:
        release(thread, object_thread(thread));
        break;
      case Op::Join:
        acquire(thread, object_thread(what.object));
        break;
      default:
        break;
    }
    return false;
  }

  std::array<Thread, kMaxThreads> threads_;
  std::array<Clock, kObjects> objects_{};
  std::array<Clock, kMaxObjects> readers_{};     // who has left a readers-writer lock as a reader
  std::array<unsigned, kMaxThreads> reading_{};  // a bit per readers-writer lock
  std::array<Accesses, kMaxVariables> accesses_;
};

// Equivalent beginnings have the same happens-before, so one of each class is enough.
class RaceSearch {
 public:
  RaceSearch(const Program& program, std::uint64_t most_prefixes)
      : machine_(program, {.model = Model::Sc, .plain_is_visible = true, .handle_reads = false}), most_prefixes_(most_prefixes) {}

  Racy run() {
    if (visit(Prefix(machine_), {})) return Racy::Yes;
    return seen_.size() < most_prefixes_ ? Racy::No : Racy::Unknown;
  }

 private:
  bool visit(const Prefix& prefix, const HappensBefore& order) {
    if (seen_.size() >= most_prefixes_ || !seen_.insert(prefix.key(machine_)).second) return false;
    std::vector<Move> moves;
    machine_.moves(prefix.state, moves);
    for (const Move move : moves) {
      Prefix longer = prefix;
      HappensBefore later = order;
      if (later.add(move.thread, longer.add(machine_, move)) || visit(longer, later)) return true;
    }
    return false;
  }

  Machine machine_;
  std::uint64_t most_prefixes_;
  std::unordered_set<std::string> seen_;
};

}  // namespace

Racy can_race(const Program& program, std::uint64_t most_prefixes) { return RaceSearch(program, most_prefixes).run(); }

}  // namespace oracle
