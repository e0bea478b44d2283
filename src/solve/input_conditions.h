// SPDX-License-Identifier: Apache-2.0
// What an execution asks of its inputs, its order being as it was: with other inputs that fulfil it, the same schedule leads every thread
// along the same turns. Each read has the term that stood there then, whoever wrote it; the conditions on the threads' ways become
// conditions on inputs alone. No model of order is needed: the engine has made the order.
//
// A condition that holds may be added without harm: it makes what is known to go the same way smaller. So whatever does not go by notes is
// pinned to the value that it had:
//   - what a read found that no expression stands for,
//   - what synchronisation looks at itself (the word of a futex),
//   - what is written where a spin loop looks: whether its thread looks again depends on whether the value changes, and an iteration that
//     is known to lead nowhere is known by its values (explore/fruitless_iterations.cpp). What is written once, before, is not: the loop
//     sees nothing else there.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "solve/input_terms.h"
#include "trace/trace.h"

namespace treadle {

struct InputCondition {
  InputTerms::Term term = 0;                 // of one bit
  std::optional<InputTerms::Term> pinned{};  // the term that has no other value than this
  std::uint64_t value = 0;
  bool is_assumed = false;  // while there was one thread: otherwise nothing follows, in no schedule
};

/// An input that was asked for. However wide it is, its term is a part of one of 64 bits: on other ways it may be asked for as another.
struct InputSeen {
  InputTerms::Input input{};
  unsigned bytes = 0;
  std::uint64_t value = 0;
  std::optional<std::pair<std::uint64_t, std::uint64_t>> range{};  // signed; what is given and lies outside becomes another value within
};

struct InputConditions {
  std::vector<InputCondition> all;  // in the order in which they came about
  std::vector<InputSeen> inputs;
  bool is_full = false;  // there was no room for more expressions: what came behind is not known
  bool is_lost = false;  // something was computed from what is not known to have been read
};

InputConditions conditions_on_inputs(const Trace& trace, InputTerms& terms);

}  // namespace treadle
