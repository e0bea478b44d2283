// SPDX-License-Identifier: Apache-2.0
#include "trace/dependence.h"

#include <algorithm>

#include "base/check.h"

namespace treadle {

Dependence::Dependence(DependenceTables tables) : tables_(std::move(tables)) {
  std::ranges::sort(tables_.code, {}, &DependenceTables::Code::low);
  for (const auto& code : tables_.code) check(code.site < tables_.sites.size(), "code belongs to a known site");
  for (auto& set : tables_.sets) std::ranges::sort(set);
  for (const auto& site : tables_.sites)
    for (const std::uint32_t set : {site.control, site.way, site.data, site.carried})
      check(set == DependenceTables::everything || set < tables_.sets.size(), "a site's sets are known");
}

/// A place is a return address: the call stands before it.
const DependenceTables::Code* Dependence::site_at(std::uint64_t place) const {
  const std::uint64_t call = place - 1;
  const auto after = std::ranges::upper_bound(tables_.code, call, {}, &DependenceTables::Code::low);
  if (after == tables_.code.begin() || call >= std::prev(after)->high) return nullptr;
  return &*std::prev(after);
}

std::optional<std::uint32_t> Dependence::site_of(std::uint64_t place) const {
  const auto* code = site_at(place);
  return code == nullptr ? std::nullopt : std::optional(code->site);
}

bool Dependence::relates(std::uint32_t DependenceTables::Site::* relation, std::uint64_t read, std::uint64_t event) const {
  const auto* to = site_at(event);
  if (to == nullptr) return true;
  const std::uint32_t set = tables_.sites[to->site].*relation;
  if (set == DependenceTables::everything) return true;
  const auto* from = site_at(read);
  return from == nullptr || std::ranges::binary_search(tables_.sets[set], from->site);
}

bool Dependence::controls(std::uint64_t read, std::uint64_t event) const { return relates(&DependenceTables::Site::control, read, event); }

bool Dependence::steers(std::uint64_t read, std::uint64_t event) const { return relates(&DependenceTables::Site::way, read, event); }

bool Dependence::flows_into(std::uint64_t read, std::uint64_t event) const { return relates(&DependenceTables::Site::data, read, event); }

bool Dependence::carries(std::uint64_t read, std::uint64_t event) const {
  return relates(&DependenceTables::Site::carried, read, event) || !knows(read);
}

}  // namespace treadle
