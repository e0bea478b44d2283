// SPDX-License-Identifier: Apache-2.0
// The nodes of std::list, std::map and std::set are linked by functions inside libstdc++.so, which is not instrumented: whoever walks
// through a map while another thread inserts would not seem to race. Ours stand in front of them and do the same (Cormen et al., ch. 13),
// with every access to a link announced as one of the caller. The layouts are libstdc++'s ABI since GCC 4.5.
#include "runtime/plain.h"
#include "runtime/symbolic.h"

namespace treadle {

namespace {

/// The caller's accesses to links.
class Links {
 public:
  explicit Links(std::uint64_t pc) : pc_(pc) {}

  template <class T>
  T get(T const& link) const noexcept {
    range_long_way<Access::Read>(&link, sizeof link, pc_);
    return link;
  }
  template <class T>
  void set(T& link, T value) const noexcept {
    range_long_way<Access::Write>(&link, sizeof link, pc_);
    if (active()) symbolic_forget(number(&link), sizeof link);
    link = value;
  }

 private:
  std::uint64_t pc_;
};

struct ListNode {
  ListNode *next, *previous;
};

enum Color : std::uint32_t { Red, Black };

struct TreeNode {
  Color color;
  TreeNode *parent, *left, *right;
};

using Side = TreeNode* TreeNode::*;

/// A tree as seen from its header: its parent is the root, left and right are the first and the last node.
class Tree {
 public:
  Tree(TreeNode& header, Links links) : header_(header), links_(links) {}

  void insert(bool on_the_left, TreeNode* node, TreeNode* parent) {
    set(node, &TreeNode::parent, parent);
    set(node, &TreeNode::left, nullptr);
    set(node, &TreeNode::right, nullptr);
    paint(node, Red);
    if (on_the_left) {
      set(parent, &TreeNode::left, node);  // also the first node, when the parent is the header
      if (parent == &header_) {
        set(parent, &TreeNode::parent, node);
        set(parent, &TreeNode::right, node);
      } else if (parent == get(&header_, &TreeNode::left)) {
        set(&header_, &TreeNode::left, node);
      }
    } else {
      set(parent, &TreeNode::right, node);
      if (parent == get(&header_, &TreeNode::right)) set(&header_, &TreeNode::right, node);
    }
    mend_red(node);
  }

  /// Returns the node to be freed, which is `node`: it is its place in the tree that its successor takes, not its contents.
  TreeNode* erase(TreeNode* node) {
    TreeNode *hole, *above;  // what comes where a node is missing, maybe null, and its parent
    Color missing;
    TreeNode* const left = get(node, &TreeNode::left);
    TreeNode* const right = get(node, &TreeNode::right);
    if (left == nullptr || right == nullptr) {
      hole = left != nullptr ? left : right;
      above = get(node, &TreeNode::parent);
      missing = color(node);
      if (hole != nullptr) set(hole, &TreeNode::parent, above);
      put_in_place_of(node, hole, above);
      if (get(&header_, &TreeNode::left) == node) set(&header_, &TreeNode::left, hole == nullptr ? above : farthest(hole, &TreeNode::left));
      if (get(&header_, &TreeNode::right) == node)
        set(&header_, &TreeNode::right, hole == nullptr ? above : farthest(hole, &TreeNode::right));
    } else {
      TreeNode* const successor = farthest(right, &TreeNode::left);
      hole = get(successor, &TreeNode::right);
      missing = color(successor);
      if (successor == right) {
        above = successor;
      } else {
        above = get(successor, &TreeNode::parent);
        if (hole != nullptr) set(hole, &TreeNode::parent, above);
        set(above, &TreeNode::left, hole);
        set(successor, &TreeNode::right, right);
        set(right, &TreeNode::parent, successor);
      }
      set(successor, &TreeNode::left, left);
      set(left, &TreeNode::parent, successor);
      TreeNode* const parent = get(node, &TreeNode::parent);
      put_in_place_of(node, successor, parent);
      set(successor, &TreeNode::parent, parent);
      paint(successor, color(node));
    }
    if (missing == Black) mend_missing_black(hole, above);
    return node;
  }

