// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <unordered_map>

#include "solve/unit_parts.h"
#include "trace/happens_before.h"
#include "trace/marked_decisions.h"
#include "trace/store_buffers.h"

namespace treadle {
namespace {

/// What an event does with a range of memory. Ranges, and what is new or freed, have values that are not recorded.
struct Effect {
  std::uint64_t address = 0, bytes = 0;
  bool reads = false, writes = false;
  bool read_known = false, written_known = false;
  std::uint64_t read[2] = {}, written[2] = {};  // low and high half
  bool overwritten_known = false;
  std::uint64_t overwritten = 0;
};

Effect effect_of(const Event& e, Races races) {
  Effect out;
  out.address = e.address;
  out.bytes = e.size;
  const bool wide = e.size > 8;
  switch (static_cast<EventKind>(e.kind)) {
    case TREADLE_EV_READ:
    case TREADLE_EV_ATOMIC_READ:
      out.reads = out.read_known = true;
      out.read[0] = e.value;
      out.read[1] = e.extra;
      break;
    case TREADLE_EV_CAS_FAIL:
    case TREADLE_EV_FUTEX_WAIT:
      out.reads = true;
      out.read_known = !wide;
      out.read[0] = e.value;
      break;
    case TREADLE_EV_RMW:
    case TREADLE_EV_CAS_OK:
      out.reads = out.writes = true;
      out.read_known = out.written_known = !wide;
      out.read[0] = e.value;
      out.written[0] = e.extra;
      break;
    case TREADLE_EV_WRITE:
    case TREADLE_EV_ATOMIC_WRITE:
      out.writes = out.written_known = true;
      out.written[0] = e.value;
      out.written[1] = e.extra;
      out.overwritten_known = !wide && (e.kind == TREADLE_EV_ATOMIC_WRITE || races == Races::Explore);
      out.overwritten = e.extra;
      break;
    case TREADLE_EV_RANGE_READ:
      out.reads = true;
      out.bytes = e.extra;
      break;
    case TREADLE_EV_RANGE_WRITE:
      out.writes = true;
      out.bytes = e.extra;
      break;
    case TREADLE_EV_ALLOC:
    case TREADLE_EV_FREE:
      out.writes = true;
      out.bytes = e.value;
      break;
    default:
      out.bytes = 0;
  }
  if (out.bytes == 0) out.reads = out.writes = false;
  return out;
}

/// Part of what an event read or left, known because an expression stands for it.
struct Noted {
  std::uint64_t offset = 0, bytes = 0, value = 0;
};

class Accesses {
 public:
  Accesses(const Trace& trace, Races races, Units& units) : trace_(trace), races_(races), units_(units) {}

  void find() {
    find_noted();
    cut_cells();
    find_owners();
    memory_.assign(cells(), nothing);
    first_.resize(cells());
    for (CellId c = 0; c < cells(); ++c) memory_[c] = first_[c] = new_value();
    for (UnitId u = 0; u < units_.all.size(); ++u) {
      if (units_.all[u].is_flush)
        flush(u);
      else
        run(u);
    }
    name_values();
  }

 private:
  using Slot = std::uint32_t;  // one value that somebody wrote; which ones are equal is decided at the end

  std::size_t cells() const { return units_.cells.size(); }

  void find_noted() {
    if (trace_.expressions.empty()) return;
    for (const Expression& e : trace_.expressions)
      if (e.op == TREADLE_OP_READ) noted_reads_[e.a].push_back({e.part, e.bits / 8u, value_in(e)});
    const std::vector<std::uint64_t> values = evaluate(trace_.expressions);
    for (const Note& note : trace_.notes)
      if (note.kind == TREADLE_NOTE_WRITE && note.expression < values.size())
        noted_writes_[note.event].push_back({note.part, (trace_.expressions[note.expression].bits + 7u) / 8, values[note.expression]});
  }

