// SPDX-License-Identifier: Apache-2.0
// The user's problem: one sentence and a hint. Our own bugs go through check(), findings are data.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace treadle {

struct Problem {
  std::string sentence;  // "cannot read foo.witness: it is cut short"
  std::string hint;      // "run `treadle check` again to make a new one"; may be empty
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Problem problem) : state_(std::in_place_index<1>, std::move(problem)) {}

  explicit operator bool() const { return state_.index() == 0; }
  T& operator*() & { return std::get<0>(state_); }
  const T& operator*() const& { return std::get<0>(state_); }
  T&& operator*() && { return std::get<0>(std::move(state_)); }
  T* operator->() { return &std::get<0>(state_); }
  const T* operator->() const { return &std::get<0>(state_); }
  const Problem& problem() const { return std::get<1>(state_); }

 private:
  std::variant<T, Problem> state_;
};

/// Success without a value.
struct Done {};

}  // namespace treadle