 private:
  TreeNode* get(const TreeNode* node, Side link) const { return links_.get(node->*link); }
  void set(TreeNode* node, Side link, TreeNode* value) const { links_.set(node->*link, value); }
  Color color(const TreeNode* node) const { return links_.get(node->color); }
  void paint(TreeNode* node, Color color) const { links_.set(node->color, color); }
  bool is_black(const TreeNode* node) const { return node == nullptr || color(node) == Black; }
  TreeNode* root() const { return get(&header_, &TreeNode::parent); }

  TreeNode* farthest(TreeNode* node, Side side) const {
    while (TreeNode* next = get(node, side)) node = next;
    return node;
  }

  void put_in_place_of(const TreeNode* old, TreeNode* node, TreeNode* parent) const {
    if (root() == old)
      set(&header_, &TreeNode::parent, node);
    else
      set(parent, get(parent, &TreeNode::left) == old ? &TreeNode::left : &TreeNode::right, node);
  }

  /// The child on the other side of `side` comes up, and `node` goes down to `side`.
  void rotate(TreeNode* node, Side side) const {
    const Side other = opposite(side);
    TreeNode* const child = get(node, other);
    TreeNode* const inner = get(child, side);
    set(node, other, inner);
    if (inner != nullptr) set(inner, &TreeNode::parent, node);
    TreeNode* const parent = get(node, &TreeNode::parent);
    set(child, &TreeNode::parent, parent);
    put_in_place_of(node, child, parent);
    set(child, side, node);
    set(node, &TreeNode::parent, child);
  }

  static Side opposite(Side side) { return side == &TreeNode::left ? &TreeNode::right : &TreeNode::left; }

  /// `node` is red, and its parent may be, too.
  void mend_red(TreeNode* node) const {
    while (node != root()) {
      TreeNode* parent = get(node, &TreeNode::parent);
      if (color(parent) == Black) break;
      TreeNode* const above = get(parent, &TreeNode::parent);
      const Side side = parent == get(above, &TreeNode::left) ? &TreeNode::left : &TreeNode::right;
      TreeNode* const uncle = get(above, opposite(side));
      if (!is_black(uncle)) {
        paint(parent, Black);
        paint(uncle, Black);
        paint(above, Red);
        node = above;
        continue;
      }
      if (node == get(parent, opposite(side))) {
        node = parent;
        rotate(node, side);
        parent = get(node, &TreeNode::parent);
      }
      paint(parent, Black);
      paint(above, Red);
      rotate(above, opposite(side));
    }
    paint(root(), Black);
  }

  /// Ways through `node`, below `parent`, have one black node less than all others.
  void mend_missing_black(TreeNode* node, TreeNode* parent) const {
    while (node != root() && is_black(node)) {
      const Side side = node == get(parent, &TreeNode::left) ? &TreeNode::left : &TreeNode::right;
      const Side other = opposite(side);
      TreeNode* sibling = get(parent, other);
      if (!is_black(sibling)) {
        paint(sibling, Black);
        paint(parent, Red);
        rotate(parent, side);
        sibling = get(parent, other);
      }
      if (is_black(get(sibling, side)) && is_black(get(sibling, other))) {
        paint(sibling, Red);
        node = parent;
        parent = get(node, &TreeNode::parent);
        continue;
      }
      if (is_black(get(sibling, other))) {
        paint(get(sibling, side), Black);
        paint(sibling, Red);
        rotate(sibling, other);
        sibling = get(parent, other);
      }
      paint(sibling, color(parent));
      paint(parent, Black);
      paint(get(sibling, other), Black);
      rotate(parent, side);
      break;
    }
    if (node != nullptr) paint(node, Black);
  }