  /// All borders of accesses; a cell lies between two neighbours, if anybody accesses it.
  void cut_cells() {
    std::map<std::uint64_t, int> borders;  // how many accesses begin minus how many end there
    for (const Event& e : trace_.events) {
      const Effect effect = effect_of(e, races_);
      if (effect.bytes == 0 || (!effect.reads && !effect.writes)) continue;
      if (e.kind == TREADLE_EV_ALLOC || e.kind == TREADLE_EV_FREE) continue;  // what nobody accesses does not matter
      ++borders[effect.address];
      --borders[effect.address + effect.bytes];
    }
    for (const auto* noted : {&noted_reads_, &noted_writes_})
      for (const auto& [event, parts] : *noted)
        for (const Noted& part : parts) {
          const std::uint64_t begin = event < trace_.events.size() ? trace_.events[event].address + part.offset : 0;
          borders.try_emplace(begin, 0);
          borders.try_emplace(begin + part.bytes, 0);
        }
    int open = 0;
    std::uint64_t from = 0;
    for (const auto& [at, change] : borders) {
      if (open > 0) units_.cells.push_back({from, at - from});
      open += change;
      from = at;
    }
  }

  /// Who alone accesses a cell.
  void find_owners() {
    owner_.assign(cells(), nobody);
    for (const Event& e : trace_.events) {
      const Effect effect = effect_of(e, races_);
      if (effect.reads || effect.writes)
        each_cell(effect.address, effect.bytes,
                  [&](CellId c) { owner_[c] = owner_[c] == nobody || owner_[c] == e.thread ? std::uint16_t{e.thread} : several; });
    }
  }

  template <class F>
  void each_cell(std::uint64_t address, std::uint64_t bytes, F f) const {
    const auto [first, end] = cells_within(units_, address, bytes);
    for (CellId c = first; c < end; ++c) f(c);
  }

  Slot new_value(std::optional<std::uint64_t> known = std::nullopt) {
    known_.push_back(known);
    return static_cast<Slot>(known_.size() - 1);
  }

  /// The bytes of a cell in a scalar at `address`.
  std::optional<std::uint64_t> part(CellId c, std::uint64_t address, const std::uint64_t (&value)[2], bool is_known) const {
    const auto [start, bytes] = units_.cells[c];
    const std::uint64_t offset = start - address;
    if (!is_known || start < address || bytes > 8 || offset / 8 != (offset + bytes - 1) / 8) return std::nullopt;
    const std::uint64_t word = value[offset / 8] >> (8 * (offset % 8));
    return bytes == 8 ? word : word & ((1ull << (8 * bytes)) - 1);
  }

  using NotedParts = std::unordered_map<std::uint32_t, std::vector<Noted>>;

  /// The same, of a range whose expressions say it.
  std::optional<std::uint64_t> noted(const NotedParts& all, std::uint32_t event, CellId c) const {
    const auto found = all.find(event);
    if (found == all.end()) return std::nullopt;
    for (auto one = found->second.rbegin(); one != found->second.rend(); ++one) {
      const std::uint64_t address = trace_.events[event].address + one->offset;
      if (units_.cells[c].start < address || units_.cells[c].start >= address + one->bytes) continue;
      const std::uint64_t value[2] = {one->value, 0};
      return part(c, address, value, true);
    }
    return std::nullopt;
  }

  /// What stands there turns out to be this. False: somebody wrote there without telling.
  bool learn(Slot slot, std::optional<std::uint64_t> value) {
    if (!value) return true;
    if (!known_[slot]) known_[slot] = value;
    return *known_[slot] == *value;
  }

  void tell_changed(UnitId u) {
    units_.changes_unseen = true;
    tell_unmodelled(units_, u, "memory that changes without a recorded store");
  }

  /// The same, by the unit itself, since its own last access there: std::thread empties what main has just filled.
  bool changed_meanwhile(Unit& unit, std::uint32_t event, CellId c, std::uint64_t value) {
    if (owner_[c] == several || unit.left_out || writes_memory(static_cast<EventKind>(trace_.events[event].kind))) return false;
    write(unit, {event, c, new_value(value)});
    units_.left_unseen.insert(std::uint64_t{event} << 32 | c);
    return true;
  }

