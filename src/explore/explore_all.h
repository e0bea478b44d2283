// SPDX-License-Identifier: Apache-2.0
// Runs a strategy to its end on a made-up program, for the tests of strategies.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "explore/made_up_program.h"
#include "explore/strategy.h"

namespace treadle {

using Order = std::vector<unsigned>;  // the threads of the decisions, one after another

struct Explored {
  std::vector<Order> orders;      // of all executions, as they came
  std::set<Order> schedules;      // the distinct ones
  std::set<std::string> classes;  // the distinct ones, see below
  std::vector<Ending> ends;       // of all executions, as they came
  std::string covers;
  double estimate = 0;
  std::size_t executions() const { return orders.size(); }
};

/// The same for two executions exactly if they differ in the order of independent operations only: for each object the writes in their
/// order, and between them who read it how often.
inline std::string class_of(const Trace& trace) {
  std::map<std::pair<bool, std::uint64_t>, std::pair<std::string, std::map<unsigned, unsigned>>> objects;
  const auto close = [](auto& object) {
    for (const auto& [thread, reads] : object.second) object.first += " " + std::to_string(thread) + "x" + std::to_string(reads);
    object.second.clear();
  };
  for (const Event& event : trace.events) {
    const bool is_mutex = event.kind == TREADLE_EV_LOCK || event.kind == TREADLE_EV_UNLOCK;
    auto& object = objects[{is_mutex, event.address}];
    if (event.kind == TREADLE_EV_ATOMIC_READ) {
      ++object.second[event.thread];
      continue;
    }
    close(object);
    object.first += ", " + std::to_string(event.thread);
  }
  std::string text = treadle::text_of(trace.end.ending);
  for (auto& [name, object] : objects) close(object), text += " | " + object.first;
  return text;
}

/// Asks for `batch` schedules at a time and brings their results back in reverse order.
inline Explored explore_all(const MadeUpProgram& program, Strategy& strategy, std::size_t batch = 1) {
  MadeUpRunner runner(program);
  Explored explored;
  for (;;) {
    std::vector<Schedule> schedules;
    std::vector<Ticket> tickets;
    for (std::size_t n = std::min(batch, strategy.ahead()); n > 0; --n) {
      const auto item = strategy.next();
      if (!item) break;
      schedules.push_back(item->schedule);
      tickets.push_back(item->ticket);
    }
    if (schedules.empty()) break;
    std::vector<Trace> traces;
    EXPECT_TRUE(runner.run_batch(schedules, strategy.needs(), traces));
    for (std::size_t i = traces.size(); i-- > 0;) {
      EXPECT_NE(traces[i].end.ending, TREADLE_END_DIVERGED);
      strategy.learn_from(tickets[i], traces[i]);
      Order order;
      for (const Choice& choice : traces[i].choices) order.push_back(index_of(choice.taken.thread));
      explored.orders.push_back(order);
      explored.schedules.insert(order);
      explored.classes.insert(class_of(traces[i]));
      explored.ends.push_back(traces[i].end.ending);
    }
  }
  explored.covers = strategy.covers();
  explored.estimate = strategy.estimate().value_or(0);
  return explored;
}

/// Of an order in which n threads make so many steps each without ever blocking.
inline unsigned preemptions_in(const Order& order, std::vector<unsigned> left) {
  unsigned count = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i > 0 && order[i] != order[i - 1] && left[order[i - 1]] > 0) ++count;
    --left[order[i]];
  }
  return count;
}

}  // namespace treadle
