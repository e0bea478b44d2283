// SPDX-License-Identifier: Apache-2.0
#include "explore/random.h"

#include <fmt/format.h>

#include "trace/codec.h"

namespace treadle {

std::uint64_t nth_seed(std::uint64_t seed, std::uint64_t n) {
  std::uint64_t z = seed + (n + 1) * 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

Ticket Numbers::take() {
  const Ticket number = again_.empty() ? next_++ : again_.extract(again_.begin()).value();
  out_.insert(number);
  return number;
}

void Numbers::save(ByteWriter& to) const {
  to.varint(next_);
  to.varint(out_.size() + again_.size());
  for (const auto* list : {&out_, &again_})
    for (const Ticket number : *list) to.varint(number);
}

void Numbers::load(ByteReader& from) {
  next_ = from.varint();
  out_.clear();
  again_.clear();
  for (std::size_t left = from.count(1); left > 0 && from.ok(); --left) {
    const Ticket number = from.varint();
    if (number >= next_ || !again_.insert(number).second) from.fail();
  }
}

Random::Random(Schedule base) : base_(std::move(base)), seed_(base_.seed) {
  base_.prefix.clear();
  base_.policy = Policy::Random;
}

std::optional<Item> Random::next() {
  const Ticket number = numbers_.take();
  base_.seed = nth_seed(seed_, number);
  return Item{base_, number};
}

void Random::learn_from(Ticket ticket, const Trace& trace) {
  numbers_.give_back(ticket);
  ++executions_;
  if (trace.threads.size() > base_.threads.size()) base_.threads = trace.threads;
}

std::string Random::save() const {
  ByteWriter out;
  put(out, base_.threads);
  numbers_.save(out);
  out.varint(executions_);
  return out.take();
}

bool Random::load(std::string_view bytes) {
  ByteReader in(bytes);
  base_.threads = get_threads(in);
  numbers_.load(in);
  executions_ = in.varint();
  return in.ok() && in.at_end() && !base_.threads.empty();
}

std::string Random::covers() const { return fmt::format("{} random schedule{} only", executions_, executions_ == 1 ? "" : "s"); }

}  // namespace treadle
