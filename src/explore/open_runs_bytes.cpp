// SPDX-License-Identifier: Apache-2.0
// OpenRuns to bytes and back. Runs are numbered so that each comes after the one it branched off.
#include <algorithm>
#include <bit>
#include <cmath>
#include <unordered_map>

#include "explore/open_runs.h"
#include "trace/codec.h"

namespace treadle {
namespace {

using RunNumbers = std::unordered_map<const Run*, std::uint32_t>;

/// Gives numbers to a run and to those that it goes back to, the oldest first.
void number(const Run* run, RunNumbers& numbers, std::vector<const Run*>& in_order) {
  std::vector<const Run*> new_ones;
  for (; run && !numbers.contains(run); run = run->parent.get()) new_ones.push_back(run);
  for (std::size_t i = new_ones.size(); i-- > 0;) {
    numbers.emplace(new_ones[i], static_cast<std::uint32_t>(in_order.size()));
    in_order.push_back(new_ones[i]);
  }
}

void put(ByteWriter& out, const Branch& branch) {
  out.varint(branch.position);
  treadle::put(out, branch.decision);
  out.varint(branch.preemptions);
  out.fixed64(std::bit_cast<std::uint64_t>(branch.weight));
}

Branch get_branch(ByteReader& in) {
  Branch branch;
  branch.position = static_cast<std::uint32_t>(in.up_to(UINT32_MAX - 1));
  branch.decision = get_decision(in);
  branch.preemptions = static_cast<std::uint32_t>(in.up_to(UINT32_MAX));
  branch.weight = std::bit_cast<double>(in.fixed64());
  if (!(branch.weight >= 0 && branch.weight <= 1)) in.fail();
  return branch;
}

bool is_within(std::uint32_t position, const Run& run) { return position >= run.from && position - run.from <= run.decisions.size(); }

}  // namespace

void OpenRuns::save(ByteWriter& out, std::span<const Taken> not_back) const {
  RunNumbers numbers;
  std::vector<const Run*> in_order, stack;
  for (const auto& run : runs_) stack.push_back(run.get());
  std::unordered_map<const Run*, std::vector<const Branch*>> open_again;
  for (std::size_t i = not_back.size(); i-- > 0;) {  // the last one taken is the first to be put back
    const Run* run = not_back[i].run.get();
    if (!run) continue;
    open_again[run].push_back(&not_back[i].branch);
    if (std::ranges::find(stack, run) == stack.end()) stack.push_back(run);
  }
  for (const Run* run : stack) number(run, numbers, in_order);

  out.varint(in_order.size());
  for (const Run* run : in_order) {
    out.varint(run->parent ? numbers.at(run->parent.get()) + 1 : 0);
    out.varint(run->from);
    out.varint(run->decisions.size());
    for (const Decision& decision : run->decisions) treadle::put(out, decision);
    const auto& again = open_again[run];
    out.varint(run->open.size() + again.size());
    for (const Branch& branch : run->open) put(out, branch);
    for (const Branch* branch : again) put(out, *branch);
    out.varint(run->tried.size());
    for (const Branch& branch : run->tried) put(out, branch);
  }
  out.varint(stack.size());
  for (const Run* run : stack) out.varint(numbers.at(run));
}

void OpenRuns::load(ByteReader& in, std::uint32_t most_steps) {
  runs_.clear();
  open_ = 0;
  std::vector<std::shared_ptr<Run>> all;
  for (std::size_t left = in.count(5); left > 0 && in.ok(); --left) {
    auto run = std::make_shared<Run>();
    const std::uint64_t parent = in.up_to(all.size());
    if (parent > 0) run->parent = all[parent - 1];
    run->from = static_cast<std::uint32_t>(in.up_to(run->parent ? most_steps : 0));
    if (run->parent && !is_within(run->from, *run->parent)) in.fail();
    for (std::size_t decisions = in.count(3); decisions > 0 && in.ok(); --decisions) run->decisions.push_back(get_decision(in));
    for (std::size_t branches = in.count(12); branches > 0 && in.ok(); --branches) {
      run->open.push_back(get_branch(in));
      if (run->open.back().position >= most_steps || !is_within(run->open.back().position, *run)) in.fail();
    }
    for (std::size_t branches = in.count(12); branches > 0 && in.ok(); --branches) run->tried.push_back(get_branch(in));
    all.push_back(std::move(run));
  }
  for (std::size_t left = in.count(1); left > 0 && in.ok(); --left) {
    const std::uint64_t number = in.varint();
    if (number >= all.size() || all[number]->listed) return in.fail();
    open_ += all[number]->open.size();
    all[number]->listed = true;
    runs_.push_back(all[number]);
  }
  for (const auto& run : all)
    if (!run->open.empty() && !run->listed) in.fail();
}

}  // namespace treadle
