// SPDX-License-Identifier: Apache-2.0
// A Schedule is everything that determines an execution of a given program. It is a value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "abi/shared_block.h"
#include "base/ids.h"
#include "trace/given_inputs.h"

namespace treadle {

enum class DecisionKind : std::uint8_t { Step, Timeout, Spurious, Wake, Flush, Any };

struct Decision {
  DecisionKind kind = DecisionKind::Step;
  ThreadId thread{};
  std::uint16_t argument = 0;
  bool operator==(const Decision&) const = default;
};
static_assert(sizeof(Decision) == sizeof(TreadleDecision));

enum class Policy : std::uint8_t { Continue, Random, Pct, Stop, Patient };
enum class MemoryModel : std::uint8_t { Sc, Tso, Pso };
enum class Races : std::uint8_t { Stop, Explore, Ignore };

/// Thread number t is the `ordinal`-th child of `parent`; number 0 is the main thread and names itself.
struct ThreadName {
  std::uint16_t parent = 0;
  std::uint16_t ordinal = 0;
  bool operator==(const ThreadName&) const = default;
};

struct Schedule {
  std::vector<Decision> prefix;
  Policy policy = Policy::Continue;
  std::uint64_t seed = 1;
  std::uint32_t pct_depth = 0;
  std::uint32_t pct_length = 0;
  GivenInputs inputs;
  std::vector<ThreadName> threads{ThreadName{}};  // what the thread numbers in `prefix` mean
  MemoryModel model = MemoryModel::Sc;
  Races races = Races::Stop;
  bool spurious_wakeups = false;
  bool status_matters = false;  // an exit status other than 0 is a failure, as it is for tests
  std::uint32_t max_steps = 100'000;
  bool operator==(const Schedule&) const = default;
};

/// "0", "0.1", "0.1.2": the path in the spawn tree, the same in every run.
std::string name_of(ThreadId thread, const std::vector<ThreadName>& threads);

/// The number that the runtime makes of such a name; 0 for main. Nothing: this is no path in the spawn tree.
std::optional<std::uint64_t> thread_hash(const std::string& name);

/// Every thread's parent stands before it and no two have the same name.
bool is_well_formed(const std::vector<ThreadName>& threads);

/// Equal Schedules have equal hashes, on every machine.
std::uint64_t hash_of(const Schedule& schedule);

}  // namespace treadle