  TreeNode& header_;
  Links links_;
};

/// The next node to `side`. From the header, which is red as no root is, to the left: the last node.
TreeNode* neighbour(TreeNode* node, Side side, Links links) noexcept {
  const Side other = side == &TreeNode::left ? &TreeNode::right : &TreeNode::left;
  if (side == &TreeNode::left && links.get(node->color) == Red) {
    TreeNode* const parent = links.get(node->parent);
    if (links.get(parent->parent) == node) return links.get(node->right);
  }
  if (TreeNode* next = links.get(node->*side)) {
    while (TreeNode* further = links.get(next->*other)) next = further;
    return next;
  }
  TreeNode* above = links.get(node->parent);
  while (node == links.get(above->*side)) {
    node = above;
    above = links.get(above->parent);
  }
  // With a single node, the way to the right ends at the header, whose right child that node is.
  return side == &TreeNode::right && links.get(node->right) == above ? node : above;
}

}  // namespace

}  // namespace treadle

using namespace treadle;

extern "C" {

// std::__detail::_List_node_base
void _ZNSt8__detail15_List_node_base7_M_hookEPS0_(ListNode* self, ListNode* position) noexcept {
  const Links links(TREADLE_PC());
  links.set(self->next, position);
  ListNode* const before = links.get(position->previous);
  links.set(self->previous, before);
  links.set(before->next, self);
  links.set(position->previous, self);
}

void _ZNSt8__detail15_List_node_base9_M_unhookEv(ListNode* self) noexcept {
  const Links links(TREADLE_PC());
  ListNode* const next = links.get(self->next);
  ListNode* const previous = links.get(self->previous);
  links.set(previous->next, next);
  links.set(next->previous, previous);
}

/// The nodes from `first` up to, not including, `last` come to stand before `self`.
void _ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_(ListNode* self, ListNode* first, ListNode* last) noexcept {
  if (self == last) return;
  const Links links(TREADLE_PC());
  ListNode* const end = links.get(last->previous);
  ListNode* const before_first = links.get(first->previous);
  ListNode* const before_self = links.get(self->previous);
  links.set(end->next, self);
  links.set(before_first->next, last);
  links.set(before_self->next, first);
  links.set(self->previous, end);
  links.set(last->previous, before_first);
  links.set(first->previous, before_self);
}

void _ZNSt8__detail15_List_node_base10_M_reverseEv(ListNode* self) noexcept {
  const Links links(TREADLE_PC());
  ListNode* node = self;
  do {
    ListNode* const next = links.get(node->next);
    links.set(node->next, links.get(node->previous));
    links.set(node->previous, next);
    node = next;
  } while (node != self);
}

void _ZNSt8__detail15_List_node_base4swapERS0_S1_(ListNode& one, ListNode& other) noexcept {
  const Links links(TREADLE_PC());
  const ListNode was_one{links.get(one.next), links.get(one.previous)}, was_other{links.get(other.next), links.get(other.previous)};
  const auto take = [&](ListNode& to, const ListNode& from, const ListNode& from_where) {
    const bool empty = from.next == &from_where;
    links.set(to.next, empty ? &to : from.next);
    links.set(to.previous, empty ? &to : from.previous);
    if (empty) return;
    links.set(from.next->previous, &to);
    links.set(from.previous->next, &to);
  };
  take(one, was_other, other);
  take(other, was_one, one);
}

// std::_Rb_tree_…
void _ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_(bool on_the_left, TreeNode* node, TreeNode* parent,
                                                                       TreeNode& header) noexcept {
  Tree(header, Links(TREADLE_PC())).insert(on_the_left, node, parent);
}

TreeNode* _ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_(TreeNode* node, TreeNode& header) noexcept {
  return Tree(header, Links(TREADLE_PC())).erase(node);
}

TreeNode* _ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base(TreeNode* node) noexcept {
  return neighbour(node, &TreeNode::right, Links(TREADLE_PC()));
}

TreeNode* _ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base(TreeNode* node) noexcept {
  return neighbour(node, &TreeNode::right, Links(TREADLE_PC()));
}

TreeNode* _ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base(TreeNode* node) noexcept {
  return neighbour(node, &TreeNode::left, Links(TREADLE_PC()));
}

TreeNode* _ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base(TreeNode* node) noexcept {
  return neighbour(node, &TreeNode::left, Links(TREADLE_PC()));
}

}  // extern "C"
