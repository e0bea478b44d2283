// SPDX-License-Identifier: Apache-2.0
// All executions that optimal partial order reduction has made or means to make, as one tree: the wake-up trees of Abdulla et al. (2014)
// and the executions that hang below them.
//
// A node stands for the prefix that leads to it. Its children are ordered by when they were put there; one counts as explored for all that
// come after it, whether its turn has come or not. Leaves may be run in any order and many at once, and the same classes come out, each
// once. But what is found below one child may have to be put below a later one: a subtree is over only when all that stands to the left of
// it in the tree is over. So there is one place at which subtrees are closed, and it moves through the tree from left to right; leaves are
// run as near to it as possible, which keeps the memory needed in proportion to the depth of the tree.
//
// A sequence v found at a prefix E (a race reversed) is put below the first child that can begin an execution which also contains v
// (a weak initial of v); when that child stands before the one that the finder came from, v is covered and nothing is to be done. A leaf
// reached in this way is already an execution to be made that contains what v wants. By construction, no earlier sibling along the way to a
// leaf can begin the leaf's execution, so none is ever asleep when the leaf is run.
//
// v is all of the finder's execution that does not depend on what was reversed, also what came after the race: with less, something that
// sleeps could seem to begin it which in truth is in its way (of the 4,638 classes of bench/programs/por/ms_queue.c with three and two
// threads, 30 were lost). But as a leaf only so much of v is kept as it takes to be sure of that.
//
// Walking through nodes, most of them long out of the cache, is what the tree costs: a node is one cache line, and what few nodes have
// stands elsewhere. How an execution went on where nobody has inserted anything is a list of actions at the last of its nodes, its tail;
// nodes are made of that one by one, when something comes down as far (of ten transitions behind a leaf, one).
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "explore/action_table.h"

namespace treadle {

class ExecutionTree {
 public:
  struct Tail {
    Sequence actions;
    std::size_t first = 0;  // those before it have become nodes
  };
  struct alignas(64) Node {
    enum class State : std::uint8_t {
      Ahead,  // on the way to a leaf that was not run yet
      Leaf,   // to be run
      Out,    // being run
      Run,    // some execution has come through
      Done    // and all below are over; has no children any more
    };

    Node* parent = nullptr;
    Node* next = nullptr;  // sibling
    Node* first_child = nullptr;
    union {
      Node* last_child = nullptr;
      Tail* tail;  // with has_tail: there are no children yet
    };
    union {
      Node* first_open = nullptr;  // children before it are Done; null: all are, or there are none
      std::uint64_t executions;    // Done: so many were below
    };
    KnownAction action = nullptr;  // that leads here from the parent
    std::uint32_t depth = 0;
    std::uint32_t waiting = 0;      // leaves at or below that nobody has taken
    std::uint64_t serial : 48 = 0;  // never used twice
    State state : 8 = State::Ahead;
    bool attempt : 1 = false;  // leads to a leaf that may turn out to be impossible
    bool has_notes : 1 = false;
    bool has_tail : 1 = false;
    bool otherwise : 1 = false;  // its step has turned out to touch something else than was thought when others relied on it
  };

  ExecutionTree();
  ExecutionTree(const ExecutionTree&) = delete;
  ExecutionTree& operator=(const ExecutionTree&) = delete;

  ActionTable& actions() { return actions_; }

  /// The next leaf to run, from left to right; null when none is waiting. It is Out from now on.
  Node* take_leaf();
  std::size_t leaves() const { return root_->waiting; }
  /// Nothing to the left of this leaf is open: nothing more will be inserted below it from elsewhere.
  bool is_leftmost(const Node& leaf) const { return active_ == &leaf; }
  bool is_finished() const { return root_->state == Node::State::Done; }

