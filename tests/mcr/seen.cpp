// SPDX-License-Identifier: Apache-2.0
// How many value classes and reads-from classes a program has, the slow way: runs one execution of each Mazurkiewicz class and looks at
// what the threads of it read. What `--strategy value` and `--strategy rf` should need. Not for programs with spin loops.
//
//   mcr_seen PROGRAM sc|tso|pso
#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "explore/optimal.h"
#include "explore/runner.h"
#include "subject/subject.h"

using namespace treadle;

namespace {

struct Seen {
  std::map<unsigned, std::vector<std::uint64_t>> values, sources;  // by thread: of its reads
  std::map<unsigned, std::uint64_t> events;
};

/// Who wrote what a read finds: the number that its event has among those of its thread, and the thread; 0 is the initial value.
class Memory {
 public:
  void write(const Event& event, std::uint64_t index) {
    const std::uint64_t name = std::uint64_t(event.thread) << 32 | ++writes_[event.thread];
    if ((event.order & TREADLE_ORDER_BUFFERED) == 0) {
      latest_[event.address] = name;
      return;
    }
    buffered_[index] = name;
    newest_[{event.thread, event.address}] = name;
  }
  void flush(const Event& event) { latest_[event.address] = buffered_.at(event.extra); }
  std::uint64_t source(const Event& event) {
    if ((event.order & TREADLE_ORDER_BUFFERED) != 0) return newest_.at({event.thread, event.address});
    return latest_[event.address];
  }

 private:
  std::map<unsigned, std::uint64_t> writes_;
  std::map<std::uint64_t, std::uint64_t> latest_, buffered_;
  std::map<std::pair<unsigned, std::uint64_t>, std::uint64_t> newest_;
};

Seen seen_in(const Trace& trace) {
  Seen seen;
  Memory memory;
  for (std::uint64_t i = 0; i < trace.events.size(); ++i) {
    const Event& event = trace.events[i];
    const auto sees = [&](std::uint64_t value, std::uint64_t source) {
      seen.values[event.thread].push_back(value);
      seen.sources[event.thread].push_back(source);
    };
    switch (event.kind) {
      case TREADLE_EV_READ:
      case TREADLE_EV_ATOMIC_READ:
      case TREADLE_EV_CAS_FAIL:
        sees(event.value, memory.source(event));
        break;
      case TREADLE_EV_RMW:
      case TREADLE_EV_CAS_OK:
        sees(event.value, memory.source(event));
        memory.write(event, i);
        break;
      case TREADLE_EV_WRITE:
      case TREADLE_EV_ATOMIC_WRITE:
        memory.write(event, i);
        break;
      case TREADLE_EV_FLUSH:
        memory.flush(event);
        continue;  // no step of the thread
      case TREADLE_EV_TRYLOCK:
      case TREADLE_EV_TIMEDLOCK:
      case TREADLE_EV_COND_WOKEN:
      case TREADLE_EV_SEM_TRYWAIT:
      case TREADLE_EV_SEM_TIMEDWAIT:
        sees(event.extra, event.extra);
        break;
      default:
        break;
    }
    ++seen.events[event.thread];
  }
  if (trace.end.ending == TREADLE_END_COMPLETED) seen.events.clear();  // who gets stuck stands somewhere
  return seen;
}

[[noreturn]] void give_up(const Problem& problem) {
  fmt::print(stderr, "{} {}\n", problem.sentence, problem.hint);
  std::exit(2);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return fmt::print(stderr, "usage: mcr_seen PROGRAM sc|tso|pso\n"), 2;
  SubjectOptions options;
  options.program = argv[1];
  auto subject = Subject::start(options);
  if (!subject) give_up(subject.problem());
  Schedule base;
  base.races = Races::Explore;
  const std::string model = argv[2];
  base.model = model == "pso" ? MemoryModel::Pso : model == "tso" ? MemoryModel::Tso : MemoryModel::Sc;
  Optimal strategy(base);
  Recording recording = strategy.needs();
  recording.plain = true;
  using Key = std::pair<std::map<unsigned, std::vector<std::uint64_t>>, std::map<unsigned, std::uint64_t>>;
  std::set<Key> values, sources;
  std::uint64_t executions = 0;
  ThreadNumbers numbers;
  SubjectRunner runner(**subject, numbers);
  Trace trace;
  while (auto item = strategy.next()) {
    if (auto ran = runner.run(item->schedule, recording, trace); !ran) give_up(ran.problem());
    strategy.learn_from(item->ticket, trace);
    const Seen seen = seen_in(trace);
    values.insert({seen.values, seen.events});
    sources.insert({seen.sources, seen.events});
    ++executions;
  }
  fmt::print("{{\"executions\": {}, \"rf\": {}, \"value\": {}}}\n", executions - strategy.counts().blocked, sources.size(), values.size());
  return 0;
}
