// SPDX-License-Identifier: Apache-2.0
#include "solve/order_graph.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "solve/must_order.h"

namespace treadle {
namespace {

struct PlainEdge {
  std::uint32_t from;
  std::uint32_t to;
  Literal because;
};

OrderNode node(std::uint32_t number) { return static_cast<OrderNode>(number); }

/// Is there a path along these edges? By looking everywhere.
bool reaches(const std::vector<PlainEdge>& edges, std::uint32_t from, std::uint32_t to) {
  std::set<std::uint32_t> reached{from};
  for (std::size_t before = 0; before != reached.size();) {
    before = reached.size();
    for (const PlainEdge& edge : edges) {
      if (reached.contains(edge.from)) reached.insert(edge.to);
    }
  }
  return reached.contains(to);
}

TEST(OrderGraph, RefusesExactlyWhatClosesACycleWhileEdgesComeAndGo) {
  constexpr std::uint32_t nodes = 12;
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    OrderGraph graph;
    for (std::uint32_t i = 0; i < nodes; ++i) graph.add_node();
    std::vector<PlainEdge> edges;
    for (std::uint32_t step = 0; step < 200; ++step) {
      if (!edges.empty() && random() % 3 == 0) {
        graph.remove_last(node(edges.back().from), node(edges.back().to));
        edges.pop_back();
        continue;
      }
      const PlainEdge edge{static_cast<std::uint32_t>(random() % nodes), static_cast<std::uint32_t>(random() % nodes),
                           random() % 3 == 0 ? OrderGraph::always : Literal{step}};
      if (edge.from == edge.to) continue;
      const bool closes = reaches(edges, edge.to, edge.from);
      ASSERT_EQ(graph.insert(node(edge.from), node(edge.to), edge.because), !closes);
      if (!closes) edges.push_back(edge);
      for (const PlainEdge& inserted : edges) ASSERT_LT(graph.position(node(inserted.from)), graph.position(node(inserted.to)));
      if (!closes) continue;
      std::vector<PlainEdge> blamed;
      for (const PlainEdge& inserted : edges) {
        const auto& cycle = graph.cycle();
        const bool is_blamed = std::find(cycle.begin(), cycle.end(), inserted.because) != cycle.end();
        if (inserted.because == OrderGraph::always || is_blamed) blamed.push_back(inserted);
      }
      ASSERT_TRUE(reaches(blamed, edge.to, edge.from));
    }
  }
}

TEST(OrderGraph, BlamesAsFewLiteralsAsItCan) {
  OrderGraph graph;
  for (int i = 0; i < 5; ++i) graph.add_node();
  ASSERT_TRUE(graph.insert(node(0), node(1), Literal{2}));
  ASSERT_TRUE(graph.insert(node(1), node(4), Literal{4}));
  ASSERT_TRUE(graph.insert(node(0), node(2), OrderGraph::always));
  ASSERT_TRUE(graph.insert(node(2), node(3), Literal{6}));
  ASSERT_TRUE(graph.insert(node(3), node(4), OrderGraph::always));
  ASSERT_FALSE(graph.insert(node(4), node(0), Literal{8}));
  EXPECT_EQ(graph.cycle(), std::vector{Literal{6}});
}

TEST(MustOrder, KnowsWhatFollowsFromTheEdgesInWhateverOrderTheyCome) {
  constexpr std::uint32_t nodes = 14;
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    MustOrder order;
    for (std::uint32_t i = 0; i < nodes; ++i) order.add_node();
    std::vector<PlainEdge> edges;
    for (std::uint32_t step = 0; step < 30; ++step) {
      const PlainEdge edge{static_cast<std::uint32_t>(random() % nodes), static_cast<std::uint32_t>(random() % nodes), Literal{0}};
      if (reaches(edges, edge.to, edge.from)) continue;
      edges.push_back(edge);
      order.add_edge(node(edge.from), node(edge.to));
      for (std::uint32_t a = 0; a < nodes; ++a) {
        for (std::uint32_t b = 0; b < nodes; ++b) ASSERT_EQ(order.comes_before(node(a), node(b)), a != b && reaches(edges, a, b));
      }
    }
  }
}

}  // namespace
}  // namespace treadle
