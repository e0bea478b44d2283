// SPDX-License-Identifier: Apache-2.0
// The expressions of a symbolic Trace (abi/symbolic.h), on the host's side of the fence: Trace::expressions[e] for e > 0, Trace::notes.
//
// With them the Trace is the concurrent trace program of Wang, Kundu, Ganai and Gupta (FM 2009): events are guarded assignments over
// symbols, one symbol for each read, ordered within a thread only. A read event that no READ expression names was used in a way that has no
// model: it keeps its value. A write event without WRITE note leaves the constant that it left.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "abi/symbolic.h"

namespace treadle {

using Expression = TreadleExpression;
using Note = TreadleNote;
using ExpressionOp = TreadleExpressionOp;
using ExpressionId = std::uint32_t;  // 0: none

const char* text_of(ExpressionOp op);
unsigned operands_of(ExpressionOp op);

/// The constant of a CONSTANT, the value seen of a READ or INPUT.
std::uint64_t value_in(const Expression& expression);

/// Every operand stands before what is made of it, widths fit, events exist. What decode() and the file reader demand.
bool is_well_formed(std::span<const Expression> expressions, std::uint64_t events);

/// Likewise for notes: their expressions, events and threads exist, conditions have one bit, reasons are in the catalogue.
bool is_well_formed(std::span<const Note> notes, std::span<const Expression> expressions, std::uint64_t events, std::uint64_t threads);

/// Values of all expressions, from the leaves up; `leaf` gives READs and INPUTs other values than those seen.
using LeafValue = std::function<std::uint64_t(const Expression& leaf)>;
std::vector<std::uint64_t> evaluate(std::span<const Expression> expressions, const LeafValue& leaf = value_in);

/// One operation on values of `bits` bits, C semantics where C has one, SMT-LIB's elsewhere.
std::uint64_t apply(ExpressionOp op, std::uint64_t a, std::uint64_t b, unsigned bits);

}  // namespace treadle
