// SPDX-License-Identifier: Apache-2.0
// What depends on what, as a graph whose sources are numbered: for each node, the set of sources that can be reached from it.
//
// Nodes are values, pieces of private memory, branches, "this block runs", "the program gets as far as here". Sets are shared: a
// program has many nodes and few different sets.
#pragma once

#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>

#include <cstdint>
#include <vector>

namespace treadle {

class DependenceGraph {
 public:
  using Node = std::uint32_t;
  static constexpr Node nothing = 0;     // depends on no source
  static constexpr Node everything = 1;  // depends on all of them, known or not

  using SetId = std::uint32_t;
  static constexpr SetId empty_set = 0;
  static constexpr SetId set_of_everything = 1;

  DependenceGraph() : edges_(2), sources_(2, no_source), sets_(2) {}

  Node add();
  Node add_source(unsigned number);
  void depend(Node node, Node on);

  /// After the last edge.
  void close();
  SetId set_of(Node node) const { return set_of_node_[node]; }
  const llvm::BitVector& members(SetId set) const { return sets_[set]; }
  std::size_t sets() const { return sets_.size(); }

 private:
  static constexpr std::uint32_t no_source = UINT32_MAX;

  void close_from(Node root);
  void finish_component(llvm::ArrayRef<Node> component);
  SetId intern(llvm::BitVector members);

  std::vector<llvm::SmallVector<Node, 2>> edges_;
  std::vector<std::uint32_t> sources_;

  std::vector<llvm::BitVector> sets_;
  llvm::DenseMap<std::uint64_t, llvm::SmallVector<SetId, 1>> by_hash_;
  std::vector<SetId> set_of_node_;
  std::vector<std::uint32_t> index_, low_;  // Tarjan's
  std::vector<Node> stack_;
  std::uint32_t next_index_ = 0, source_count_ = 0;
};

}  // namespace treadle
