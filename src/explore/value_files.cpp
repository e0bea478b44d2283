// SPDX-License-Identifier: Apache-2.0
// What a search by values is resumed from.
#include "base/bytes.h"
#include "explore/value.h"

namespace treadle {

std::string Value::save() const {
  ByteWriter out;
  out.text(inner_->save());
  auto run = seen_;
  for (const auto& [ticket, item] : out_)
    if (item.why == Why::NewClass) run.erase(item.expected);
  out.varint(run.size());
  for (const std::uint64_t key : run) out.fixed64(key);
  out.varint(races_.size());
  for (const auto& [pair, suspicion] : races_) {
    out.fixed64(pair);
    out.byte(suspicion.shown);
    out.byte(suspicion.tries);
  }
  out.varint(failures_.size());
  for (const auto& [place, alike] : failures_) {
    out.fixed64(place);
    out.varint(alike.size());
    for (const Failure& failure : alike) {
      out.byte(static_cast<std::uint8_t>(failure.ending));
      out.fixed64(failure.pc);
      out.varint(failure.ways.size());
      for (const auto& way : failure.ways) {
        out.varint(way.size());
        for (const std::uint64_t key : way) out.fixed64(key);
      }
    }
  }
  for (const std::uint64_t n : {counts_.blocked, counts_.redundant, skipped_}) out.varint(n);
  out.byte(foresaw_wrongly());
  return out.take();
}

bool Value::load(std::string_view bytes) {
  ByteReader in(bytes);
  if (!inner_->load(in.text())) return false;
  walking_ = false;
  for (std::size_t n = in.count(8); n > 0; --n) seen_.insert(in.fixed64());
  for (std::size_t n = in.count(10); n > 0; --n) {
    Suspicion& suspicion = races_[in.fixed64()];
    suspicion.shown = in.up_to(1) != 0;
    suspicion.tries = in.byte();
  }
  for (std::size_t n = in.count(9); n > 0; --n) {
    auto& alike = failures_[in.fixed64()];
    for (std::size_t many = in.count(10); many > 0; --many) {
      Failure& failure = alike.emplace_back();
      failure.ending = static_cast<Ending>(in.up_to(TREADLE_ENDING_COUNT - 1));
      failure.pc = in.fixed64();
      failure.ways.resize(in.count(1));
      for (auto& way : failure.ways) {
        way.resize(in.count(8));
        for (std::uint64_t& key : way) key = in.fixed64();
        places_of_failures_ += way.size();
      }
    }
  }
  for (std::uint64_t* n : {&counts_.blocked, &counts_.redundant, &skipped_}) *n = in.varint();
  doubts_ = in.up_to(1) != 0;
  return in.ok() && in.at_end();
}

}  // namespace treadle