  /// This is what its decisions and accesses really are.
  static void turned_out(Node& node, KnownAction action);
  /// An execution has come along here with this action.
  void came_through(Node& node, KnownAction action);
  /// What relied on steps of it that turned out to touch something else than was thought: who sleeps may sleep on, and the leaf need not
  /// lead to all that was to be done there. Now that it has been run that can be told.
  void insert_again();
  /// The leaf was run, and failed with its last action: does otherwise for those who relied on it to go on.
  void failed_at(Node& leaf);
  /// Adds the node that the execution reached next.
  Node& grow(Node& node, KnownAction action);
  /// And so it went on from there, where nothing hangs yet.
  void leave_tail(Node& node, std::span<const KnownAction> actions);
  /// v, found at `at` by an execution that went on to the child `from`. `asleep`: explored elsewhere already. `least`: so much of v must be
  /// run in any case. Returns which one of those asleep can begin it, so that nothing was to be done, or null.
  KnownAction insert(Node& at, Node& from, const Sequence& v, std::size_t least, std::span<const KnownAction> asleep);
  /// Nothing was to be done for v because of this one, which stands to the left of it.
  void rely_on(Node& child, Node& at, Node* from, const Sequence& v, std::size_t least);
  /// Runs v at `at` whatever is known.
  void plan(Node& at, std::span<const KnownAction> v) { add_leaf(at, v); }
  /// All that the executions made so far have found is inserted: closes what is over.
  void close();
  /// The leaf cannot be run as intended: forgets it and does otherwise for those who relied on it.
  void give_up(Node& leaf);

  /// A class of executions on its way down: where it hangs in the tree, as far as the tree is known by now.
  struct Sought {
    Node* at = nullptr;
    std::uint64_t serial = 0;  // the node may have been given away since: then all below it was over
    Sequence rest;             // of the class, from there on
  };
  Sought seek(Sequence execution) const { return {root_, root_->serial, std::move(execution)}; }
  /// The class hangs below something that is over: it was run.
  bool is_over(Sought& sought);
  /// So many executions hang below what is over.
  std::uint64_t executions_over() const;

  /// Executions of the whole tree, by the rule that a subtree not entered yet is as large as its siblings on average.
  double estimate() const;

  void save(ByteWriter& out) const;
  /// No prefix may have more decisions than so many.
  bool load(ByteReader& in, std::uint32_t most_decisions);

 private:
  /// What few nodes have.
  struct Notes {
    /// Sequences that rely on this node to be run, for the case that it turns out to be impossible, or to be where the execution fails.
    struct Relying {
      Node* at;
      Node* from;
      std::uint64_t from_serial;  // it may have been given up since
      Sequence v;
      std::size_t least;
      Node* finder() const { return from != nullptr && from->serial == from_serial ? from : nullptr; }
    };
    std::vector<Relying> relying;
    std::vector<std::vector<Process>> impossible;  // sequences tried here in vain
  };

  Node& new_node(Node* parent, KnownAction action);
  void unfold(Node& node);
  void drop_tail(Node& node);
  void remove(Node& node);
  void forget(Node& node);
  Notes& notes_of(Node& node);
  bool is_known_impossible(const Node& at, std::span<const KnownAction> v) const;
  void count_waiting(Node& leaf, int difference);
  void add_leaf(Node& at, std::span<const KnownAction> v);
  void insert_below(Node& at, Node* from, const Sequence& v, std::size_t least);
  void finish(Node& node);

  // execution_tree_files.cpp
  struct NotLinked;
  void put_node(ByteWriter& out, const Node& node) const;
  static void put_tail(ByteWriter& out, const Node& node);
  std::size_t get_node(ByteReader& in, Node& node, std::vector<NotLinked>& not_linked);

  ActionTable actions_;
  std::vector<std::unique_ptr<Node[]>> blocks_;
  Node* free_ = nullptr;  // a list by `next`
  std::deque<Tail> tails_;
  std::vector<Tail*> free_tails_;
  std::unordered_map<const Node*, Notes> notes_;
  Sequence rest_;  // scratch of insert_below()
  std::vector<Notes::Relying> relied_in_vain_;
  std::uint64_t serial_ = 0;
  bool may_be_needed_again_ = false;  // there has been a leaf that may turn out to be impossible
  Node* root_;                        // made with the help of all the others
  Node* active_;                      // everything to the left of it is over
};
static_assert(sizeof(ExecutionTree::Node) == 64);

/// Is `first` a weak initial of v: can an execution begin with it that also contains v?
struct Initial {
  bool is_weak;
  std::size_t at;  // which element of v it is, v.size(): none; if it is no weak initial: the element that says so
};
Initial weak_initial(const Action& first, std::span<const KnownAction> v);

}  // namespace treadle
