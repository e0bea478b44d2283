// SPDX-License-Identifier: Apache-2.0
// Random small concurrent programs: the same seed and profile give the same program everywhere.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "program.h"

namespace oracle {

enum Feature : unsigned {
  kPlain = 1u << 0,
  kAtomics = 1u << 1,
  kRmw = 1u << 2,
  kFences = 1u << 3,
  kLocks = 1u << 4,
  kBranches = 1u << 5,
  kCondvars = 1u << 6,
  kLoops = 1u << 7,
  kAsserts = 1u << 8,
  kTrylocks = 1u << 9,
  kSemaphores = 1u << 10,
  kBarriers = 1u << 11,
  kSpins = 1u << 12,
  kRwlocks = 1u << 13,
  kTimed = 1u << 14,  // some of the waits and attempts can time out
  kSpinLocks = 1u << 15,
  kOnces = 1u << 16,
  kInputs = 1u << 17,  // and more branches
  kSizes = 1u << 18,   // variables are bytes, and accesses have different sizes; nothing but atomics, plain accesses, fences and branches
  kArrays = 1u << 19,
  kMeetings = 1u << 20,  // barriers for two or three, sometimes two of them, used twice, or by more than they wait for
  kFutexes = 1u << 22,
  kMedley = 1u << 21,  // the seed draws some kinds of operations out of all, for each program others
};

struct Profile {
  std::string_view name;
  unsigned features = 0;
  bool race_free = false;                          // plain accesses only under the variable's own mutex
  int fewest_threads = 1, most_threads = 2;        // besides main
  int fewest_operations = 3, most_operations = 6;  // visible, over all threads, creation and the like not counted
  int main_works = 75;                             // percent of programs in which main has statements of its own
  int asserts_inside = 0;                          // percent of statements that an assertion follows; some execution completes then
  int spawns_deeper = 20;                          // percent of programs in which a thread other than main creates one
  // A program with more executions under this model (plain accesses visible, no reduction) is thrown away and another is made.
  Model limit_model = Model::Sc;
  std::uint64_t most_executions = 20'000;
  std::uint64_t most_classes = 0;  // likewise; 0: any number
};

/// "atomics", "racy", "drf", "locks", "rwlocks", "condvars", "semaphores", "loops", "spins", "spinlocks", "buffers"; "mixed" lets the seed
/// choose one of them. For predictions from one execution: "implied-plain", "implied-atomics", "implied-locks", "implied-condvars",
/// "implied-semaphores", "implied-loops"; "implied" lets the seed choose. For paths over all inputs: "paths-plain",
/// "paths-atomics", "paths-locks", "paths-rwlocks", "paths-condvars", "paths-semaphores", "paths-loops"; "paths" lets the seed choose.
/// Apart: "onces", "sizes", "futexes", "paths-futexes", "meetings", "everything", "paths-arrays", "paths-arrays-locks".
std::span<const Profile> profiles();
const Profile* find_profile(std::string_view name);

/// The profile that `profile` stands for with this seed: itself, unless it is "mixed", "implied" or "paths".
const Profile& resolve(const Profile& profile, std::uint64_t seed);

/// Kinds of operations that a program can have besides accesses, locks and fences: what "everything" draws three of.
constexpr unsigned kKinds = kTrylocks | kCondvars | kSemaphores | kBarriers | kRwlocks | kOnces | kSpins | kSpinLocks | kRmw;
unsigned kinds_of(const Program& program);

/// Throws std::invalid_argument when the limits leave nothing.
Program generate(std::uint64_t seed, const Profile& profile);

}  // namespace oracle
