// SPDX-License-Identifier: Apache-2.0
#include "solve/forced_order.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "solve/unit_clocks.h"

namespace treadle {
namespace {

constexpr unsigned most_rounds = 4;
constexpr std::size_t largest_condition = 64;       // expressions
constexpr std::size_t largest_clocks = 64'000'000;  // numbers

/// What a thread needs of one read to go on behind a unit.
struct Demand {
  UnitId reader = nothing;
  const UnitRead* read = nullptr;
  std::vector<Expression> condition;  // over its value; empty: it keeps the one it had
};

class ForcedOrder {
 public:
  ForcedOrder(const SymbolicTrace& symbolic, std::span<const LockSection> sections, Units& units)
      : symbolic_(symbolic), units_(units), sections_(units, {sections.begin(), sections.end()}), followers_(units.all.size()) {
    for (UnitId u = 0; u < units_.all.size(); ++u) {
      if (!units_.all[u].is_flush && units_.all[u].before != nothing) followers_[units_.all[u].before].push_back(u);
      if (!units_.all[u].left_out) add_writes(u);
    }
    for (UnitId u = 0; u < units_.all.size(); ++u)
      if (!units_.all[u].left_out && !followers_[u].empty())
        for (const Demand& demand : demands_of(u))
          if (!may_find_initial(demand)) came_later_.try_emplace({demand.read->cell, index_of(units_.all[u].thread)}, u);
  }

  void add() {
    for (unsigned round = 0; round < most_rounds; ++round) {
      clocks_.emplace(units_);
      if (round == 0) by_place_ = clocks_->units();
      bool any = false;
      for (UnitId u = 0; u < units_.all.size(); ++u) {
        if (units_.all[u].left_out) continue;
        any |= follow_sections(u);
        if (!followers_[u].empty()) any |= follow_reads(u);
      }
      if (!any) return;
    }
  }

 private:
  struct Writer {
    UnitId unit;
    std::uint32_t event;
  };
  using Chain = std::vector<Writer>;

  void add_writes(UnitId u) {
    for (const UnitWrite& write : units_.all[u].writes) {
      auto& chains = chains_[write.cell];
      const auto own =
          std::ranges::find_if(chains, [&](const Chain& chain) { return units_.all[chain.back().unit].thread == units_.all[u].thread; });
      if (own == chains.end())
        chains.push_back({{u, write.event}});
      else
        own->push_back({u, write.event});
    }
  }

  bool must_precede(UnitId a, UnitId b) const { return clocks_->must_precede(a, b); }

  bool follow_reads(UnitId u) {
    bool any = false;
    for (const Demand& demand : demands_of(u)) any |= follow(demand, u);
    return any;
  }

  /// Of who goes on behind the unit, as far as something follows from each alone.
  std::vector<Demand> demands_of(UnitId u) const {
    std::vector<Demand> all;
    for (const UnitRead& read : units_.all[u].reads)
      if (!symbolic_.is_open(read.event, read.cell)) all.push_back({u, &read, {}});
    for (const std::uint32_t note : symbolic_.conditions_of(u))
      if (auto demand = demand_of(symbolic_.trace().notes[note].expression)) all.push_back(*std::move(demand));
    std::erase_if(all, [&](const Demand& demand) { return demand.read->own_flush != nothing || !chains_.contains(demand.read->cell); });
    return all;
  }

  bool may_find_initial(const Demand& demand) const {
    std::map<std::uint64_t, bool> known;
    return may_be(demand, symbolic_.initial(demand.read->cell), known);
  }

  /// Whether of all writes to the cell this may be the first one. Who has found something else than what was there at the start comes
  /// behind another one.
  bool may_be_first(const Writer& writer, CellId cell) const {
    const Unit& unit = units_.all[writer.unit];
    const UnitId made_by = unit.is_flush && unit.partner != nothing ? unit.partner : writer.unit;
    const auto found = came_later_.find({cell, index_of(unit.thread)});
    return found == came_later_.end() || found->second >= made_by;
  }

