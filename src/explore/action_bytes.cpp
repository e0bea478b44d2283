// SPDX-License-Identifier: Apache-2.0
#include "explore/action_bytes.h"

namespace treadle {
namespace {

void put(ByteWriter& out, const Access& a) {
  out.varint(a.address);
  out.varint(a.bytes);
  out.byte(static_cast<std::uint8_t>(static_cast<unsigned>(a.space) << 1 | a.writes));
}

Access get_access(ByteReader& in) {
  Access a;
  a.address = in.varint();
  a.bytes = static_cast<std::uint32_t>(in.up_to(UINT32_MAX));
  const auto what = static_cast<unsigned>(in.up_to(static_cast<unsigned>(Space::Exclusive) << 1 | 1));
  a.space = static_cast<Space>(what >> 1);
  a.writes = (what & 1) != 0;
  return a;
}

}  // namespace

void put(ByteWriter& out, const Action& action) {
  put(out, action.decision);
  out.varint(action.more_decisions.size());
  for (const Decision& d : action.more_decisions) put(out, d);
  out.varint(action.accesses.size());
  for (std::size_t i = 0; i < action.accesses.size(); ++i) put(out, action.accesses[i]);
  out.varint(action.disturbs);
  out.byte(static_cast<std::uint8_t>(action.ends | action.attempt << 1 | action.fails << 2 | action.foreseen << 3));
  out.varint(action.store);
  put(out, action.served);
}

Action get_action(ByteReader& in) {
  Action action;
  action.decision = get_decision(in);
  action.process = process_of(action.decision);
  for (std::size_t n = in.count(3); n > 0; --n) action.more_decisions.push_back(get_decision(in));
  for (std::size_t n = in.count(3); n > 0; --n) action.accesses.add(get_access(in));
  action.disturbs = static_cast<std::uint16_t>(in.up_to(UINT16_MAX));
  const std::uint64_t flags = in.up_to(15);
  action.ends = (flags & 1) != 0;
  action.attempt = (flags & 2) != 0;
  action.fails = (flags & 4) != 0;
  action.foreseen = (flags & 8) != 0;
  action.store = static_cast<std::uint32_t>(in.up_to(UINT32_MAX));
  action.served = get_access(in);
  return action;
}

void put_progress(ByteWriter& out, std::uint64_t executions, const Counts& counts, const std::vector<ThreadName>& threads,
                  const FruitlessIterations& fruitless) {
  out.varint(executions);
  out.varint(counts.blocked);
  out.varint(counts.redundant);
  put(out, threads);
  out.varint(fruitless.size());
  for (const std::uint64_t iteration : fruitless) out.fixed64(iteration);
}

void get_progress(ByteReader& in, std::uint64_t& executions, Counts& counts, std::vector<ThreadName>& threads,
                  FruitlessIterations& fruitless) {
  executions = in.varint();
  counts.blocked = in.varint();
  counts.redundant = in.varint();
  threads = get_threads(in);
  fruitless.clear();
  for (std::size_t n = in.count(8); n > 0; --n) fruitless.insert(in.fixed64());
}

}  // namespace treadle
