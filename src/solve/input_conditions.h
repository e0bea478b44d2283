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

#include <map>
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

/// Thread, and which one of its inputs.
using WhichInput = std::pair<std::uint32_t, std::uint32_t>;
/// As a schedule has them, before they are cut to size or brought into a range.
using GivenValues = std::map<WhichInput, std::uint64_t>;

/// Both included; signed, as treadle_input_range has it.
struct InputRange {
  std::uint64_t lowest = std::uint64_t{1} << 63, highest = ~std::uint64_t{0} >> 1;
  bool has(std::uint64_t value) const;
  /// What is given and lies outside is taken modulo the width (runtime/api.cpp).
  std::uint64_t brought_in(std::uint64_t value) const { return has(value) ? value : lowest + value % (highest - lowest + 1); }
  auto operator<=>(const InputRange&) const = default;
};

/// An input that was asked for. Its term stands for what is given, 64 bits, since on other ways it may be asked for as something else: with
/// another width, or from another range.
struct InputSeen {
  InputTerms::Input input{};
  unsigned bytes = 0;
  std::uint64_t value = 0;  // that the program saw
  std::uint64_t given = 0;  // the same where nothing was
  std::optional<InputRange> range{};
  WhichInput which() const { return {input.thread, input.number}; }
};

struct InputConditions {
  std::vector<InputCondition> all;  // in the order in which they came about
  std::vector<InputSeen> inputs;
  bool is_full = false;  // there was no room for more expressions: what came behind is not known
  bool is_lost = false;  // something was computed from what is not known to have been read
};

InputConditions conditions_on_inputs(const Trace& trace, const GivenValues& given, InputTerms& terms);

}  // namespace treadle