  /// None: it depends on more than one read, or on parts of one.
  std::optional<Demand> demand_of(ExpressionId condition) const {
    const auto& all = symbolic_.trace().expressions;
    std::set<ExpressionId> parts;
    std::vector<ExpressionId> open{condition};
    ExpressionId leaf = 0;
    while (!open.empty()) {
      const ExpressionId id = open.back();
      open.pop_back();
      if (!parts.insert(id).second) continue;
      if (parts.size() > largest_condition) return std::nullopt;
      const Expression& e = all[id];
      if (e.op == TREADLE_OP_READ && std::exchange(leaf, id) != 0) return std::nullopt;
      const std::array operands{e.a, e.b, e.c};
      for (unsigned i = 0; i < operands_of(static_cast<ExpressionOp>(e.op)); ++i) open.push_back(operands[i]);
    }
    if (leaf == 0) return std::nullopt;
    Demand demand = read_behind(all[leaf]);
    if (demand.read == nullptr) return std::nullopt;
    demand.condition = without_gaps(parts);
    return demand;
  }

  Demand read_behind(const Expression& leaf) const {
    Demand out;
    out.reader = leaf.a < units_.unit_of.size() ? units_.unit_of[leaf.a] : nothing;
    if (out.reader == nothing || units_.all[out.reader].left_out) return {};
    const auto [first, end] = cells_within(units_, symbolic_.trace().events[leaf.a].address + leaf.part, leaf.bits / 8u);
    if (end != first + 1 || units_.cells[first].bytes * 8 != leaf.bits || symbolic_.own_source(leaf.a, first) != nothing) return {};
    for (const UnitRead& read : units_.all[out.reader].reads)
      if (read.cell == first) {
        out.read = &read;
        return out;
      }
    return {};
  }

  std::vector<Expression> without_gaps(const std::set<ExpressionId>& parts) const {
    std::vector<Expression> out(1);
    std::map<ExpressionId, ExpressionId> numbers;
    for (const ExpressionId id : parts) {
      Expression e = symbolic_.trace().expressions[id];
      const std::array operands{&e.a, &e.b, &e.c};
      for (unsigned i = 0; i < operands_of(static_cast<ExpressionOp>(e.op)); ++i) *operands[i] = numbers.at(*operands[i]);
      numbers[id] = static_cast<ExpressionId>(out.size());
      out.push_back(e);
    }
    return out;
  }

  bool may_be(const Demand& demand, const Written& written, std::map<std::uint64_t, bool>& known) const {
    const auto& value = units_.values[demand.read->cell][demand.read->value];
    if (written.kind == Written::Kind::Unknown)
      return !demand.condition.empty() || (written.id != nothing && written.id == demand.read->value);
    if (written.kind == Written::Kind::Symbolic) return true;
    if (demand.condition.empty()) return value && *value == written.value;
    const auto [entry, is_new] = known.try_emplace(written.value, false);
    if (is_new)
      entry->second = evaluate(demand.condition, [&](const Expression& e) {
                        return e.op == TREADLE_OP_READ ? written.value : value_in(e);
                      }).back() != 0;
    return entry->second;
  }

  /// Whoever goes on behind `unit` comes behind what all that could have met the demand have in common.
  bool follow(const Demand& demand, UnitId unit) {
    const auto found = chains_.find(demand.read->cell);
    bool any = follow_first_writers(demand, found->second, unit);
    std::map<std::uint64_t, bool> known;
    std::vector<UnitId> last, sources;  // `last`: the newest of each thread that always comes before the read
    for (const Chain& chain : found->second)
      if (const auto before = first_not_before(chain, demand.reader); before != chain.begin()) last.push_back((before - 1)->unit);
    if (last.empty() && may_be(demand, symbolic_.initial(demand.read->cell), known)) return any;
    for (const Chain& chain : found->second) {
      auto writer = first_not_before(chain, demand.reader);
      if (writer != chain.begin()) --writer;
      for (; writer != chain.end(); ++writer) {
        if (writer->unit == demand.reader || must_precede(demand.reader, writer->unit)) break;
        const bool hidden = std::ranges::any_of(last, [&](UnitId l) { return must_precede(writer->unit, l); });
        if (hidden || !may_be(demand, symbolic_.written(writer->event, demand.read->cell), known)) continue;
        sources.push_back(writer->unit);  // later ones of the same thread have more behind them
        break;
      }
    }
    if (!sources.empty()) any |= come_behind(sources, unit);
    return any;
  }

