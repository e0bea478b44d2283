// SPDX-License-Identifier: Apache-2.0
// How far the ways of one execution are those of every other. Each question about the execution asks it of all others, so it is found out
// once; and most others have the same in common with it as one before them, so that there is little to say of all of them together.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/hash.h"

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

  /// To which mark a thread's way is common with a way that has this number; `find` finds it out, once.
  template <class Find>
  std::uint32_t with_way(std::uint32_t thread, std::uint32_t way, Find&& find) {
    if (marks_.size() <= thread) marks_.resize(thread + 1);
    auto& marks = marks_[thread];
    if (marks.size() <= way) marks.resize(way + way / 2 + 16, unknown);
    if (marks[way] == unknown) marks[way] = find();
    return marks[way];
  }

  const Row& operator[](RowNumber row) const { return *rows_[row]; }
  std::size_t size() const { return rows_.size(); }
  void forget() { *this = {}; }

 private:
  static constexpr RowNumber unknown = UINT32_MAX;

  struct RowHash {
    std::size_t operator()(const Row& row) const {
      Hash hash;
      for (const std::uint32_t mark : row) hash.add(mark);
      return hash.value();
    }
  };

  RowNumber number_of(const Row& row) {
    if (const auto known = by_row_.find(row); known != by_row_.end()) return known->second;
    const auto added = by_row_.emplace(row, static_cast<RowNumber>(rows_.size())).first;
    rows_.push_back(&added->first);
    return added->second;
  }

  std::vector<RowNumber> numbers_;                 // by number of the other execution
  std::vector<std::vector<std::uint32_t>> marks_;  // by thread and number of a way
  std::unordered_map<Row, RowNumber, RowHash> by_row_;
  std::vector<const Row*> rows_;
};

}  // namespace treadle
