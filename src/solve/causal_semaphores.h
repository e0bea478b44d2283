// SPDX-License-Identifier: Apache-2.0
// Semaphores: each wait that succeeds takes what one post before it has left, or one of the initial tokens; nothing is taken twice. Who
// finds nothing comes when all there was has been taken. sem_getvalue counts what was there, was left and was taken before it.
#pragma once

#include <map>
#include <unordered_map>

#include "solve/causal_formula.h"

namespace treadle {

class CausalSemaphores final : public ModelPart {
 public:
  CausalSemaphores(CausalFormula& formula, const Trace& trace);

  void encode() override;
  void close(Past& past) const override;
  Truth as_recorded(UnitId unit) override;
  std::vector<OtherResult> other_results() const override;
  Truth can_be(const OtherResult& other) override;  // of sem_getvalue: `tag` is 1 + what it says, or 0 for anything else than it said

  bool waits(UnitId unit) const override;
  Truth is_stuck(UnitId unit) override;

  static void find_unmodelled(const Trace& trace, Units& units);

 private:
  struct Wait {
    UnitId unit = 0;
    bool got = false, tries = false, timed = false;
    std::vector<Truth> takes;  // by post, then by token; empty: not encoded
  };
  struct Look {  // sem_getvalue
    std::uint64_t object = 0, value = 0;
    std::vector<Truth> at_least;  // by number: of the posts before it, and the waits that are not; empty: not encoded
  };
  struct Semaphore {
    std::uint64_t tokens = 0;
    bool known = false;  // how many tokens
    std::vector<UnitId> posts;
    std::vector<Wait> waits;
  };
  struct Place {
    std::uint64_t object;
    std::size_t wait;
  };

  void take_in(UnitId unit, const Event& event);
  bool is_plentiful(const Semaphore& semaphore) const { return semaphore.tokens >= semaphore.waits.size(); }
  /// It takes something.
  void encode_take(Semaphore& semaphore, Wait& wait, Truth when);
  void encode_takes(Semaphore& semaphore);
  /// There is nothing to take.
  Truth encode_empty(Semaphore& semaphore, UnitId unit);
  Truth took(const Wait& wait);
  void encode_count(UnitId unit, Look& look);
  Truth counts(UnitId unit, std::uint64_t value);
  Truth comes_before(UnitId earlier, UnitId unit);

  CausalFormula& formula_;
  const Trace& trace_;
  std::map<std::uint64_t, Semaphore> semaphores_;
  std::unordered_map<UnitId, Place> waits_;
  std::unordered_map<UnitId, Look> looks_;
  std::unordered_map<UnitId, Truth> recorded_;
};

}  // namespace treadle
