// SPDX-License-Identifier: Apache-2.0
#include "solve/clause_database.h"

#include "base/check.h"

namespace treadle {

ClauseRef ClauseDatabase::add(std::span<const Literal> literals, bool learnt, std::uint32_t glue) {
  check(words_.size() + literals.size() + header <= most_words, "all clauses fit into two billion words");
  const auto clause = static_cast<ClauseRef>(words_.size());
  words_.push_back({static_cast<std::uint32_t>(literals.size())});
  words_.push_back({glue | (learnt ? learnt_bit : 0)});
  words_.push_back({std::bit_cast<std::uint32_t>(learnt ? increment_ : 0.0F)});
  words_.insert(words_.end(), literals.begin(), literals.end());
  (learnt ? learnt_ : given_).push_back(clause);
  return clause;
}

void ClauseDatabase::bump(ClauseRef clause) {
  const float bumped = activity(clause) + increment_;
  words_[start(clause) + 2].code = std::bit_cast<std::uint32_t>(bumped);
  if (bumped > 1e20F) scale_down();
}

void ClauseDatabase::scale_down() {
  for (const ClauseRef clause : learnt_) words_[start(clause) + 2].code = std::bit_cast<std::uint32_t>(activity(clause) * 1e-20F);
  increment_ *= 1e-20F;
}

}  // namespace treadle