  /// Code without hooks has left something where this event reads. Where only one thread ever goes it was that one, on its way from the
  /// unit before: libstdc++ takes over what a std::thread is started with, and empties it when it is joined. False: it may have been
  /// anybody.
  bool changed_by_itself(UnitId u, std::uint32_t event, CellId c, std::uint64_t value) {
    const Unit& unit = units_.all[u];
    if (owner_[c] == several || unit.left_out || unit.before == nothing || units_.all[unit.before].left_out) return false;
    if (writes_memory(static_cast<EventKind>(trace_.events[event].kind))) return false;
    write(units_.all[unit.before], {event, c, new_value(value)});
    return true;
  }

  void run(UnitId u) {
    Unit& unit = units_.all[u];
    const auto& events = events_in(u);
    for (const std::uint32_t number : events) {
      const Event& e = trace_.events[number];
      const Effect effect = effect_of(e, races_);
      if (effect.overwritten_known && (!is_buffered(e) || !trace_.expressions.empty())) {
        const std::uint64_t before[2] = {effect.overwritten, 0};
        each_cell(effect.address, effect.bytes, [&](CellId c) {
          if (!learn(memory_[c], part(c, effect.address, before, true)) && owner_[c] == several) tell_changed(u);
        });
      }
      // Of plain accesses that are no steps, symbolic traces tell it too; between them somebody may have written without telling.
      if (e.kind == TREADLE_EV_WRITE && races_ != Races::Explore && effect.bytes <= 8 && !trace_.expressions.empty()) {
        const std::uint64_t before[2] = {effect.overwritten, 0};
        each_cell(effect.address, effect.bytes, [&](CellId c) {
          if (memory_[c] == first_[c] && !known_[first_[c]]) known_[first_[c]] = part(c, effect.address, before, true);
        });
      }
      if (effect.reads)
        each_cell(effect.address, effect.bytes, [&](CellId c) {
          const bool own = std::any_of(unit.writes.begin(), unit.writes.end(), [&](const UnitWrite& w) { return w.cell == c; });
          const UnitId flush = own ? nothing : newest_own_flush(u, c);
          const bool buffered = flush != nothing && !flushed(flush);
          const auto value = effect.read_known ? part(c, effect.address, effect.read, true) : noted(noted_reads_, number, c);
          const auto is_there = [&](const auto& access) { return access.cell == c; };
          const bool read = std::any_of(unit.reads.begin(), unit.reads.end(), is_there);
          bool meanwhile = false;
          if (!learn(buffered ? stored_[flush].at(c) : memory_[c], value)) {
            const bool in_unit = own || read || unit.before == nothing;
            meanwhile = in_unit && flush == nothing && changed_meanwhile(unit, number, c, *value);
            if (!meanwhile && (in_unit || flush != nothing || !changed_by_itself(u, number, c, *value))) tell_changed(u);
          }
          const Slot slot = buffered ? stored_[flush].at(c) : memory_[c];
          if (!own && !meanwhile) unit.reads.push_back({number, c, slot, flush, flush == nothing ? 0 : stored_[flush].at(c)});
        });
      if (!effect.writes) continue;
      const bool to_buffer = is_buffered(e) && number == unit.event;
      each_cell(effect.address, effect.bytes, [&](CellId c) {
        const Slot slot = new_value(effect.written_known ? part(c, effect.address, effect.written, true) : noted(noted_writes_, number, c));
        if (to_buffer) {
          stored_[unit.partner][c] = slot;
          return;
        }
        if (const UnitId flush = newest_own_flush(u, c); flush != nothing && !unit.drains)
          tell_unmodelled(units_, u, "a location that one thread writes both atomically and not");
        write(unit, {number, c, slot});
      });
    }
  }

