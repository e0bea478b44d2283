// SPDX-License-Identifier: Apache-2.0
#include <iterator>

#include "generate.h"
#include "random.h"

namespace oracle {
namespace {

constexpr Profile kProfiles[] = {
    {.name = "atomics", .features = kAtomics | kRmw | kFences | kBranches},
    {.name = "racy", .features = kPlain | kAtomics | kBranches | kAsserts},
    {.name = "drf", .features = kPlain | kAtomics | kLocks | kRmw | kBranches, .race_free = true, .most_operations = 8},
    {.name = "locks",
     .features = kPlain | kLocks | kTrylocks | kTimed | kBranches | kAsserts,
     .fewest_operations = 4,
     .most_operations = 8},
    {.name = "rwlocks", .features = kPlain | kAtomics | kRwlocks | kTimed | kAsserts, .fewest_operations = 4, .most_operations = 8},
    {.name = "condvars",
     .features = kPlain | kAtomics | kLocks | kCondvars | kTimed | kBranches,
     .race_free = true,
     .fewest_threads = 2,
     .fewest_operations = 6,
     .most_operations = 12},
    {.name = "semaphores", .features = kPlain | kAtomics | kSemaphores | kBarriers | kTimed},
    {.name = "loops", .features = kPlain | kAtomics | kRmw | kBranches | kLoops | kAsserts, .most_operations = 7},
    {.name = "spins", .features = kAtomics | kRmw | kFences | kSpins},
    {.name = "spinlocks", .features = kAtomics | kRmw | kSpinLocks, .fewest_operations = 4, .most_operations = 8},
    {.name = "buffers", .features = kPlain | kAtomics | kFences | kRmw},
    {.name = "mixed"},
};
constexpr int kPure = int(std::size(kProfiles)) - 1;

// Apart, so that a seed of "mixed" stays the program that it is.
constexpr Profile kApart[] = {
    {.name = "paths-arrays", .features = kPlain | kBranches | kInputs | kArrays, .most_operations = 7},
    {.name = "paths-arrays-locks",
     .features = kPlain | kLocks | kBranches | kInputs | kArrays,
     .fewest_operations = 4,
     .most_operations = 8},
    {.name = "onces", .features = kPlain | kAtomics | kOnces | kBranches | kAsserts, .fewest_operations = 4, .most_operations = 8},
    {.name = "futexes", .features = kAtomics | kRmw | kFutexes | kTimed | kBranches, .fewest_operations = 4, .most_operations = 8},
    {.name = "paths-futexes",
     .features = kPlain | kAtomics | kRmw | kFutexes | kTimed | kBranches | kInputs,
     .fewest_operations = 4,
     .most_operations = 8},
    {.name = "sizes", .features = kPlain | kAtomics | kRmw | kFences | kBranches | kSizes},
    {.name = "meetings",
     .features = kPlain | kAtomics | kLocks | kTrylocks | kRwlocks | kTimed | kBarriers | kMeetings,
     .fewest_threads = 2,
     .most_threads = 3,
     .fewest_operations = 4,
     .most_operations = 9},
    {.name = "everything", .features = kMedley, .fewest_threads = 2, .most_threads = 3, .fewest_operations = 4, .most_operations = 9},
};

constexpr Profile kImplied[] = {
    {.name = "implied-plain", .features = kPlain | kBranches | kAsserts, .most_operations = 8, .asserts_inside = 30},
    {.name = "implied-atomics",
     .features = kAtomics | kPlain | kRmw | kFences | kBranches | kAsserts,
     .most_operations = 8,
     .asserts_inside = 30},
    {.name = "implied-locks",
     .features = kPlain | kLocks | kTrylocks | kBranches | kAsserts,
     .fewest_operations = 5,
     .most_operations = 10,
     .asserts_inside = 30},
    {.name = "implied-condvars",
     .features = kPlain | kAtomics | kLocks | kCondvars | kBranches | kAsserts,
     .race_free = true,
     .fewest_threads = 2,
     .fewest_operations = 6,
     .most_operations = 12,
     .asserts_inside = 30},
    {.name = "implied-semaphores", .features = kPlain | kAtomics | kSemaphores | kAsserts, .most_operations = 8, .asserts_inside = 30},
    {.name = "implied-loops",
     .features = kPlain | kAtomics | kRmw | kBranches | kLoops | kAsserts,
     .most_operations = 8,
     .asserts_inside = 30},
    {.name = "implied"},
};
constexpr int kPureImplied = int(std::size(kImplied)) - 1;

constexpr Profile kPaths[] = {
    {.name = "paths-plain", .features = kPlain | kBranches | kInputs, .most_operations = 8},
    {.name = "paths-atomics", .features = kAtomics | kPlain | kRmw | kFences | kBranches | kInputs, .most_operations = 8},
    {.name = "paths-asserts", .features = kPlain | kAtomics | kBranches | kAsserts | kInputs, .most_operations = 8, .asserts_inside = 15},
    {.name = "paths-locks",
     .features = kPlain | kLocks | kTrylocks | kTimed | kBranches | kInputs,
     .fewest_operations = 5,
     .most_operations = 10},
    {.name = "paths-rwlocks", .features = kPlain | kRwlocks | kTimed | kBranches | kInputs, .fewest_operations = 4, .most_operations = 8},
    {.name = "paths-condvars",
     .features = kPlain | kAtomics | kLocks | kCondvars | kTimed | kBranches | kInputs,
     .race_free = true,
     .fewest_threads = 2,
     .fewest_operations = 6,
     .most_operations = 12},
    {.name = "paths-semaphores", .features = kPlain | kAtomics | kSemaphores | kBarriers | kBranches | kInputs, .most_operations = 8},
    {.name = "paths-loops", .features = kPlain | kAtomics | kRmw | kBranches | kLoops | kInputs, .most_operations = 8},
    {.name = "paths"},
};
constexpr int kPurePaths = int(std::size(kPaths)) - 1;

}  // namespace

std::span<const Profile> profiles() { return kProfiles; }

const Profile* find_profile(std::string_view name) {
  for (const std::span<const Profile> some : {std::span<const Profile>(kProfiles), std::span<const Profile>(kApart),
                                              std::span<const Profile>(kImplied), std::span<const Profile>(kPaths)})
    for (const Profile& profile : some)
      if (profile.name == name) return &profile;
  return nullptr;
}

const Profile& resolve(const Profile& profile, std::uint64_t seed) {
  if (profile.features != 0) return profile;
  if (profile.name == "implied") return kImplied[Random(seed ^ 0x696d706c696564ull).below(kPureImplied)];
  if (profile.name == "paths") return kPaths[Random(seed ^ 0x7061746873ull).below(kPurePaths)];
  return kProfiles[Random(seed ^ 0x6d69786564ull).below(kPure)];
}

}  // namespace oracle
