// SPDX-License-Identifier: Apache-2.0
#include "solve/causal_memory.h"

#include <algorithm>

namespace treadle {

CellWriters::CellWriters(const CausalFormula& formula) : writers_(formula.units().initial.size()) {
  for (UnitId u = 0; u < formula.size(); ++u) {
    if (formula.happens(u).is_false()) continue;
    for (const UnitWrite& write : formula.unit(u).writes) {
      if (formula.in_prefix(u)) std::erase_if(writers_[write.cell], [&](const Writer& w) { return formula.in_prefix(w.unit); });
      writers_[write.cell].push_back({u, write.value});
    }
  }
}

CausalMemory::CausalMemory(CausalFormula& formula, const KeptReads& kept, const CellWriters& writers, const Scope* scope)
    : formula_(formula), kept_(kept), writers_(writers), scope_(scope) {}

void CausalMemory::encode() {
  for (UnitId u = 0; u < formula_.size(); ++u) {
    if (formula_.in_prefix(u) || formula_.reached(u).is_false()) continue;
    if (formula_.happens(u).is_false()) continue;
    for (std::uint32_t i = 0; i < formula_.unit(u).reads.size(); ++i) {
      if (scope_->kept[kept_.number_of({u, i})] == 0) continue;
      if (formula_.happens(u).is_true())
        require_kept({u, i});
      else
        formula_.clause({~formula_.happens(u), keeps({u, i})});
    }
  }
}

/// A writer is out of the question if it cannot come first, or if another one always comes between.
std::vector<CausalMemory::Source> CausalMemory::sources(UnitId unit, const UnitRead& read) const {
  std::vector<UnitId> last;  // of those that always come before the read, those that no other such one comes after
  for (const Writer& w : writers_.of(read.cell))
    if (w.unit != unit && formula_.must_precede(w.unit, unit)) {
      std::erase_if(last, [&](UnitId l) { return formula_.must_precede(l, w.unit); });
      last.push_back(w.unit);
    }
  std::vector<Source> found;
  if (last.empty() && read.own_flush == nothing) found.push_back({nothing, formula_.units().initial[read.cell]});
  for (const Writer& w : writers_.of(read.cell)) {
    if (w.unit == unit || formula_.happens(w.unit).is_false() || formula_.must_precede(unit, w.unit)) continue;
    if (std::any_of(last.begin(), last.end(), [&](UnitId l) { return formula_.must_precede(w.unit, l); })) continue;
    // An own store that is older than the newest one is hidden by it, in memory as in the buffer.
    if (read.own_flush != nothing && formula_.must_precede(w.unit, read.own_flush)) continue;
    found.push_back({w.unit, w.value});
  }
  return found;
}

std::vector<ValueId> CausalMemory::other_values(UnitId unit, std::uint32_t number) const {
  const UnitRead& read = formula_.unit(unit).reads[number];
  std::vector<ValueId> values;
  const auto add = [&](ValueId value) {
    if (value != read.value && std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
  };
  for (const Source& source : sources(unit, read)) add(source.value);
  if (read.own_flush != nothing) add(read.own_value);
  return values;
}

Truth CausalMemory::reads(UnitId unit, std::uint32_t number, ValueId value) { return has(unit, number, value, false); }

void CausalMemory::require(UnitId unit, std::uint32_t read, ValueId value) {
  if (const Truth has_it = has(unit, read, value, true); !has_it.is_true()) formula_.clause({has_it});
}

/// Of what is required nothing has to be said but how: it is no literal of its own.
Truth CausalMemory::has(UnitId unit, std::uint32_t number, ValueId value, bool required) {
  const std::pair key{std::uint64_t{unit} << 32 | number, value};
  if (const auto known = asked_.find(key); known != asked_.end()) return known->second;
  const UnitRead& read = formula_.unit(unit).reads[number];
  const auto all = sources(unit, read);
  Truth result = settled(read, value, all);
  if (result.is_false()) {
    // Known before it is encoded: what was written may depend on what was read elsewhere, and that on this.
    const bool possible = (read.own_flush != nothing && read.own_value == value) ||
                          std::any_of(all.begin(), all.end(), [&](const Source& source) { return source.value == value; });
    if (possible) result = required ? Truth(true) : formula_.open();
    asked_.emplace(key, result);
    if (possible) encode_read(result, unit, read, value, all);
    return result;
  }
  asked_.emplace(key, result);
  return result;
}

Truth CausalMemory::wrote(UnitId unit) {
  if (is_certain(unit)) return formula_.happens(unit);
  if (const auto known = wrote_.find(unit); known != wrote_.end()) return known->second;
  const Truth result = formula_.open();
  wrote_.emplace(unit, result);
  formula_.clause({~result, formula_.happens(unit)});
  for (const ReadOf& read : kept_.flowing_into(unit)) formula_.clause({~result, keeps(read)});
  return result;
}

/// Whatever the order, it sees this value (if the only one who writes it does); false: that depends.
Truth CausalMemory::settled(const UnitRead& read, ValueId value, const std::vector<Source>& all) {
  if (read.own_flush != nothing && (read.own_value != value || !is_certain(formula_.unit(read.own_flush).partner))) return false;
  if (!std::all_of(all.begin(), all.end(), [&](const Source& source) { return source.value == value; })) return false;
  if (std::all_of(all.begin(), all.end(), [&](const Source& s) { return s.writer == nothing || is_certain(s.writer); })) return true;
  return all.size() == 1 && read.own_flush == nothing ? wrote(all[0].writer) : Truth(false);
}

void CausalMemory::encode_read(Truth has_it, UnitId unit, const UnitRead& read, ValueId value, const std::vector<Source>& all) {
  ++reads_encoded_;
  std::vector<Truth> ways{~has_it};
  const bool forwards = read.own_flush != nothing && read.own_value == value;
  const auto count =
      std::count_if(all.begin(), all.end(), [&](const Source& source) { return source.value == value; }) + (forwards ? 1 : 0);
  const auto way = [&] { return count == 1 ? has_it : formula_.open(); };
  if (forwards) {
    // Still on its way: the thread sees it before anybody else.
    const Truth forwarded = way();
    formula_.clause({~forwarded, ~formula_.happens(read.own_flush), formula_.before(unit, read.own_flush)});
    formula_.clause({~forwarded, wrote(formula_.unit(read.own_flush).partner)});
    ways.push_back(forwarded);
  }
  for (const Source& source : all) {
    if (source.value != value) continue;
    const Truth chosen = way();
    encode_source(chosen, unit, read, source);
    ways.push_back(chosen);
  }
  if (count > 1) formula_.clause(ways);
}

void CausalMemory::encode_source(Truth chosen, UnitId unit, const UnitRead& read, const Source& source) {
  const bool is_initial = source.writer == nothing;
  if (!is_initial) {
    formula_.clause({~chosen, wrote(source.writer)});
    formula_.clause({~chosen, formula_.before(source.writer, unit)});
  }
  if (read.own_flush != nothing && source.writer != read.own_flush) {
    formula_.clause({~chosen, formula_.happens(read.own_flush)});
    formula_.clause({~chosen, formula_.before(read.own_flush, unit)});
  }
  for (const Writer& other : writers_.of(read.cell)) {
    if (other.unit == source.writer || other.unit == unit || formula_.must_precede(unit, other.unit)) continue;
    if (formula_.happens(other.unit).is_false()) continue;
    // One that leaves the same value does no harm, if it does leave it. If that is not certain: whoever writes last is another source.
    if (other.value == source.value && is_certain(other.unit)) continue;
    const Truth earlier = is_initial ? Truth(false) : formula_.before(other.unit, source.writer);
    if (earlier.is_true()) continue;
    formula_.clause({~chosen, ~formula_.happens(other.unit), earlier, formula_.before(unit, other.unit)});
  }
}

/// Of reads that need not keep their values it does not matter who wrote them.
bool CausalMemory::kept_its_value(UnitId unit, std::uint32_t read, const Past& past) const {
  if (kept_.all() || past.is_target(unit)) return true;
  const auto asked = asked_.find({std::uint64_t{unit} << 32 | read, formula_.unit(unit).reads[read].value});
  return asked != asked_.end() && formula_.holds(asked->second);
}

/// What a read saw is the last that was written before it.
void CausalMemory::close(Past& past) const {
  for (std::size_t i = 0; i < past.units().size(); ++i) {
    const UnitId unit = past.units()[i];
    const auto reads = past.reads_of(unit);
    for (std::uint32_t r = 0; r < reads.size(); ++r) {
      const UnitRead& read = reads[r];
      if (!kept_its_value(unit, r, past)) continue;
      if (read.own_flush != nothing) {
        if (!formula_.did_happen(read.own_flush) || !formula_.came_first(read.own_flush, unit)) continue;  // on its way
        past.include(read.own_flush);
      }
      UnitId last = nothing;
      for (const Writer& w : writers_.of(read.cell))
        if (w.unit != unit && formula_.did_happen(w.unit) && formula_.came_first(w.unit, unit) &&
            (last == nothing || formula_.came_first(last, w.unit)))
          last = w.unit;
      if (last != nothing) past.include(last);
    }
  }
}

}  // namespace treadle
