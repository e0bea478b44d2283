// SPDX-License-Identifier: Apache-2.0
// The stack as bytes. The way to its top is in what the states took, so it is not kept apart. An execution that is out counts as not made:
// its choice is left out of what its state has done.
#include "explore/action_bytes.h"
#include "explore/dpor.h"

namespace treadle {
namespace {

void put(ByteWriter& out, const std::vector<Decision>& moves) {
  out.varint(moves.size());
  for (const Decision& move : moves) put(out, move);
}

std::vector<Decision> get_moves(ByteReader& in) {
  std::vector<Decision> moves;
  for (std::size_t n = in.count(3); n > 0; --n) moves.push_back(get_decision(in));
  return moves;
}

}  // namespace

std::string Dpor::save() const {
  ByteWriter out;
  put_progress(out, executions_, counts_, base_.threads, fruitless_);
  out.byte(look_again_);
  out.varint(height_);
  for (std::size_t i = 0; i < height_; ++i) {
    const State& state = stack_[i];
    put(out, state.enabled);
    out.varint(state.backtrack.size());
    for (const Process process : state.backtrack) out.varint(static_cast<std::uint32_t>(process));
    std::vector<Decision> done = state.done;
    if (out_ && !look_again_ && i + 1 == height_) done.pop_back();
    put(out, done);
    out.varint(state.sleep.size());
    for (const Action& action : state.sleep) put(out, action);
    out.byte(static_cast<std::uint8_t>(state.under_way | state.explored << 1));
    if (state.under_way) put(out, state.taken);
  }
  return out.take();
}

bool Dpor::load(std::string_view bytes) {
  ByteReader in(bytes);
  get_progress(in, executions_, counts_, base_.threads, fruitless_);
  started_ = executions_ > 0;
  look_again_ = in.up_to(1) != 0;
  path_.clear();
  height_ = 0;
  for (std::size_t n = in.count(5); n > 0; --n) {
    State& state = push(static_cast<std::uint32_t>(path_.size()));
    state.enabled = get_moves(in);
    for (std::size_t m = in.count(1); m > 0; --m) state.backtrack.push_back(Process{static_cast<std::uint32_t>(in.up_to(UINT32_MAX))});
    state.done = get_moves(in);
    for (std::size_t m = in.count(8); m > 0; --m) state.sleep.push_back(get_action(in));
    const std::uint64_t flags = in.up_to(3);
    state.under_way = (flags & 1) != 0;
    state.explored = (flags & 2) != 0;
    if (state.under_way) {
      state.taken = get_action(in);
      path_.push_back(state.taken.decision);
      path_.insert(path_.end(), state.taken.more_decisions.begin(), state.taken.more_decisions.end());
    } else if (n > 1) {
      in.fail();  // only at the top nothing is under way
    }
    if (path_.size() > base_.max_steps) in.fail();
    if (!in.ok()) break;
  }
  if (!started_ && height_ > 0) in.fail();
  if (look_again_ && height_ == 0) in.fail();
  resumed_ = true;
  return in.ok() && in.at_end();
}

}  // namespace treadle
