// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/schedule.h"

namespace treadle {

/// "The thread goes on until it has made its so-manieth operation of this kind in this function": what is left of a run of one thread's
/// decisions when the program is compiled again.
struct EssentialStep {
  std::string thread;  // "0.1"
  std::string function;
  std::string operation;         // "lock", "write"
  std::uint32_t occurrence = 0;  // in this thread, counted from 1
  bool operator==(const EssentialStep&) const = default;
};

/// The failure and the order that it needs, in terms of the source: survives edits elsewhere, renamed variables, another optimisation
/// level.
struct Essence {
  std::string kind;                    // of the finding
  std::string function;                // where it shows
  std::vector<std::string> functions;  // of all its parts, sorted
  std::vector<EssentialStep> steps;    // one for each switch between threads
  bool operator==(const Essence&) const = default;
};

/// A Schedule that has been replayed, and the binary it belongs to.
struct Witness {
  Schedule schedule;
  std::string program;  // path of the binary
  std::uint64_t binary_hash = 0;
  std::vector<std::string> arguments;
  std::vector<std::string> environment{};  // "NAME=value": what is set for the program besides the user's own
  Essence essence;
  bool operator==(const Witness&) const = default;
};

}  // namespace treadle
