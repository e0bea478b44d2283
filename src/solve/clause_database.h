// SPDX-License-Identifier: Apache-2.0
// All clauses in one array, so that propagation walks through memory that lies together. A clause is three words and its literals: size and
// kind; glue of a learnt clause, or the next one in a list of given clauses; activity.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "solve/order_solver.h"

namespace treadle {

/// Where a clause starts in the array. Changes when the database is compacted.
enum class ClauseRef : std::uint32_t {};
inline constexpr ClauseRef no_clause{0xffffffff};

class ClauseDatabase {
 public:
  ClauseRef add_given(std::span<const Literal> literals);
  /// `glue` is the number of decision levels the clause spanned when it was learnt: the fewer, the more it is worth.
  ClauseRef add_learnt(std::span<const Literal> literals, std::uint32_t glue);

  std::span<Literal> literals(ClauseRef clause) { return {words_.data() + start(clause) + header, size(clause)}; }
  std::span<const Literal> literals(ClauseRef clause) const { return {words_.data() + start(clause) + header, size(clause)}; }

  bool is_learnt(ClauseRef clause) const { return (words_[start(clause)].code & learnt_bit) != 0; }

  /// Of learnt clauses.
  std::uint32_t glue(ClauseRef clause) const { return words_[start(clause) + 1].code; }
  void lower_glue(ClauseRef clause, std::uint32_t glue) { words_[start(clause) + 1].code = glue; }
  float activity(ClauseRef clause) const { return std::bit_cast<float>(words_[start(clause) + 2].code); }

  /// Of given clauses: the link of the list that CandidateModel keeps it in.
  ClauseRef next(ClauseRef clause) const { return static_cast<ClauseRef>(words_[start(clause) + 1].code); }
  void set_next(ClauseRef clause, ClauseRef next) { words_[start(clause) + 1].code = static_cast<std::uint32_t>(next); }

  /// The clause took part in a conflict. Activity counts recent conflicts for more.
  void bump(ClauseRef clause);
  void decay() { increment_ *= 1.001F; }

  const std::vector<ClauseRef>& given() const { return given_; }
  const std::vector<ClauseRef>& learnt() const { return learnt_; }

  /// Keeps the clauses for which `keep` holds; every ClauseRef held elsewhere is void afterwards.
  template <typename Keep>
  void compact(Keep keep);

  std::size_t bytes() const { return words_.capacity() * sizeof(Literal); }

 private:
  static constexpr std::uint32_t header = 3;
  static constexpr std::size_t most_words = 0x7fffffff;  // a watch keeps a bit of its own next to the place of a clause
  static constexpr std::uint32_t learnt_bit = 1;
  static constexpr std::uint32_t size_shift = 1;

  static std::uint32_t start(ClauseRef clause) { return static_cast<std::uint32_t>(clause); }
  std::uint32_t size(ClauseRef clause) const { return words_[start(clause)].code >> size_shift; }
  ClauseRef add(std::span<const Literal> literals, std::uint32_t kind, std::uint32_t second, std::uint32_t third);
  void scale_down();

  std::vector<Literal> words_;  // a header word is a Literal's code: one type for the whole array
  std::vector<ClauseRef> given_;
  std::vector<ClauseRef> learnt_;
  float increment_ = 1;
};

template <typename Keep>
void ClauseDatabase::compact(Keep keep) {
  std::vector<Literal> kept;
  kept.reserve(words_.size());
  const auto move_list = [&](std::vector<ClauseRef>& list) {
    std::size_t left = 0;
    for (const ClauseRef clause : list) {
      if (!keep(clause)) continue;
      const auto moved = static_cast<ClauseRef>(kept.size());
      const auto first = words_.begin() + start(clause);
      kept.insert(kept.end(), first, first + header + size(clause));
      list[left++] = moved;
    }
    list.resize(left);
  };
  move_list(given_);
  move_list(learnt_);
  words_ = std::move(kept);
}

}  // namespace treadle
