// SPDX-License-Identifier: Apache-2.0
#include "explore/pct.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "trace/codec.h"

namespace treadle {

Pct::Pct(Schedule base, std::uint32_t depth) : base_(std::move(base)), seed_(base_.seed), depth_(std::max(depth, 1u)) {
  base_.prefix.clear();
  base_.policy = Policy::Pct;
  base_.pct_depth = depth_;
  base_.pct_length = 1;
}

/// k changes only at fixed numbers of executions, so that the schedules depend on the seed alone and not on the sizes of batches.
std::size_t Pct::ahead() const { return next_review_ - executions_; }

std::optional<Item> Pct::next() {
  const Ticket number = numbers_.take();
  base_.seed = nth_seed(seed_, number);
  return Item{base_, number};
}

void Pct::learn_from(Ticket ticket, const Trace& trace) {
  numbers_.give_back(ticket);
  if (trace.threads.size() > base_.threads.size()) base_.threads = trace.threads;
  threads_ = std::max(threads_, static_cast<std::uint32_t>(trace.threads.size()));
  longest_ = std::max(longest_, static_cast<std::uint32_t>(trace.choices.size()));
  ++executions_;
  if (longest_ <= length_) ++with_this_length_;
  if (executions_ < next_review_) return;

  next_review_ *= 2;
  if (longest_ > length_) {
    length_ = longest_;
    with_this_length_ = 0;
    base_.pct_length = length_;
  }
}

std::string Pct::save() const {
  ByteWriter out;
  put(out, base_.threads);
  numbers_.save(out);
  for (const std::uint64_t number :
       {std::uint64_t{threads_}, std::uint64_t{length_}, std::uint64_t{longest_}, executions_, next_review_, with_this_length_})
    out.varint(number);
  return out.take();
}

bool Pct::load(std::string_view bytes) {
  ByteReader in(bytes);
  base_.threads = get_threads(in);
  numbers_.load(in);
  for (std::uint32_t* number : {&threads_, &length_, &longest_}) *number = static_cast<std::uint32_t>(in.up_to(UINT32_MAX));
  for (std::uint64_t* number : {&executions_, &next_review_, &with_this_length_}) *number = in.varint();
  base_.pct_length = std::max(length_, 1u);
  const bool sense = !base_.threads.empty() && threads_ > 0 && longest_ > 0 && executions_ < next_review_;
  return in.ok() && in.at_end() && sense;
}

double Pct::chance_per_execution() const {
  return 1.0 / (threads_ * std::pow(static_cast<double>(longest_), static_cast<double>(depth_ - 1)));
}

std::string Pct::covers() const {
  const std::uint64_t counted = longest_ <= length_ ? with_this_length_ : 0;
  const double missed = std::exp(static_cast<double>(counted) * std::log1p(-std::min(chance_per_execution(), 1 - 1e-12)));
  const double found = 100 * (1 - missed);
  const std::string together = counted == 0 ? "" : found > 99.9 ? ", together more than 99.9 %" : fmt::format(", together {:.3g} %", found);
  return fmt::format(
      "{} PCT schedule{} of depth {} only; with {} thread{} and {} steps each finds a bug of that depth with probability 1/{:.0f} or "
      "more{}",
      executions_, executions_ == 1 ? "" : "s", depth_, threads_, threads_ == 1 ? "" : "s", longest_, 1 / chance_per_execution(), together);
}

}  // namespace treadle
