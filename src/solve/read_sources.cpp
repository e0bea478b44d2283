// SPDX-License-Identifier: Apache-2.0
#include "solve/read_sources.h"

#include <algorithm>

#include "base/deadline.h"

namespace treadle {

ReadSources::ReadSources(const CausalFormula& formula) : formula_(formula), chains_(formula.units().initial.size()) {
  for (UnitId u = 0; u < formula.size(); ++u) {
    if (formula.happens(u).is_false()) continue;
    for (const UnitWrite& write : formula.unit(u).writes) {
      auto& chains = chains_[write.cell];
      const auto own = std::find_if(chains.begin(), chains.end(),
                                    [&](const Chain& chain) { return formula.unit(chain.back().unit).thread == formula.unit(u).thread; });
      if (own == chains.end())
        chains.push_back({{u, write.event}});
      else
        own->push_back({u, write.event});
    }
  }
}

ReadSources::Found ReadSources::of(UnitId unit, const UnitRead& read) const {
  Deadline::look();  // of a long trace all of them together take minutes
  const auto& chains = chains_[read.cell];
  struct Range {
    std::size_t first, end;  // from the last one that always comes before the read to the last one that can
    bool hides;              // there is one that always does
  };
  std::vector<Range> ranges;
  std::vector<UnitId> last;
  const Writer* own = nullptr;  // the newest one of the same thread
  for (const Chain& chain : chains) {
    const auto before = std::partition_point(chain.begin(), chain.end(),
                                             [&](const Writer& w) { return w.unit != unit && formula_.must_precede(w.unit, unit); });
    const auto end =
        std::partition_point(before, chain.end(), [&](const Writer& w) { return w.unit != unit && !formula_.must_precede(unit, w.unit); });
    const bool hides = before != chain.begin();
    if (hides) last.push_back((before - 1)->unit);
    if (hides && formula_.unit(chain.front().unit).thread == formula_.unit(unit).thread) own = &*(before - 1);
    ranges.push_back(
        {static_cast<std::size_t>(before - chain.begin()) - (hides ? 1 : 0), static_cast<std::size_t>(end - chain.begin()), hides});
  }
  Found found;
  found.initial = last.empty() && read.own_flush == nothing;
  for (std::size_t c = 0; c < chains.size(); ++c)
    for (std::size_t i = ranges[c].first; i < ranges[c].end; ++i) {
      const Writer& w = chains[c][i];
      const bool hidden = ranges[c].hides && i == ranges[c].first &&
                          std::any_of(last.begin(), last.end(), [&](UnitId l) { return l != w.unit && formula_.must_precede(w.unit, l); });
      // An own store that is older than the newest one is hidden by it, in memory as in the buffer.
      const bool older = read.own_flush != nothing && formula_.must_precede(w.unit, read.own_flush);
      const Writer* next = i + 1 < chains[c].size() ? &chains[c][i + 1] : nullptr;
      if (!hidden && !older && !is_locked_out(unit, read, w, next, own)) found.writers.push_back(w);
    }
  return found;
}

/// Both lie in sections that exclude each other, and within one of them somebody else writes in between: `next` of the writer's thread, or
/// `own` of the reader's. Or the writer's section never ends.
bool ReadSources::is_locked_out(UnitId unit, const UnitRead& read, const Writer& writer, const Writer* next, const Writer* own) const {
  const LockSections* sections = formula_.sections();
  if (sections == nullptr || formula_.unit(unit).thread == formula_.unit(writer.unit).thread) return false;
  for (const std::uint32_t here : sections->around(unit))
    for (const std::uint32_t there : sections->around(writer.unit)) {
      if (!sections->exclude(here, there)) continue;
      if ((*sections)[there].release == nothing) return true;
      if (next != nullptr && sections->is_within(next->unit, there)) return true;
      if (own != nullptr && sections->is_within(own->unit, here)) return true;
      if (read.own_flush != nothing && sections->is_within(read.own_flush, here)) return true;
    }
  return false;
}

UnitId ReadSources::last_before(UnitId unit, CellId cell) const {
  UnitId last = nothing;
  for (const Chain& chain : chains_[cell]) {
    const auto end = std::partition_point(chain.begin(), chain.end(), [&](const Writer& w) {
      return w.unit != unit && formula_.did_happen(w.unit) && formula_.came_first(w.unit, unit);
    });
    if (end == chain.begin()) continue;
    if (const UnitId newest = (end - 1)->unit; last == nothing || formula_.came_first(last, newest)) last = newest;
  }
  return last;
}

}  // namespace treadle