  /// Who must find something else than what was there at the start comes behind the first write of all: whoever finds an entry in use comes
  /// behind who found it empty, however many have added to it since.
  bool follow_first_writers(const Demand& demand, const std::vector<Chain>& chains, UnitId unit) {
    if (may_find_initial(demand)) return false;
    std::vector<UnitId> first;
    for (const Chain& chain : chains)
      for (const Writer& writer : chain) {
        if (writer.unit == demand.reader || must_precede(demand.reader, writer.unit)) break;
        if (!may_be_first(writer, demand.read->cell)) break;  // nor may those behind it
        first.push_back(writer.unit);
        break;
      }
    return !first.empty() && come_behind(first, unit);
  }

  Chain::const_iterator first_not_before(const Chain& chain, UnitId reader) const {
    return std::partition_point(chain.begin(), chain.end(),
                                [&](const Writer& w) { return w.unit != reader && must_precede(w.unit, reader); });
  }

  bool come_behind(const std::vector<UnitId>& sources, UnitId unit) {
    bool any = false;
    for (std::size_t chain = 0; chain < clocks_->chains(); ++chain) {
      std::uint32_t common = std::numeric_limits<std::uint32_t>::max();
      for (const UnitId source : sources) common = std::min(common, clocks_->last_of(chain, source));
      if (common == 0 || common <= clocks_->last_of(chain, unit)) continue;
      for (const UnitId follower : followers_[unit]) any |= add_edge(by_place_[chain][common - 1], follower);
    }
    return any;
  }

  bool add_edge(UnitId earlier, UnitId later) {
    if (must_precede(earlier, later) || earlier >= later || !added_.insert(std::uint64_t{earlier} << 32 | later).second) return false;
    units_.all[later].must.push_back(earlier);
    return true;
  }

  /// Something of another section must come before a unit within a section that excludes it: so must the end of that section.
  bool follow_sections(UnitId u) {
    bool any = false;
    const UnitId before = units_.all[u].before;
    for (const std::uint32_t here : sections_.around(u))
      for (std::size_t chain = 0; chain < clocks_->chains(); ++chain) {
        const std::uint32_t number = clocks_->last_of(chain, u);
        if (number == 0 || (before != nothing && clocks_->last_of(chain, before) == number && sections_.is_within(before, here))) continue;
        const UnitId other = by_place_[chain][number - 1];
        if (units_.all[other].thread == units_.all[u].thread) continue;
        for (const std::uint32_t there : sections_.around(other))
          if (sections_.exclude(here, there) && sections_[there].release != nothing) any |= add_edge(sections_[there].release, u);
      }
    return any;
  }

  const SymbolicTrace& symbolic_;
  Units& units_;
  LockSections sections_;
  std::vector<std::vector<UnitId>> followers_;  // by unit
  std::unordered_map<CellId, std::vector<Chain>> chains_;
  std::map<std::pair<CellId, unsigned>, UnitId> came_later_;  // by cell and thread: behind it somebody else has written
  std::optional<UnitClocks> clocks_;
  std::vector<std::vector<UnitId>> by_place_;  // by chain and number, from 0
  std::set<std::uint64_t> added_;
};

}  // namespace

void add_forced_order(const SymbolicTrace& symbolic, std::span<const LockSection> sections, Units& units) {
  if (units.all.size() * UnitClocks::chains_of(units) > largest_clocks) return;
  ForcedOrder(symbolic, sections, units).add();
}

}  // namespace treadle
