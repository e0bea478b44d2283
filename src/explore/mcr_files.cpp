// SPDX-License-Identifier: Apache-2.0
// What a search by maximal causality is resumed from.
#include <bit>

#include "base/bytes.h"
#include "explore/mcr.h"
#include "trace/codec.h"

namespace treadle {
namespace {

void put_extension(ByteWriter& out, const Extension& extension) {
  out.varint(extension.steps.size());
  for (const std::uint64_t step : extension.steps) out.varint(step);
  out.varint(extension.target);
  out.fixed64(extension.value);
}

Extension get_extension(ByteReader& in) {
  Extension extension;
  for (std::size_t n = in.count(1); n > 0; --n) extension.steps.push_back(in.varint());
  extension.target = in.varint();
  extension.value = in.fixed64();
  return extension;
}

void put_hashes(ByteWriter& out, const std::unordered_set<std::uint64_t>& hashes) {
  out.varint(hashes.size());
  for (const std::uint64_t hash : hashes) out.fixed64(hash);
}

void get_hashes(ByteReader& in, std::unordered_set<std::uint64_t>& hashes) {
  hashes.clear();
  for (std::size_t n = in.count(8); n > 0; --n) hashes.insert(in.fixed64());
}

}  // namespace

std::string Mcr::save() const {
  ByteWriter out;
  put(out, base_.threads);
  out.varint(open_.size() + out_.size());
  const auto put_work = [&](const Work& work) {
    for (const auto* decisions : {&work.prefix, &work.rest}) {
      out.varint(decisions->size());
      for (const Decision& d : *decisions) put(out, d);
    }
    out.varint(work.fixed);
    out.varint(work.fixed_reads);
    out.varint(work.skip.size());
    for (const Extension& extension : work.skip) put_extension(out, extension);
  };
  for (const auto& [ticket, work] : out_) put_work(work);
  for (const Work& work : open_) put_work(work);
  put_hashes(out, asked_);
  put_hashes(out, states_);
  for (const std::uint64_t n : {counts_.blocked, counts_.redundant, statistics_.queries, statistics_.reads, statistics_.constraints})
    out.varint(n);
  out.fixed64(std::bit_cast<std::uint64_t>(statistics_.seconds));
  return out.take();
}

bool Mcr::load(std::string_view bytes) {
  ByteReader in(bytes);
  base_.threads = get_threads(in);
  open_.clear();
  for (std::size_t n = in.count(5); n > 0 && in.ok(); --n) {
    Work work;
    for (auto* decisions : {&work.prefix, &work.rest})
      for (std::size_t d = in.count(2); d > 0 && in.ok(); --d) decisions->push_back(get_decision(in));
    work.fixed = static_cast<std::uint32_t>(in.up_to(UINT32_MAX));
    work.fixed_reads = static_cast<std::uint32_t>(in.up_to(UINT32_MAX));
    for (std::size_t e = in.count(10); e > 0 && in.ok(); --e) work.skip.push_back(get_extension(in));
    open_.push_back(std::move(work));
  }
  get_hashes(in, asked_);
  get_hashes(in, states_);
  for (std::uint64_t* n : {&counts_.blocked, &counts_.redundant, &statistics_.queries, &statistics_.reads, &statistics_.constraints})
    *n = in.varint();
  statistics_.seconds = std::bit_cast<double>(in.fixed64());
  return in.ok() && in.at_end() && is_well_formed(base_.threads);
}

}  // namespace treadle
