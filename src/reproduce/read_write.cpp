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

/// Accesses to one place.
class Place {
 public:
  Place(const std::vector<LedAccess>& accesses, bool in_rows) {
    for (const LedAccess& access : accesses) (access.writes ? writes_ : reads_).push_back(&access);
    known_ = rows_of(writes_);
    rows_ = in_rows ? known_ : each_alone(writes_);
  }

  /// `looks` counts up. False: there are too many.
  bool count(ReadWriteCount& count, double& looks) const {
    count.reads += reads_.size();
    count.writes += writes_.size();
    for (const LedAccess* read : reads_) {
      const auto candidates = candidates_of(*read);
      looks += static_cast<double>((1 + candidates.size()) * writes_.size());
      if (looks > most_looks) return false;
      for (const LedAccess* write : candidates) take(write, *read, count);
    }
    return true;
  }

 private:
  /// Those that may come right before it: of those that are known to be before it, the ones that no other of them comes behind; and all of
  /// which nothing is known.
  std::vector<const LedAccess*> candidates_of(const LedAccess& read) const {
    std::vector<const LedAccess*> last, all;
    for (const Row& row : known_) {
      const LedAccess* latest = nullptr;
      for (const LedAccess* write : row)
        if (is_before(*write, read))
          latest = write;
        else if (!is_before(read, *write))
          all.push_back(write);
      if (latest != nullptr) last.push_back(latest);
    }
    if (last.empty()) all.push_back(initial);
    for (const LedAccess* write : last)
      if (std::ranges::none_of(last, [&](const LedAccess* other) { return is_before(*write, *other); })) all.push_back(write);
    return all;
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
  std::vector<Row> known_, rows_;
};

}  // namespace

std::optional<ReadWriteCount> count_read_write(const LedAccesses& accesses, bool in_rows) {
  ReadWriteCount count;
  double looks = 0;
  for (const auto& [place, list] : accesses)
    if (!Place(list, in_rows).count(count, looks)) return std::nullopt;
  return count;
}

}  // namespace treadle
