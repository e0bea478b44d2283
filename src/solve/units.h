// SPDX-License-Identifier: Apache-2.0
// A trace as the causal model sees it: units that can change places, what each of them reads and writes, and what must come before it.
//
// A unit is everything that one decision brought about: a visible operation and the plain accesses behind it that are no scheduling points.
// __VERIFIER_atomic_* makes one unit of several decisions, since nobody else can move in between. Under TSO and PSO a buffered store is two
// units, the store (which nobody else notices) and its flush; one that was not flushed before the execution ended has a flush all the same.
//
// Memory is divided into cells: the largest ranges of bytes that no access splits, and no expression of a symbolic trace that stands for a
// part of one. So accesses of different sizes need no further thought.
//
// A thread that lets the others go on before it fails (Policy::Patient) does so behind a unit that ends the execution all the same: in
// another order nobody goes on behind that.
//
// Fruitless iterations of spin loops are left out as if they had not happened: they are branches off the thread's way, which only a
// question about what they read goes along.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "trace/trace.h"

namespace treadle {

using UnitId = std::uint32_t;
using CellId = std::uint32_t;
using ValueId = std::uint32_t;  // of one cell: equal exactly if the values are known to be equal

constexpr std::uint32_t nothing = std::numeric_limits<std::uint32_t>::max();

/// What a trace says about inputs: what they were, or only that there were some.
enum class Inputs : std::uint8_t { Kept, Free };

struct UnitRead {
  std::uint32_t event = 0;
  CellId cell = 0;
  ValueId value = 0;
  UnitId own_flush = nothing;  // of the newest store of the same thread before it that was buffered and may still be on its way
  ValueId own_value = 0;       // what that stored
};

struct UnitWrite {
  std::uint32_t event = 0;
  CellId cell = 0;
  ValueId value = 0;
};

struct Unit {
  ThreadId thread{};
  bool is_flush = false;
  bool left_out = false;             // a step of a fruitless iteration
  bool drains = false;               // waits until the own stores have reached memory
  bool ends = false;                 // the execution ended with it, or would have if its thread had not waited for the others
  EventKind kind = TREADLE_EV_NONE;  // of its first visible operation
  std::uint32_t event = nothing;     // that operation
  std::uint32_t choice = nothing;    // its first decision; nothing: a flush that did not happen
  std::vector<Decision> decisions;   // as they were taken
  std::vector<std::uint32_t> syncs;  // its synchronisation events
  UnitId before = nothing;           // the unit of the same thread that it follows
  UnitId partner = nothing;          // a store: its flush; a flush: its store
  std::vector<UnitId> must;          // units that have happened before it whenever it happens; `before` among them
  std::vector<UnitRead> reads;       // of what others left, in order
  std::vector<UnitWrite> writes;     // what it leaves
};

struct Cell {
  std::uint64_t start = 0, bytes = 0;
};

/// Something of the trace that has no model: from that unit on everything keeps its place.
struct Unmodelled {
  UnitId unit = 0;
  std::string why;
};

struct Units {
  std::vector<Unit> all;                                          // in the order of the trace; flushes that did not happen stand at the end
  std::vector<Cell> cells;                                        // by address
  std::vector<ValueId> initial;                                   // by cell
  std::vector<std::vector<std::optional<std::uint64_t>>> values;  // by cell and value, as far as they are known
  std::vector<UnitId> unit_of;                                    // by event; nothing: of no unit
  std::optional<Unmodelled> unmodelled;                           // the first one
  bool frees_what_others_use = false;                             // no order of it is asked for: another one may find it freed
  bool changes_unseen = false;                                    // where several threads go, memory changed without a recorded store
  // Event << 32 | cell: reads that found what their thread had left there since, in code without hooks. They count as its writes.
  std::unordered_set<std::uint64_t> left_unseen;
};

Units units_of(const Trace& trace, MemoryModel model, Races races);

/// The cells within a range of bytes: the first one, and one behind the last.
std::pair<CellId, CellId> cells_within(const Units& units, std::uint64_t address, std::uint64_t bytes);

}  // namespace treadle
