// SPDX-License-Identifier: Apache-2.0
// At each point one of the alternatives, each as likely as the others. Knows nothing, needs nothing, finds much.
#pragma once

#include <set>

#include "base/bytes.h"
#include "explore/strategy.h"

namespace treadle {

/// The natural numbers, handed out one by one: which are out, and which must be handed out again.
class Numbers {
 public:
  Ticket take();
  void give_back(Ticket number) { out_.erase(number); }
  void save(ByteWriter& to) const;  // those that are out count as not handed out
  void load(ByteReader& from);

 private:
  std::uint64_t next_ = 0;
  std::set<Ticket> out_, again_;
};

class Random final : public Strategy {
 public:
  /// `base.seed` determines the whole sequence.
  explicit Random(Schedule base);

  std::optional<Item> next() override;
  void learn_from(Ticket ticket, const Trace& trace) override;
  std::size_t ahead() const override { return any_number; }
  bool samples() const override { return true; }
  std::string covers() const override;
  std::string save() const override;
  bool load(std::string_view bytes) override;

 private:
  Schedule base_;
  std::uint64_t seed_;
  Numbers numbers_;
  std::uint64_t executions_ = 0;
};

/// The n-th of a sequence of seeds that have nothing to do with each other (splitmix64).
std::uint64_t nth_seed(std::uint64_t seed, std::uint64_t n);

}  // namespace treadle
