// SPDX-License-Identifier: Apache-2.0
// Somebody else's access between two of a region, where it makes a difference only if a few steps of others come in between: another
// increment, a second one. What everybody does to the bytes in question is cut into sections (all that a thread does while it holds a
// lock), and these are tried in orders that differ: from where the region's thread stands before its first access and the other one
// a section before its own, each of the two goes on by one, or one of the others does, first none, then one, two, three times. Whatever a
// thread needs of the others to get to its section is made first.
//
// Values are computed, so what is found can happen. What is not found says nothing: that is for the solver.
#pragma once

#include <map>
#include <set>
#include <unordered_map>
#include <vector>

#include "predict/interruption.h"
#include "predict/race.h"

namespace treadle {

class LetBetween {
 public:
  explicit LetBetween(Interruptions& interruptions);

  /// `answered`: by triple, those that are not asked about.
  void look_for(std::span<const Triple> triples, std::span<const char> answered, const KeepAsking& keep_asking,
                const Interruptions::Found& found);

 private:
  struct Section {
    std::uint32_t begin, end;  // numbers of its thread
  };
  using Sections = std::vector<std::vector<Section>>;  // by thread
  struct State {
    std::size_t made;
    std::vector<std::uint32_t> next;
  };

  const Sections& sections_of(CellId cell);
  const Section* next_section(unsigned thread) const;
  bool look_for(const Triple& triple, const Interruption& what);
  bool begin(const Interruption& what, std::uint32_t remote_from, bool as_observed);
  bool go_on(const Triple& triple, const Interruption& what, unsigned others);
  bool make_section(unsigned thread);
  /// Makes the thread's units up to that number, and before that what they need.
  bool drive(unsigned thread, std::uint32_t to);
  void let_readers_go_first(unsigned thread, std::uint32_t to);
  bool make_way_for(UnitId unit);
  bool make_with_section(UnitId unit);
  bool is_new(const Interruption& what, unsigned others);
  State here() const { return {machine_.made().size(), next_}; }
  void back_to(const State& state);

  Interruptions& interruptions_;
  const Units& units_;
  const ThreadWays& ways_;
  TraceMachine& machine_;
  std::unordered_map<CellId, std::vector<UnitId>> users_, writers_;  // in the order of the trace
  std::unordered_map<CellId, std::vector<UnitId>> found_nothing_;    // what was there at the start, and their way depends on it
  std::map<CellId, Sections> sections_;

  CellId cell_ = 0;
  const Sections* of_cell_ = nullptr;
  std::vector<std::uint32_t> next_, stop_;        // by thread, as in HeldBack
  std::vector<char> driven_;                      // by thread: is on its way already
  std::map<unsigned, std::uint64_t> found_last_;  // by thread of the two: what it found when it was here last
  std::set<std::vector<std::uint64_t>> known_;
  std::uint32_t tries_ = 0, steps_ = 0;
};

}  // namespace treadle
