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
  for (std::uint64_t* n : {&counts_.blocked, &counts_.redundant, &skipped_}) *n = in.varint();
  doubts_ = in.up_to(1) != 0;
  return in.ok() && in.at_end();
}

}  // namespace treadle
