// SPDX-License-Identifier: Apache-2.0
// The model at hand: every variable has a value in it, assigned or not, and the search only repairs it.
//
// An assigned variable has the value of the trail. Another Boolean keeps the value it had last (at first false), another order literal says
// what the graph's present line says; so the order literals agree with each other by themselves. When no clause is broken, this is a model,
// however little of it was decided: a question that changes a few things about a trace of thousands of events decides a few things. (A
// decision for every variable made the search spend nine tenths of its time on variables that nobody asked about.)
//
// Each clause stands in the list of one literal that makes it true, its supporter, and is looked at when that literal changes. Changes are
// only noted, and looked at when nothing broken is known any more.
#pragma once

#include <optional>
#include <vector>

#include "solve/activities.h"
#include "solve/order_graph.h"
#include "solve/order_literals.h"
#include "solve/trail.h"

namespace treadle {

class CandidateModel {
 public:
  CandidateModel(ClauseDatabase& clauses, const Trail& trail, const Activities& activities, OrderGraph& graph, const OrderLiterals& orders)
      : clauses_(clauses), trail_(trail), activities_(activities), graph_(graph), orders_(orders) {}

  void add_variable();

  /// Of a Boolean that no clause has yet.
  void suggest(Literal literal, bool value) { values_[variable_of(literal)] = value != is_negated(literal); }

  void add_clause(ClauseRef clause) { broken_.push_back(clause); }

  /// After the database was compacted.
  void look_at_all_anew();

  /// A Boolean that is no order literal was assigned.
  void set(Literal literal);

  bool holds(Literal literal) const;

  /// A clause that does not hold; none: this is a model. The trail is propagated and holds no conflict.
  ClauseRef find_broken();

  /// The open literal whose truth should mend a broken clause.
  Literal best_of(ClauseRef broken) const;

 private:
  bool find_supporter(ClauseRef clause);
  void leave(Literal no_supporter_any_more);
  void look_at_changes();

  ClauseDatabase& clauses_;
  const Trail& trail_;
  const Activities& activities_;
  OrderGraph& graph_;
  const OrderLiterals& orders_;

  std::vector<bool> values_;          // by variable, of Booleans that are no order literals
  std::vector<ClauseRef> supported_;  // by literal: the first of the clauses it supports; they are linked
  std::vector<ClauseRef> broken_;     // clauses without supporter
  std::vector<Literal> changed_;      // Booleans that became false since changes were looked at
};

}  // namespace treadle
