// SPDX-License-Identifier: Apache-2.0
#include "explore/action_table.h"

namespace treadle {
namespace {

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15ull;
  return hash ^ hash >> 32;
}

std::uint64_t mixed(std::uint64_t hash, const Access& a) {
  return mixed(mixed(hash, a.address), std::uint64_t{a.bytes} << 16 | static_cast<std::uint64_t>(a.space) << 8 | std::uint64_t{a.writes});
}

std::uint64_t hash_of(const Decision& d) {
  return std::uint64_t{d.argument} << 16 | static_cast<std::uint64_t>(d.thread) << 8 | static_cast<std::uint64_t>(d.kind);
}

std::uint64_t hash_of(const Action& action) {
  std::uint64_t hash = mixed(static_cast<std::uint64_t>(action.process) << 32 | hash_of(action.decision),
                             std::uint64_t{action.store} << 24 | std::uint64_t{action.disturbs} << 8 | std::uint64_t{action.ends} << 2 |
                                 std::uint64_t{action.foreseen} << 3 | std::uint64_t{action.fails} << 1 | std::uint64_t{action.attempt});
  for (std::size_t i = 0; i < action.accesses.size(); ++i) hash = mixed(hash, action.accesses[i]);
  for (const Decision& d : action.more_decisions) hash = mixed(hash, hash_of(d));
  return action.served.bytes == 0 ? hash : mixed(hash, action.served);
}

}  // namespace

KnownAction ActionTable::operator[](const Action& action) {
  const std::uint64_t hash = hash_of(action);
  std::size_t at = hash & (entries_.size() - 1);
  for (; entries_[at].action != nullptr; at = (at + 1) & (entries_.size() - 1))
    if (entries_[at].hash == hash && *entries_[at].action == action) return entries_[at].action;
  entries_[at] = {hash, &actions_.emplace_back(action)};
  KnownAction known = entries_[at].action;
  if (actions_.size() * 2 > entries_.size()) grow();
  return known;
}

void ActionTable::grow() {
  std::vector<Entry> larger(entries_.size() * 2);
  for (const Entry& entry : entries_) {
    if (entry.action == nullptr) continue;
    std::size_t at = entry.hash & (larger.size() - 1);
    while (larger[at].action != nullptr) at = (at + 1) & (larger.size() - 1);
    larger[at] = entry;
  }
  entries_ = std::move(larger);
}

KnownAction ActionTable::after_flush(Action waiting, const Action& done) {
  pass_by(waiting, done);
  return (*this)[waiting];
}

}  // namespace treadle
