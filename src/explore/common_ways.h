// SPDX-License-Identifier: Apache-2.0
// How far the ways of one execution are those of every other. Each question about the execution asks it of all others, so it is found out
// once; and most others have the same in common with it as one before them, so that there is little to say of all of them together.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace treadle {

class CommonWays {
 public:
  /// By thread: to which mark of its way (see PathExecution) they are common.
  using Row = std::vector<std::uint32_t>;
  using RowNumber = std::uint32_t;

  /// What it has in common with the execution of that number; `find` finds it out.
  template <class Find>
  RowNumber with(std::uint32_t number, Find&& find) {
    if (number >= numbers_.size()) numbers_.resize(number + number / 2 + 16, unknown);
    RowNumber& row = numbers_[number];
    if (row == unknown) row = number_of(find());
    return row;
  }

  const Row& operator[](RowNumber row) const { return *rows_[row]; }
  std::size_t size() const { return rows_.size(); }
  void forget() { *this = {}; }

 private:
  static constexpr RowNumber unknown = UINT32_MAX;

  RowNumber number_of(Row row) {
    const auto [known, is_new] = by_row_.try_emplace(std::move(row), static_cast<RowNumber>(rows_.size()));
    if (is_new) rows_.push_back(&known->first);
    return known->second;
  }

  std::vector<RowNumber> numbers_;  // by number of the other execution
  std::map<Row, RowNumber> by_row_;
  std::vector<const Row*> rows_;
};

}  // namespace treadle
