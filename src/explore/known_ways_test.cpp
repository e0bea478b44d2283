// SPDX-License-Identifier: Apache-2.0
#include "explore/known_ways.h"

#include <gtest/gtest.h>

#include <random>

namespace treadle {
namespace {

using Row = KnownWays::Row;

bool is_implied(const Row& row, const std::vector<Row>& by) {
  return std::ranges::any_of(by, [&](const Row& known) { return std::ranges::equal(row, known, std::less_equal<>{}); });
}

/// Ways of thread t are its numbers 4t … 4t + 3, and what they have in common with the one that asks is drawn.
struct Case {
  std::vector<std::vector<std::uint32_t>> executions;
  std::vector<Row> marks;  // by thread and way
  Row ends;
  std::uint32_t thread = 0, first = 0, before = 0;
  std::vector<Row> said;

  explicit Case(std::mt19937& random) {
    const unsigned threads = 2 + random() % 3;
    for (unsigned t = 0; t < threads; ++t) {
      ends.push_back(1 + random() % 3);
      Row& own = marks.emplace_back();
      for (unsigned way = 0; way < 4; ++way) own.push_back(random() % (ends[t] + 1));
    }
    for (unsigned n = 1 + random() % 30; n > 0; --n) {
      std::vector<std::uint32_t> ways;
      const unsigned its_threads = random() % 4 == 0 ? 1 + random() % (threads + 1) : threads;
      for (unsigned t = 0; t < its_threads; ++t) ways.push_back(4 * t + random() % 4);
      executions.push_back(ways);
    }
    thread = random() % threads;
    first = random() % 3 == 0 ? random() % executions.size() : 0;
    before = random() % 3 == 0 ? random() % executions.size() : UINT32_MAX;
  }

  bool passes(std::uint32_t way) const { return way % 2 == 0; }

  /// All of what has to be said, whether more than that is or not.
  std::vector<Row> one_by_one() const {
    std::vector<Row> rows;
    for (std::uint32_t e = 0; e < executions.size(); ++e) {
      const auto& ways = executions[e];
      const bool is_repeated = std::ranges::find(executions, ways) != executions.begin() + e;
      if (is_repeated || e < first || e >= before || ways.size() <= thread || !passes(ways[thread])) continue;
      Row row(ends.size(), 0);
      for (std::size_t t = 0; t < row.size() && t < ways.size(); ++t) row[t] = marks[t][ways[t] % 4];
      row[thread] = ends[thread];
      rows.push_back(row);
    }
    return rows;
  }
};

TEST(KnownWays, FindsWhatImpliesAllThatEachExecutionHasInCommon) {
  std::mt19937 random(1);
  unsigned had_all = 0, left_out = 0;
  for (int n = 0; n < 3000; ++n) {
    const Case one(random);
    KnownWays ways;
    for (std::uint32_t e = 0; e < one.executions.size(); ++e) ways.add(one.executions[e], e);
    const auto mark = [&](std::uint32_t thread, std::uint32_t way) { return one.marks[thread][way % 4]; };
    const auto passes = [&](std::uint32_t way) { return one.passes(way); };
    const std::vector<Row> none;
    KnownWays::Search<decltype(mark), decltype(passes)> search{one.first, one.before, one.thread, one.ends, none, mark, passes};
    const bool leaves_something = ways.find(search);
    const std::vector<Row> expected = one.one_by_one();
    ASSERT_EQ(leaves_something, std::ranges::find(expected, one.ends) == expected.end()) << n;
    had_all += leaves_something ? 0 : 1;
    if (!leaves_something) continue;
    for (const Row& row : expected) ASSERT_TRUE(is_implied(row, search.found)) << n;
    for (const Row& row : search.found) ASSERT_NE(std::ranges::find(expected, row), expected.end()) << n;
    left_out += search.found.size() < expected.size() ? 1 : 0;

    // What was said already is left out.
    KnownWays::Search<decltype(mark), decltype(passes)> again{one.first, one.before, one.thread, one.ends, search.found, mark, passes};
    ASSERT_TRUE(ways.find(again));
    ASSERT_TRUE(again.found.empty());
  }
  EXPECT_GT(had_all, 100u);
  EXPECT_GT(left_out, 100u);
}

}  // namespace
}  // namespace treadle
