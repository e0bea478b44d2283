// SPDX-License-Identifier: Apache-2.0
// What a program is given when it asks for inputs. Which input it is does not depend on the schedule: the n-th that a thread asks for, or
// any of a name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace treadle {

struct Trace;

struct GivenInputs {
  /// values[n] is for the n-th time that the thread asks.
  struct OfThread {
    std::string thread;  // "0.1"
    std::vector<std::uint64_t> values;
    bool operator==(const OfThread&) const = default;
  };

  /// Whoever asks for it, and whenever, unless its thread has been given a value for that time.
  struct OfName {
    std::string name;
    std::uint64_t value = 0;
    bool operator==(const OfName&) const = default;
  };

  std::vector<OfThread> threads;  // in order of their names, none without values
  std::vector<OfName> names;      // in order, each once

  bool empty() const { return threads.empty() && names.empty(); }

  /// The next one of this thread.
  void add(std::string_view thread, std::uint64_t value);

  /// False: there is one already.
  bool add_named(const std::string& name, std::uint64_t value);

  bool operator==(const GivenInputs&) const = default;
};

/// What each thread got in an execution, so that it gets it again.
GivenInputs given_in(const Trace& trace);

/// As --inputs takes it: "3,-1,0.1:5,6,limit=9".
std::string text_of(const GivenInputs& inputs);

}  // namespace treadle
