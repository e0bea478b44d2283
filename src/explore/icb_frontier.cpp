// SPDX-License-Identifier: Apache-2.0
#include "explore/icb_frontier.h"

#include <algorithm>
#include <string_view>

#include "base/check.h"

namespace treadle {
namespace {

constexpr std::size_t chunk_bytes = 1u << 16;

/// The same decision at `length` points in a row.
struct Stretch {
  Decision decision;
  std::uint32_t first, length;
};

void put(ByteWriter& out, const Decision& decision) {
  out.varint(index_of(decision.thread) << 3 | static_cast<unsigned>(decision.kind));
  if (decision.kind == DecisionKind::Wake || decision.kind == DecisionKind::Flush) out.varint(decision.argument);
}

Decision get_decision(ByteReader& in) {
  const std::uint64_t packed = in.varint();
  Decision decision{static_cast<DecisionKind>(packed & 7), ThreadId{static_cast<std::uint8_t>(packed >> 3)}, 0};
  if (decision.kind == DecisionKind::Wake || decision.kind == DecisionKind::Flush)
    decision.argument = static_cast<std::uint16_t>(in.varint());
  return decision;
}

void put(ByteWriter& out, const std::vector<Stretch>& stretches) {
  out.varint(stretches.size());
  std::uint32_t at = 0;
  for (const Stretch& stretch : stretches) {
    put(out, stretch.decision);
    out.varint(zigzag(std::uint64_t{stretch.first} - at));
    out.varint(stretch.length);
    at = stretch.first;
  }
}

std::vector<Stretch> get_stretches(ByteReader& in) {
  std::vector<Stretch> stretches(in.count(3));
  std::uint64_t at = 0;
  for (Stretch& stretch : stretches) {
    stretch.decision = get_decision(in);
    at += unzigzag(in.varint());
    stretch.first = static_cast<std::uint32_t>(at);
    stretch.length = static_cast<std::uint32_t>(in.varint());
  }
  return stretches;
}

/// Foreign bytes: do they say what an execution of at most so many steps can have left?
std::uint64_t branches_of_foreign(ByteReader& in, std::uint32_t most_steps) {
  const auto is_kind = [](const Decision& decision) { return decision.kind <= DecisionKind::Flush; };
  std::uint64_t steps = 0, branches = 0;
  for (const Stretch& stretch : get_stretches(in)) {
    if (stretch.first != steps || stretch.length == 0 || stretch.length > most_steps || !is_kind(stretch.decision)) in.fail();
    steps += stretch.length;
    if (steps > most_steps) in.fail();
  }
  for (const Stretch& stretch : get_stretches(in)) {
    if (stretch.length == 0 || std::uint64_t{stretch.first} + stretch.length > steps || !is_kind(stretch.decision)) in.fail();
    branches += stretch.length;
  }
  if (branches == 0) in.fail();
  return branches;
}

}  // namespace

void IcbFrontier::save(ByteWriter& out) const {
  std::string all;
  for (std::size_t i = 0; i < chunks_.size(); ++i) all += std::string_view(chunks_[i]).substr(i == 0 ? read_ : 0);
  out.text(all);
}

void IcbFrontier::load(ByteReader& in, std::uint32_t most_steps) {
  *this = {};
  const std::string_view all = in.text();
  ByteReader records(all);
  std::size_t begin = 0, end = 0;  // of the chunk under way
  while (records.ok() && !records.at_end()) {
    branches_ += branches_of_foreign(records, most_steps);
    end = all.size() - records.left();
    if (end - begin >= chunk_bytes || records.at_end()) {
      chunks_.emplace_back(all.substr(begin, end - begin));
      begin = end;
    }
  }
  bytes_ = all.size();
  if (!records.ok()) in.fail();
}

void IcbFrontier::add(const Trace& trace, const std::vector<Branch>& branches) {
  if (branches.empty()) return;
  std::vector<Stretch> taken, others;
  for (std::uint32_t i = 0; i <= branches.back().position; ++i) {
    const Decision& decision = trace.choices[i].taken;
    if (!taken.empty() && taken.back().decision == decision)
      ++taken.back().length;
    else
      taken.push_back({decision, i, 1});
  }
  for (const Branch& branch : branches) {
    const auto continued = std::find_if(others.rbegin(), others.rend(), [&](const Stretch& other) {
      return other.decision == branch.decision && other.first + other.length == branch.position;
    });
    if (continued != others.rend())
      ++continued->length;
    else
      others.push_back({branch.decision, branch.position, 1});
  }

  ByteWriter out;
  put(out, taken);
  put(out, others);
  if (chunks_.empty() || chunks_.back().size() >= chunk_bytes) {
    chunks_.emplace_back();
    chunks_.back().reserve(chunk_bytes + 1024);
  }
  chunks_.back() += out.bytes();
  branches_ += branches.size();
  bytes_ += out.bytes().size();
}

IcbFrontier::Execution IcbFrontier::take() {
  check(!chunks_.empty(), "something is left for the next bound");
  const std::string_view rest = std::string_view(chunks_.front()).substr(read_);
  ByteReader in(rest);
  const auto taken = get_stretches(in);
  const auto others = get_stretches(in);
  check(in.ok(), "what is left for the next bound can be read again");
  const std::size_t used = rest.size() - in.left();
  bytes_ -= used;
  read_ += used;
  if (in.at_end()) {
    chunks_.pop_front();
    read_ = 0;
  }

  Execution execution;
  for (const Stretch& stretch : taken) execution.decisions.insert(execution.decisions.end(), stretch.length, stretch.decision);
  for (const Stretch& stretch : others)
    for (std::uint32_t i = 0; i < stretch.length; ++i) execution.branches.push_back({stretch.first + i, stretch.decision, 0, 0});
  std::ranges::stable_sort(execution.branches, {}, &Branch::position);
  branches_ -= execution.branches.size();
  return execution;
}

}  // namespace treadle
