// SPDX-License-Identifier: Apache-2.0
#include "reproduce/read_write.h"

#include <algorithm>

namespace treadle {
namespace {

constexpr double most_looks = 5e9;

using Row = std::vector<const LedAccess*>;

/// Writes that are known to follow each other, each of them in one row.
std::vector<Row> rows_of(std::vector<const LedAccess*> writes) {
  std::ranges::sort(writes, {}, [](const LedAccess* write) { return write->rank; });
  std::vector<Row> rows;
  for (const LedAccess* write : writes) {
    const auto fits = std::ranges::find_if(rows, [&](const Row& row) { return is_before(*row.back(), *write); });
    if (fits != rows.end())
      fits->push_back(write);
    else
      rows.push_back({write});
  }
  return rows;
}

std::vector<Row> each_alone(const std::vector<const LedAccess*>& writes) {
  std::vector<Row> rows;
  for (const LedAccess* write : writes) rows.push_back({write});
  return rows;
}

/// The value that the place had at the beginning: by a write before everything.
constexpr const LedAccess* initial = nullptr;

bool comes_before(const LedAccess* a, const LedAccess& b) { return a == initial || is_before(*a, b); }

class Place {
 public:
  Place(const std::vector<LedAccess>& accesses, bool in_rows) {
    for (const LedAccess& access : accesses) (access.writes ? writes_ : reads_).push_back(&access);
    rows_ = in_rows ? rows_of(writes_) : each_alone(writes_);
  }

  double looks() const {
    const auto writes = static_cast<double>(writes_.size());
    return static_cast<double>(reads_.size()) * writes * writes;
  }

  void count(ReadWriteCount& count) const {
    count.reads += reads_.size();
    count.writes += writes_.size();
    for (const LedAccess* read : reads_) {
      if (is_candidate(initial, *read)) take(initial, *read, count);
      for (const LedAccess* write : writes_)
        if (is_candidate(write, *read)) take(write, *read, count);
    }
  }

 private:
  bool is_candidate(const LedAccess* write, const LedAccess& read) const {
    if (write != initial && is_before(read, *write)) return false;
    return std::ranges::none_of(
        writes_, [&](const LedAccess* other) { return other != write && comes_before(write, *other) && is_before(*other, read); });
  }

  void take(const LedAccess* write, const LedAccess& read, ReadWriteCount& count) const {
    ++count.candidates;
    count.constraints += !comes_before(write, read);
    for (const Row& row : rows_)
      count.constraints += std::ranges::any_of(row, [&](const LedAccess* other) { return other != write && is_open(write, *other, read); });
  }

  /// It might come between them.
  static bool is_open(const LedAccess* write, const LedAccess& other, const LedAccess& read) {
    return (write == initial || !is_before(other, *write)) && !is_before(read, other);
  }

  std::vector<const LedAccess*> reads_, writes_;
  std::vector<Row> rows_;
};

}  // namespace

std::optional<ReadWriteCount> count_read_write(const LedAccesses& accesses, bool in_rows) {
  ReadWriteCount count;
  double looks = 0;
  for (const auto& [place, list] : accesses) looks += Place(list, false).looks();
  if (looks > most_looks) return std::nullopt;
  for (const auto& [place, list] : accesses) Place(list, in_rows).count(count);
  return count;
}

}  // namespace treadle
