// SPDX-License-Identifier: Apache-2.0
#include "solve/causal_memory.h"

#include <algorithm>

namespace treadle {

CausalMemory::CausalMemory(CausalFormula& formula) : formula_(formula), writers_(formula.units().initial.size()) {
  for (UnitId u = 0; u < formula_.size(); ++u)
    if (!formula_.happens(u).is_false())
      for (const UnitWrite& write : formula_.unit(u).writes) writers_[write.cell].push_back({u, write.value});
}

void CausalMemory::encode() {
  for (UnitId u = 0; u < formula_.size(); ++u) {
    if (formula_.in_prefix(u) || formula_.happens(u).is_false()) continue;
    const auto& all = formula_.unit(u).reads;
    for (std::uint32_t i = 0; i < all.size(); ++i) formula_.clause({~formula_.happens(u), reads(u, i, all[i].value)});
  }
}

/// Whose values it can see. A writer is out of the question if it cannot come first, or if another one always comes between.
std::vector<CausalMemory::Source> CausalMemory::sources(UnitId unit, const UnitRead& read) const {
  std::vector<UnitId> last;  // of those that always come before the read, those that no other such one comes after
  for (const Writer& w : writers_[read.cell])
    if (w.unit != unit && formula_.must_precede(w.unit, unit)) {
      std::erase_if(last, [&](UnitId l) { return formula_.must_precede(l, w.unit); });
      last.push_back(w.unit);
    }
  std::vector<Source> found;
  if (last.empty() && read.own_flush == nothing) found.push_back({nothing, formula_.units().initial[read.cell]});
  for (const Writer& w : writers_[read.cell]) {
    if (w.unit == unit || formula_.must_precede(unit, w.unit)) continue;
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

Truth CausalMemory::reads(UnitId unit, std::uint32_t number, ValueId value) {
  const auto [entry, is_new] = asked_.try_emplace({std::uint64_t{unit} << 32 | number, value}, Truth(true));
  if (is_new) entry->second = encode_read(unit, formula_.unit(unit).reads[number], value);
  return entry->second;
}

/// Whatever the order, it sees this value.
bool CausalMemory::is_settled(UnitId unit, const UnitRead& read, ValueId value) const {
  if (read.own_flush != nothing && read.own_value != value) return false;
  const auto all = sources(unit, read);
  return std::all_of(all.begin(), all.end(), [&](const Source& source) { return source.value == value; });
}

Truth CausalMemory::encode_read(UnitId unit, const UnitRead& read, ValueId value) {
  if (is_settled(unit, read, value)) return true;
  ++reads_encoded_;
  std::vector<Truth> ways;
  if (read.own_flush != nothing && read.own_value == value) {
    // Still on its way: the thread sees it before anybody else.
    const Truth forwarded = formula_.open();
    formula_.clause({~forwarded, ~formula_.happens(read.own_flush), formula_.before(unit, read.own_flush)});
    ways.push_back(forwarded);
  }
  for (const Source& source : sources(unit, read)) {
    if (source.value != value) continue;
    const Truth chosen = formula_.open();
    encode_source(chosen, unit, read, source);
    ways.push_back(chosen);
  }
  if (ways.empty()) return false;
  if (ways.size() == 1) return ways[0];
  const Truth any = formula_.open();
  ways.push_back(~any);
  formula_.clause(ways);
  return any;
}

void CausalMemory::encode_source(Truth chosen, UnitId unit, const UnitRead& read, const Source& source) {
  const bool is_initial = source.writer == nothing;
  if (!is_initial) {
    formula_.clause({~chosen, formula_.happens(source.writer)});
    formula_.clause({~chosen, formula_.before(source.writer, unit)});
  }
  if (read.own_flush != nothing && source.writer != read.own_flush) {
    formula_.clause({~chosen, formula_.happens(read.own_flush)});
    formula_.clause({~chosen, formula_.before(read.own_flush, unit)});
  }
  for (const Writer& other : writers_[read.cell]) {
    if (other.unit == source.writer || other.unit == unit || other.value == source.value) continue;
    if (formula_.must_precede(unit, other.unit)) continue;
    const Truth earlier = is_initial ? Truth(false) : formula_.before(other.unit, source.writer);
    if (earlier.is_true()) continue;
    formula_.clause({~chosen, ~formula_.happens(other.unit), earlier, formula_.before(unit, other.unit)});
  }
}

/// What a read saw is the last that was written before it.
void CausalMemory::close(Past& past) const {
  for (std::size_t i = 0; i < past.units().size(); ++i) {
    const UnitId unit = past.units()[i];
    for (const UnitRead& read : past.reads_of(unit)) {
      if (read.own_flush != nothing) {
        if (!formula_.did_happen(read.own_flush) || !formula_.came_first(read.own_flush, unit)) continue;  // on its way
        past.include(read.own_flush);
      }
      UnitId last = nothing;
      for (const Writer& w : writers_[read.cell])
        if (w.unit != unit && formula_.did_happen(w.unit) && formula_.came_first(w.unit, unit) &&
            (last == nothing || formula_.came_first(last, w.unit)))
          last = w.unit;
      if (last != nothing) past.include(last);
    }
  }
}

}  // namespace treadle
