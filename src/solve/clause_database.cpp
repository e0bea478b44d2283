// SPDX-License-Identifier: Apache-2.0
#include "solve/clause_database.h"

#include "base/check.h"

namespace treadle {

ClauseRef ClauseDatabase::add_given(std::span<const Literal> literals) {
  given_.push_back(add(literals, 0, static_cast<std::uint32_t>(no_clause), 0));
  return given_.back();
}

ClauseRef ClauseDatabase::add_learnt(std::span<const Literal> literals, std::uint32_t glue) {
  learnt_.push_back(add(literals, learnt_bit, glue, std::bit_cast<std::uint32_t>(increment_)));
  return learnt_.back();
}

ClauseRef ClauseDatabase::add(std::span<const Literal> literals, std::uint32_t kind, std::uint32_t second, std::uint32_t third) {
  check(words_.size() + literals.size() + header <= most_words, "all clauses fit into two billion words");
  const auto clause = static_cast<ClauseRef>(words_.size());
  words_.push_back({static_cast<std::uint32_t>(literals.size()) << size_shift | kind});
  words_.push_back({second});
  words_.push_back({third});
  words_.insert(words_.end(), literals.begin(), literals.end());
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
