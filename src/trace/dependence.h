// SPDX-License-Identifier: Apache-2.0
// On which reads of its own thread (and of the threads that led to it) an event may depend, as the compiler found out.
//
// Places are the `pc` of events. All answers are "may": true when nothing is known about a place, so that a Dependence that knows nothing
// says that everything depends on everything, which is what plain MCR assumes. A *read* is any event that brings the program something
// from outside of its thread: loads, the loading half of an RMW or compare-exchange, ranges, and the results of calls (trylock, timed
// waits, inputs, clocks).
//
// Dependence through shared memory is not in here: a trace shows which write a read got its value from. What is in here is what happens
// between the reads of a thread and its other events, in registers, private memory, control flow, and across calls.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace treadle {

/// What the binary says, with addresses as they are in the running program.
struct DependenceTables {
  static constexpr std::uint32_t everything = UINT32_MAX;

  /// Code of one site: the call of a hook or of a library function. After optimisation a site may have several.
  struct Code {
    std::uint64_t low = 0, high = 0;
    std::uint32_t site = 0;
  };
  /// Numbers of sets, or `everything`.
  struct Site {
    std::uint32_t control = everything, way = everything, data = everything, carried = everything;
  };

  std::vector<Code> code;
  std::vector<Site> sites;
  std::vector<std::vector<std::uint32_t>> sets;  // of sites
};

class Dependence {
 public:
  Dependence() = default;  // everything depends on everything
  explicit Dependence(DependenceTables tables);

  /// Whether `event` happens at all, or at which address, may depend on what was read at `read` (control dependence).
  bool controls(std::uint64_t read, std::uint64_t event) const;

  /// As `controls`; or what was read may decide which other events the thread makes on its way from `read` to `event`. If not, the thread
  /// makes the same events at the same addresses up to and including `event`, whatever it reads there.
  bool steers(std::uint64_t read, std::uint64_t event) const;

  /// What was read may go into the value that `event` writes, or that it otherwise hands to the outside (data dependence).
  bool flows_into(std::uint64_t read, std::uint64_t event) const;

  /// Of what flows into it: it may come from any time that `read` was passed. If not, only from the last one before `event`: nothing
  /// carries it from one iteration of a loop, or one call, to the next.
  bool carries(std::uint64_t read, std::uint64_t event) const;

  /// The number of the site that a place belongs to: optimisation may have made several places of one.
  std::optional<std::uint32_t> site_of(std::uint64_t place) const;
  bool knows(std::uint64_t place) const { return site_at(place) != nullptr; }
  bool knows_nothing() const { return tables_.code.empty(); }

 private:
  const DependenceTables::Code* site_at(std::uint64_t place) const;
  bool relates(std::uint32_t DependenceTables::Site::* relation, std::uint64_t read, std::uint64_t event) const;

  DependenceTables tables_;
};

}  // namespace treadle
