// SPDX-License-Identifier: Apache-2.0
#include "solve/decision_heap.h"

namespace treadle {

void DecisionHeap::add_variable() {
  const auto variable = static_cast<Variable>(activity_.size());
  activity_.push_back(0);
  place_.push_back(absent);
  insert(variable);
}

Variable DecisionHeap::pop() {
  const Variable top = heap_.front();
  place_[top] = absent;
  const Variable last = heap_.back();
  heap_.pop_back();
  if (!heap_.empty()) {
    put(last, 0);
    sink(0);
  }
  return top;
}

void DecisionHeap::insert(Variable variable) {
  if (place_[variable] != absent) return;
  heap_.push_back(variable);
  place_[variable] = static_cast<std::uint32_t>(heap_.size() - 1);
  rise(place_[variable]);
}

void DecisionHeap::bump(Variable variable) {
  activity_[variable] += increment_;
  if (activity_[variable] > 1e100) {
    for (double& activity : activity_) activity *= 1e-100;
    increment_ *= 1e-100;
  }
  if (place_[variable] != absent) rise(place_[variable]);
}

void DecisionHeap::rise(std::uint32_t place) {
  const Variable variable = heap_[place];
  while (place > 0) {
    const std::uint32_t parent = (place - 1) / 2;
    if (!precedes(variable, heap_[parent])) break;
    put(heap_[parent], place);
    place = parent;
  }
  put(variable, place);
}

void DecisionHeap::sink(std::uint32_t place) {
  const Variable variable = heap_[place];
  for (;;) {
    std::uint32_t child = 2 * place + 1;
    if (child >= heap_.size()) break;
    if (child + 1 < heap_.size() && precedes(heap_[child + 1], heap_[child])) ++child;
    if (!precedes(heap_[child], variable)) break;
    put(heap_[child], place);
    place = child;
  }
  put(variable, place);
}

}  // namespace treadle