  void write(Unit& unit, const UnitWrite& what) {
    if (!unit.left_out || mark_of(trace_.choices[unit.choice]) == Mark::PutAside) memory_[what.cell] = what.value;
    for (UnitWrite& earlier : unit.writes)
      if (earlier.cell == what.cell) {
        earlier = what;
        return;
      }
    unit.writes.push_back(what);
  }

  void flush(UnitId u) {
    Unit& unit = units_.all[u];
    if (unit.partner == nothing) return;
    for (const auto& [cell, slot] : stored_[u]) {
      unit.writes.push_back({units_.all[unit.partner].event, cell, slot});
      if (unit.choice != nothing) memory_[cell] = slot;
    }
  }

  bool flushed(UnitId flush) const { return units_.all[flush].choice != nothing && !units_.all[flush].writes.empty(); }

  /// Along its thread's way, up to where the buffer was empty.
  UnitId newest_own_flush(UnitId u, CellId c) const {
    if (stored_.empty() || units_.all[u].drains) return nothing;
    for (UnitId v = u; v != nothing; v = units_.all[v].before) {
      const Unit& unit = units_.all[v];
      if (unit.partner != nothing)
        if (const auto stored = stored_.find(unit.partner); stored != stored_.end() && stored->second.contains(c)) return unit.partner;
      if (unit.drains) return nothing;
    }
    return nothing;
  }

  const std::vector<std::uint32_t>& events_in(UnitId u) {
    if (by_unit_.empty()) {
      by_unit_.resize(units_.all.size());
      for (std::uint32_t e = 0; e < trace_.events.size(); ++e)
        if (units_.unit_of[e] != nothing) by_unit_[units_.unit_of[e]].push_back(e);
    }
    return by_unit_[u];
  }

  /// Equal values of a cell get equal names.
  void name_values() {
    units_.values.resize(cells());
    units_.initial.resize(cells());
    std::unordered_map<std::uint64_t, ValueId> unknown;
    std::vector<std::unordered_map<std::uint64_t, ValueId>> known(cells());
    const auto name = [&](CellId c, Slot slot) {
      auto& all = units_.values[c];
      const auto next = static_cast<ValueId>(all.size());
      const auto [entry, is_new] =
          known_[slot] ? known[c].try_emplace(*known_[slot], next) : unknown.try_emplace(std::uint64_t{slot}, next);
      if (is_new) all.push_back(known_[slot]);
      return entry->second;
    };
    for (CellId c = 0; c < cells(); ++c) units_.initial[c] = name(c, first_[c]);
    for (Unit& unit : units_.all) {
      for (UnitRead& read : unit.reads) {
        read.value = name(read.cell, read.value);
        if (read.own_flush != nothing) read.own_value = name(read.cell, read.own_value);
      }
      for (UnitWrite& write : unit.writes) write.value = name(write.cell, write.value);
    }
  }

  const Trace& trace_;
  Races races_;
  Units& units_;
  std::vector<std::optional<std::uint64_t>> known_;  // by slot
  std::vector<Slot> memory_, first_;                 // by cell
  static constexpr std::uint16_t nobody = 0xffff, several = 0xfffe;
  std::vector<std::uint16_t> owner_;                           // by cell: the thread
  std::unordered_map<UnitId, std::map<CellId, Slot>> stored_;  // by flush
  std::vector<std::vector<std::uint32_t>> by_unit_;
  NotedParts noted_reads_, noted_writes_;  // by event
};

}  // namespace

std::pair<CellId, CellId> cells_within(const Units& units, std::uint64_t address, std::uint64_t bytes) {
  const auto first = std::upper_bound(units.cells.begin(), units.cells.end(), address,
                                      [](std::uint64_t at, const Cell& cell) { return at < cell.start + cell.bytes; });
  auto end = first;
  while (end != units.cells.end() && end->start < address + bytes) ++end;
  return {static_cast<CellId>(first - units.cells.begin()), static_cast<CellId>(end - units.cells.begin())};
}

void find_accesses(const Trace& trace, Races races, Units& units) { Accesses(trace, races, units).find(); }

}  // namespace treadle
