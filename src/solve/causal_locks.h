// SPDX-License-Identifier: Apache-2.0
// Mutexes, spin locks and readers-writer locks: sections that exclude each other. Re-entry makes no section of its own.
#pragma once

#include <map>
#include <set>
#include <unordered_map>

#include "solve/causal_formula.h"

namespace treadle {

class CausalLocks final : public ModelPart {
 public:
  CausalLocks(CausalFormula& formula, const Trace& trace) : formula_(formula), trace_(trace) { find_sections(); }

  void encode() override;
  /// All sections, for the formula.
  std::vector<LockSection> sections() const;
  void close(Past& past) const override;
  bool refine(const Past& past) override;
  Truth as_recorded(UnitId unit) override;
  std::vector<OtherResult> other_results() const override;
  Truth can_be(const OtherResult& other) override;
  bool waits(UnitId unit) const override;
  Truth is_stuck(UnitId unit) override;

  /// Something that these rules do not cover, in the trace.
  static void find_unmodelled(const Trace& trace, Units& units);

 private:
  struct Section {
    UnitId acquire = nothing, release = nothing;  // nothing: never released
    unsigned thread = 0;
    bool shared = false;
    bool tries = false;  // would not have waited
  };
  /// Somebody looked and did not get it.
  struct Miss {
    UnitId unit;
    unsigned thread;
    bool shared;  // wanted
    bool timed;   // had waited for it
  };
  struct Object {
    std::vector<Section> sections;
    std::vector<Miss> misses;
    bool on_demand = false;  // too many pairs to say of each that they exclude each other
    std::set<std::pair<UnitId, UnitId>> said;
  };
  struct Want {  // of a unit: what it asks for
    const Object* object;
    unsigned thread;
    bool shared, got, tries, timed;
  };
  using Key = std::pair<int, std::uint64_t>;

  void find_sections();
  void take_in(UnitId unit, const Event& event);
  void acquire(Key key, UnitId unit, unsigned thread, bool shared, bool tries);
  void release(Key key, UnitId unit, unsigned thread);
  void miss(Key key, UnitId unit, unsigned thread, bool shared, bool timed);
  void exclude(const Section& a, const Section& b);
  Truth got(const Section& section);
  /// Some section of another thread that does not go together with this lies around the unit.
  Truth is_taken(UnitId unit, const Want& want);
  /// None does.
  Truth is_free(UnitId unit, const Want& want);
  std::vector<const Section*> rivals(UnitId unit, const Want& want) const;

  CausalFormula& formula_;
  const Trace& trace_;
  std::map<Key, Object> objects_;
  std::map<UnitId, std::pair<Key, Want>> wants_;  // units whose first operation asks for a lock
  std::unordered_map<UnitId, Truth> recorded_;
};

}  // namespace treadle
