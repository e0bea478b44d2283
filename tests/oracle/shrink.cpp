// SPDX-License-Identifier: Apache-2.0
#include "shrink.h"

#include <algorithm>

#include "interpret.h"

namespace oracle {
namespace {

Block without(const Block& block, std::size_t i, const Block& instead = {}) {
  Block result(block.begin(), block.begin() + i);
  result.insert(result.end(), instead.begin(), instead.end());
  result.insert(result.end(), block.begin() + i + 1, block.end());
  return result;
}

std::vector<Block> simpler_blocks(const Block& block) {
  std::vector<Block> result;
  const auto inside = [&result, &block](std::size_t i, const Block& part, auto rebuild) {
    for (Block& smaller : simpler_blocks(part)) result.push_back(without(block, i, {rebuild(std::move(smaller))}));
  };
  for (std::size_t i = 0; i < block.size(); ++i) {
    if (std::holds_alternative<Create>(block[i].is) || std::holds_alternative<Join>(block[i].is)) continue;
    result.push_back(without(block, i));
    if (const Lock* lock = std::get_if<Lock>(&block[i].is)) {  // a lock goes with its unlock
      const auto unlock = std::find(block.begin() + i, block.end(), Statement(Unlock{lock->mutex}));
      if (unlock != block.end()) result.push_back(without(without(block, unlock - block.begin()), i));
    }
    if (const If* branch = std::get_if<If>(&block[i].is)) {
      result.push_back(without(block, i, branch->then));
      result.push_back(without(block, i, branch->otherwise));
      inside(i, branch->then, [&](Block b) { return If{branch->when, std::move(b), branch->otherwise}; });
      inside(i, branch->otherwise, [&](Block b) { return If{branch->when, branch->then, std::move(b)}; });
    }
    if (const Loop* loop = std::get_if<Loop>(&block[i].is)) {
      result.push_back(without(block, i, loop->body));
      if (loop->most > 1) result.push_back(without(block, i, {Loop{loop->until, loop->most - 1, loop->body}}));
      inside(i, loop->body, [&](Block b) { return Loop{loop->until, loop->most, std::move(b)}; });
    }
    if (const RwLock* lock = std::get_if<RwLock>(&block[i].is)) {
      const auto unlock = std::find(block.begin() + i, block.end(), Statement(RwUnlock{lock->rwlock}));
      if (unlock != block.end()) result.push_back(without(without(block, unlock - block.begin()), i));
    }
  }
  return result;
}

/// Thread `gone` and its creation and join disappear; the threads after it move up. Those that it created are then created by nobody, which
/// makes no program.
Program without_thread(const Program& program, int gone) {
  Program result = program;
  result.threads.erase(result.threads.begin() + gone);
  for (Block& block : result.threads) {
    Block kept;
    for (const Statement& statement : block) {
      if (const Create* create = std::get_if<Create>(&statement.is)) {
        if (create->thread != gone) kept.push_back(Create{create->thread - (create->thread > gone)});
      } else if (const Join* join = std::get_if<Join>(&statement.is)) {
        if (join->thread != gone) kept.push_back(Join{join->thread - (join->thread > gone)});
      } else {
        kept.push_back(statement);
      }
    }
    block = std::move(kept);
  }
  return result;
}

bool is_sound(const Program& program) {
  if (!why_malformed(program).empty()) return false;
  const Interpretation all = interpret(program, MachineOptions{}, 500'000);
  return all.complete && !all.misuses;
}

}  // namespace

std::vector<Program> simpler(const Program& program) {
  std::vector<Program> result;
  const auto keep = [&result](Program candidate) {
    if (is_sound(candidate)) result.push_back(std::move(candidate));
  };
  for (int t = int(program.threads.size()) - 1; t > 0; --t) keep(without_thread(program, t));
  for (std::size_t t = 0; t < program.threads.size(); ++t) {
    for (Block& block : simpler_blocks(program.threads[t])) {
      Program candidate = program;
      candidate.threads[t] = std::move(block);
      keep(std::move(candidate));
    }
  }
  return result;
}

Program shrink(Program program, const StillFails& still_fails) {
  while (true) {
    const std::vector<Program> candidates = simpler(program);
    const std::vector<bool> fails = still_fails(candidates);
    const auto found = std::find(fails.begin(), fails.end(), true);
    if (found == fails.end()) return program;
    program = candidates[found - fails.begin()];
  }
}

}  // namespace oracle
