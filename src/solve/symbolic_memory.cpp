// SPDX-License-Identifier: Apache-2.0
#include "solve/symbolic_memory.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "trace/happens_before.h"

namespace treadle {
SymbolicMemory::SymbolicMemory(CausalFormula& formula, const SymbolicTrace& symbolic, OrderSolver& solver, Inputs inputs, bool lazily)
    : formula_(formula),
      symbolic_(symbolic),
      sources_(formula),
      expressions_(symbolic, sources_, formula, inputs),
      blaster_(solver),
      bits_(blaster_, expressions_.all(),
            [this](const Expression& leaf) { return leaf.op == TREADLE_OP_INPUT ? make_input(leaf) : make_leaf(leaf); }),
      obliged_(formula.size(), 0),
      entered_(formula.size(), 0),
      lazily_(lazily),
      needed_(symbolic, expressions_, sources_, formula),
      values_(symbolic, expressions_, formula) {}

bool SymbolicMemory::oblige_only(UnitId unit) {
  if (std::exchange(obliged_[unit], char{1}) != 0) return false;
  encode_unit(unit);
  encode_pending();
  return true;
}

bool SymbolicMemory::oblige_entry(UnitId unit) {
  if (entered_[unit]) return false;
  encode_entry(unit);
  encode_pending();
  return true;
}

std::vector<UnitId> SymbolicMemory::broken(const Past& past) { return values_.broken(past); }

bool SymbolicMemory::oblige(UnitId unit) {
  if (obliged_[unit]) return false;
  std::vector<UnitId> open{unit};
  obliged_[unit] = 1;
  while (!open.empty()) {
    const UnitId u = open.back();
    open.pop_back();
    encode_unit(u);
    for (const UnitId m : formula_.unit(u).must) {
      if (!obliged_[m]) open.push_back(m);
      obliged_[m] = 1;
    }
  }
  encode_pending();
  return true;
}

void SymbolicMemory::oblige_past(UnitId unit) {
  for (const UnitId m : formula_.unit(unit).must) oblige(m);
  encode_entry(unit);
  encode_pending();
}

/// Its thread has not left its way behind the unit before.
void SymbolicMemory::encode_entry(UnitId unit) {
  if (std::exchange(entered_[unit], char{1}) != 0) return;
  std::vector<Truth> wanted;
  add_conditions(unit, wanted);
  for (const Truth& condition : wanted) formula_.clause({~formula_.reached(unit), condition});
}

void SymbolicMemory::add_conditions(UnitId unit, std::vector<Truth>& wanted) {
  const UnitId before = formula_.unit(unit).before;
  if (before == nothing) return;
  for (const std::uint32_t note : symbolic_.conditions_of(before))
    if (symbolic_.is_trailing(note)) wanted.push_back(bits_.condition(expressions_.of(symbolic_.trace().notes[note].expression)));
}

void SymbolicMemory::add_entry(UnitId unit, std::vector<Truth>& wanted) {
  add_conditions(unit, wanted);
  encode_pending();
}

void SymbolicMemory::encode_unit(UnitId unit) {
  encode_entry(unit);
  const Truth happens = formula_.happens(unit);
  if (happens.is_false()) return;
  std::vector<Truth> unless{~happens};  // or its thread has left its way before
  for (const std::uint32_t note : symbolic_.conditions_of(unit)) {
    const Truth condition = bits_.condition(expressions_.of(symbolic_.trace().notes[note].expression));
    unless.push_back(symbolic_.is_trailing(note) ? ~condition : condition);
    if (symbolic_.is_trailing(note)) continue;
    formula_.clause(unless);
    unless.pop_back();
  }
  for (const UnitRead& read : formula_.unit(unit).reads)
    if (!symbolic_.is_open(read.event, read.cell)) formula_.clause({~happens, keeps(unit, read)});
}

Truth SymbolicMemory::condition(ExpressionId in_trace) {
  const Truth condition = bits_.condition(expressions_.of(in_trace));
  encode_pending();
  return condition;
}

Bits SymbolicMemory::make_leaf(const Expression& leaf) {
  const CellRead& which = expressions_.reads()[leaf.a];
  const Read& read = make_read(which.unit, formula_.unit(which.unit).reads[which.read]);
  if (read.open && bounded_.insert(leaf.a).second) bound(leaf, read);
  return read.value;
}

/// Whoever wrote it, it lies between these.
void SymbolicMemory::bound(const Expression& leaf, const Read& read) {
  if (!bounds_)
    bounds_ = std::make_unique<ValueBounds>(expressions_, symbolic_, [this](const CellRead& one) { return all_sources(one, {}); });
  require_within(bounds_->of_read(leaf.a), read, true);
}

void SymbolicMemory::require_within(const Bounds& bounds, const Read& read, Truth when) {
  if (bounds.empty) return;
  const unsigned bits = width(read.what->cell);
  const Bounds any = Bounds::any(bits);
  const auto number = [&](auto value) { return blaster_.constant(static_cast<std::uint64_t>(value), bits); };
  const auto require = [&](Truth truth) { formula_.clause({~when, ~read.defined, truth}); };
  if (bounds.lowest != any.lowest) require(blaster_.less_or_equal_unsigned(number(bounds.lowest), read.value));
  if (bounds.highest != any.highest) require(blaster_.less_or_equal_unsigned(read.value, number(bounds.highest)));
  const bool one_sign = (bounds.lowest_signed < 0) == (bounds.highest_signed < 0);  // then the others say it all
  if (one_sign) return;
  if (bounds.lowest_signed != any.lowest_signed) require(blaster_.less_or_equal_signed(number(bounds.lowest_signed), read.value));
  if (bounds.highest_signed != any.highest_signed) require(blaster_.less_or_equal_signed(read.value, number(bounds.highest_signed)));
}

void SymbolicMemory::bound_without(const std::unordered_set<UnitId>& absent, Truth when) {
  if (!bounds_) return;
  const ValueBounds without(expressions_, symbolic_, [&](const CellRead& one) { return all_sources(one, absent); });
  for (const std::uint32_t leaf : bounded_) {
    if (without.of_read(leaf) == bounds_->of_read(leaf)) continue;
    const CellRead& which = expressions_.reads()[leaf];
    require_within(without.of_read(leaf), make_read(which.unit, formula_.unit(which.unit).reads[which.read]), when);
  }
}

std::vector<Written> SymbolicMemory::all_sources(const CellRead& which, const std::unordered_set<UnitId>& absent) const {
  const UnitRead& read = formula_.unit(which.unit).reads[which.read];
  const ReadSources::Found found = sources_.of(which.unit, read);
  std::vector<Written> all;
  if (found.initial) all.push_back(symbolic_.initial(read.cell));
  if (read.own_flush != nothing) all.push_back(expressions_.written(formula_.unit(formula_.unit(read.own_flush).partner).event, read.cell));
  for (const ReadSources::Writer& writer : found.writers)
    if (!absent.contains(writer.unit)) all.push_back(expressions_.written(writer.event, read.cell));
  return all;
}

Bits SymbolicMemory::make_input(const Expression& leaf) {
  Bits& bits = inputs_[leaf.a];
  if (bits.empty()) bits = blaster_.fresh(8u * symbolic_.trace().events[leaf.a].size, symbolic_.trace().events[leaf.a].value);
  return blaster_.extracted(bits, 8u * leaf.part, leaf.bits);
}

std::uint64_t SymbolicMemory::input(std::uint32_t event) const {
  const auto made = inputs_.find(event);
  return made == inputs_.end() ? symbolic_.trace().events[event].value : blaster_.value(made->second);
}

void SymbolicMemory::add_way_to(std::uint32_t note, std::vector<Truth>& wanted) {
  const UnitId unit = symbolic_.unit_of_note(note);
  for (const std::uint32_t one : symbolic_.conditions_of(unit)) {
    if (one > note) break;
    const Truth condition = bits_.condition(expressions_.of(symbolic_.trace().notes[one].expression));
    if (one != note) wanted.push_back(condition);
  }
  for (const UnitRead& read : formula_.unit(unit).reads) {
    if (read.event >= symbolic_.trace().notes[note].event) continue;
    if (!symbolic_.is_open(read.event, read.cell)) wanted.push_back(keeps(unit, read));
    const auto made = reads_.find(std::uint64_t{unit} << 32 | read.cell);
    if (made != reads_.end()) wanted.push_back(made->second.defined);
  }
  encode_pending();
}

SymbolicMemory::Read& SymbolicMemory::make_read(UnitId unit, const UnitRead& what) {
  const auto [entry, is_new] = reads_.try_emplace(std::uint64_t{unit} << 32 | what.cell);
  Read& read = entry->second;
  if (!is_new) return read;
  read.unit = unit;
  read.what = &what;
  read.open = symbolic_.is_open_in(unit, what.cell);
  const auto& value = formula_.units().values[what.cell][what.value];
  if (read.open)
    read.value = blaster_.fresh(width(what.cell), value.value_or(0));
  else if (value)
    read.value = blaster_.constant(*value, width(what.cell));
  read.defined = formula_.open();
  formula_.clause({~formula_.happens(unit), read.defined});
  pending_.push_back(&read);
  return read;
}

Truth SymbolicMemory::keeps(UnitId unit, const UnitRead& what) {
  Read& read = make_read(unit, what);
  if (!read.open) return read.defined;
  const auto& value = formula_.units().values[what.cell][what.value];
  if (!value) return false;
  return blaster_.equal(read.value, blaster_.constant(*value, width(what.cell)));
}

void SymbolicMemory::encode_pending() {
  while (!pending_.empty()) {
    Read* read = pending_.back();
    pending_.pop_back();
    encode_sources(*read);
  }
}

bool SymbolicMemory::is_same(const Written& a, const Written& b) const {
  if (a.kind != b.kind) return false;
  if (a.kind == Written::Kind::Constant) return a.value == b.value;
  return a.kind == Written::Kind::Symbolic ? a.expression == b.expression : a.id != nothing && a.id == b.id;
}

/// Whether the read may have this value, as far as that can be told beforehand.
bool SymbolicMemory::may_be(const Read& read, const Written& written) {
  if (written.kind == Written::Kind::Unknown) {
    met_unknown_ |= read.open;
    return !read.open && written.id == read.what->value;
  }
  if (read.value.empty()) return false;
  return read.open || written.kind == Written::Kind::Symbolic ||
         written.value == *formula_.units().values[read.what->cell][read.what->value];
}

Bits SymbolicMemory::bits_of(const Written& written, CellId cell) {
  return written.kind == Written::Kind::Constant ? blaster_.constant(written.value, width(cell)) : bits_[written.expression];
}

Bits SymbolicMemory::bits_left(std::uint32_t event, CellId cell) {
  const UnitId unit = formula_.units().unit_of[event];
  if (symbolic_.leaves(event, cell)) {
    const Written written = expressions_.written(event, cell);
    return written.kind == Written::Kind::Unknown ? Bits() : bits_of(written, cell);
  }
  if (const std::uint32_t own = symbolic_.own_source(event, cell); own != nothing) return bits_left(own, cell);
  const auto& reads = formula_.unit(unit).reads;
  const auto read = std::find_if(reads.begin(), reads.end(), [&](const UnitRead& r) { return r.cell == cell; });
  if (read == reads.end()) return {};
  return make_read(unit, *read).value;
}

Truth SymbolicMemory::differ(std::uint32_t a, std::uint32_t b, std::vector<Truth>& wanted) {
  const Event& event = symbolic_.trace().events[a];
  const auto [first, end] = cells_within(formula_.units(), event.address, bytes_of(event));
  std::vector<Truth> ways;
  for (CellId c = first; c < end; ++c) {
    const Bits one = bits_left(a, c), other = bits_left(b, c);
    if (one.empty() || other.empty()) return true;
    ways.push_back(~blaster_.equal(one, other));
  }
  encode_pending();
  for (const std::uint32_t number : {a, b}) {
    const UnitId unit = formula_.units().unit_of[number];
    for (const UnitRead& read : formula_.unit(unit).reads)
      if (const auto made = reads_.find(std::uint64_t{unit} << 32 | read.cell); made != reads_.end() && read.event <= number)
        wanted.push_back(made->second.defined);
  }
  const Truth differs = formula_.open();
  ways.push_back(~differs);
  formula_.clause(ways);
  return differs;
}

void SymbolicMemory::equate(Truth when, const Read& read, const Written& written) {
  if (written.kind != Written::Kind::Unknown) blaster_.require_equal(read.value, bits_of(written, read.what->cell), when);
}

bool SymbolicMemory::is_settled(const Read& read, const ReadSources::Found& found) const {
  if (read.open) return false;
  const CellId cell = read.what->cell;
  const Written value = symbolic_.known_or_not(cell, read.what->value);
  const UnitId flush = read.what->own_flush;
  return (!found.initial || is_same(value, symbolic_.initial(cell))) &&
         (flush == nothing || is_same(value, expressions_.written(formula_.unit(formula_.unit(flush).partner).event, cell))) &&
         std::all_of(found.writers.begin(), found.writers.end(),
                     [&](const ReadSources::Writer& w) { return is_same(value, expressions_.written(w.event, cell)); });
}

void SymbolicMemory::encode_sources(Read& read) {
  const CellId cell = read.what->cell;
  const ReadSources::Found found = sources_.of(read.unit, *read.what);
  read.settled = is_settled(read, found);
  if (read.settled) return;
  read.on_demand = found.writers.size() > formula_.most_beforehand() && !formula_.counts_switches();
  std::vector<Truth> ways{~read.defined};
  const UnitId flush = read.what->own_flush;
  if (flush != nothing) {
    // Still on its way: the thread sees it before anybody else.
    const Written stored = expressions_.written(formula_.unit(formula_.unit(flush).partner).event, cell);
    if (may_be(read, stored)) {
      const Truth forwarded = formula_.open();
      formula_.clause({~forwarded, ~formula_.happens(flush), formula_.before(read.unit, flush)});
      equate(forwarded, read, stored);
      ways.push_back(forwarded);
    }
  }
  UnitId seen = nothing;  // whose value it was in the trace
  for (const ReadSources::Writer& w : found.writers)
    if (w.unit < read.unit && (seen == nothing || w.unit > seen)) seen = w.unit;
  const auto add = [&](const ReadSources::Writer* source, const Written& written) {
    if (!may_be(read, written)) return;
    const Way way{formula_.open(), source == nullptr ? nothing : source->unit, written};
    formula_.suggest(way.chosen, seen == (source == nullptr ? nothing : source->unit));
    encode_source(way.chosen, read, source);
    if (!read.on_demand) keep_others_off(way, read, found.writers);
    read.ways.push_back(way);
    equate(way.chosen, read, written);
    ways.push_back(way.chosen);
  };
  if (found.initial) add(nullptr, symbolic_.initial(cell));
  for (const ReadSources::Writer& w : found.writers) add(&w, expressions_.written(w.event, cell));
  formula_.clause(ways);
}

/// It was written before.
void SymbolicMemory::encode_source(Truth chosen, const Read& read, const ReadSources::Writer* source) {
  const UnitId flush = read.what->own_flush;
  if (source != nullptr) {
    formula_.clause({~chosen, formula_.happens(source->unit)});
    formula_.clause({~chosen, formula_.before(source->unit, read.unit)});
  }
  if (flush != nothing && (source == nullptr || source->unit != flush)) {
    formula_.clause({~chosen, formula_.happens(flush)});
    formula_.clause({~chosen, formula_.before(flush, read.unit)});
  }
}

/// And nothing else was in between.
void SymbolicMemory::keep_others_off(const Way& way, const Read& read, const std::vector<ReadSources::Writer>& all) {
  const Unit* done = nullptr;  // of that thread: what comes behind the next writer comes behind the read too
  for (const ReadSources::Writer& other : all) {
    if (other.unit == way.writer) continue;
    if (is_same(way.written, expressions_.written(other.event, read.what->cell))) continue;  // does no harm
    if (way.writer != nothing && formula_.must_precede(other.unit, way.writer)) continue;
    if (done != nullptr && done->thread == formula_.unit(other.unit).thread) continue;
    keep_off(way, read, other.unit);
    if (way.writer == nothing || formula_.must_precede(way.writer, other.unit)) done = &formula_.unit(other.unit);
  }
}

void SymbolicMemory::keep_off(const Way& way, const Read& read, UnitId other) {
  const Truth earlier = way.writer == nothing ? Truth(false) : formula_.before(other, way.writer);
  // Who does not happen can as well come last. When switches are counted it does: they are those of the whole order, not of the part that
  // the question needs (Section 5 of the seed).
  const Truth absent = formula_.counts_switches() ? Truth(false) : ~formula_.happens(other);
  formula_.clause({~way.chosen, absent, earlier, formula_.before(read.unit, other)});
}

bool SymbolicMemory::refine(const Past& past) {
  std::vector<std::tuple<const Read*, const Way*, UnitId>> broken;
  for (const UnitId unit : past.units())
    for (const UnitRead& what : past.reads_of(unit)) {
      const auto made = reads_.find(std::uint64_t{unit} << 32 | what.cell);
      if (made == reads_.end() || !made->second.on_demand) continue;
      const UnitId last = sources_.last_before(unit, what.cell);
      for (const Way& way : made->second.ways) {
        if (last == way.writer || last == nothing || !formula_.holds(way.chosen)) continue;
        const auto& writes = formula_.unit(last).writes;
        const auto write = std::find_if(writes.begin(), writes.end(), [&](const UnitWrite& w) { return w.cell == what.cell; });
        if (!is_same(way.written, expressions_.written(write->event, what.cell))) broken.emplace_back(&made->second, &way, last);
      }
    }
  for (const auto& [read, way, other] : broken) keep_off(*way, *read, other);
  return !broken.empty();
}

void SymbolicMemory::start_closing() const {
  needed_.start();
  next_unit_ = 0;
}

/// What a read saw is the last that was written before it. Of reads that nothing depends on it does not matter who wrote them. Whom the
/// solver thinks of as the writer belongs to it too: where sections of locks overlap in what it found, that is somebody else.
void SymbolicMemory::close(Past& past) const {
  for (; next_unit_ < past.units().size(); ++next_unit_) {
    const UnitId unit = past.units()[next_unit_];
    for (const UnitRead& read : past.reads_of(unit)) {
      const auto made = reads_.find(std::uint64_t{unit} << 32 | read.cell);
      if (made == reads_.end() || made->second.settled) continue;
      needed_.need(unit, read);
      for (const Way& way : made->second.ways)
        if (way.writer != nothing && formula_.holds(way.chosen) && formula_.did_happen(way.writer)) past.include(way.writer);
    }
  }
  needed_.close(past, lazily_);
}

}  // namespace treadle
