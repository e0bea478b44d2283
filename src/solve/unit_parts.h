// SPDX-License-Identifier: Apache-2.0
// The steps in which a trace becomes Units. Private to units.cpp and its parts.
#pragma once

#include "solve/units.h"
#include "trace/store_buffers.h"

namespace treadle {

/// By decision: does it belong to an iteration of a spin loop that led nowhere? Each iteration has a number of its own, from 1. What was put
/// aside (marked_decisions.h) belongs to none, and is left out as well.
std::vector<std::uint32_t> fruitless_iterations(const Trace& trace);

/// What must come before what: program order, creation and joining, store buffers.
void order_units(const Trace& trace, MemoryModel model, Units& units);

/// Cells, and which values are read and written there.
void find_accesses(const Trace& trace, Races races, Units& units);

void tell_unmodelled(Units& units, UnitId unit, std::string why);

}  // namespace treadle
