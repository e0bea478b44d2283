// SPDX-License-Identifier: Apache-2.0
#include "record/pt_packets.h"

#include <intel-pt.h>

#include <cstring>
#include <utility>

#include "base/check.h"

namespace treadle {

namespace {

constexpr unsigned most_branches = 6;  // in a short packet

pt_packet packet_of(int type) {
  pt_packet packet;
  std::memset(&packet, 0, sizeof packet);
  packet.type = static_cast<pt_packet_type>(type);
  return packet;
}

}  // namespace

PtWriter::PtWriter() = default;
PtWriter::~PtWriter() = default;

void PtWriter::put(const pt_packet& packet) {
  std::uint8_t buffer[64];
  pt_config config;
  pt_config_init(&config);
  config.begin = buffer;
  config.end = buffer + sizeof buffer;
  pt_encoder* encoder = pt_alloc_encoder(&config);
  check(encoder != nullptr, "libipt has an encoder");
  const int size = pt_enc_next(encoder, &packet);
  pt_free_encoder(encoder);
  check(size > 0, "a packet that we made up is a legal one");
  bytes_.append(reinterpret_cast<const char*>(buffer), static_cast<std::size_t>(size));
}

void PtWriter::put_ip(int type, std::uint64_t ip) {
  flush_branches();
  pt_packet packet = packet_of(type);
  packet.payload.ip.ipc = ip == 0 ? pt_ipc_suppressed : pt_ipc_sext_48;
  packet.payload.ip.ip = ip & 0xffff'ffff'ffffull;
  put(packet);
}

void PtWriter::flush_branches() {
  if (branch_count_ == 0) return;
  pt_packet packet = packet_of(ppt_tnt_8);
  packet.payload.tnt.bit_size = static_cast<std::uint8_t>(std::exchange(branch_count_, 0));
  packet.payload.tnt.payload = std::exchange(branches_, 0);
  put(packet);
}

void PtWriter::synchronise(std::uint64_t time, std::uint64_t ip) {
  flush_branches();
  last_synchronised_ = bytes_.size();
  put(packet_of(ppt_psb));
  pt_packet now = packet_of(ppt_tsc);
  now.payload.tsc.tsc = time;
  put(now);
  pt_packet mode = packet_of(ppt_mode);
  mode.payload.mode.leaf = pt_mol_exec;
  mode.payload.mode.bits.exec = pt_set_exec_mode(ptem_64bit);
  put(mode);
  if (ip != 0) put_ip(ppt_fup, ip);
  put(packet_of(ppt_psbend));
}

void PtWriter::branch(bool taken) {
  branches_ = branches_ << 1 | (taken ? 1 : 0);
  if (++branch_count_ == most_branches) flush_branches();
}

void PtWriter::jump(std::uint64_t to) { put_ip(ppt_tip, to); }

void PtWriter::begin(std::uint64_t time, std::uint64_t ip) {
  flush_branches();
  pt_packet now = packet_of(ppt_tsc);
  now.payload.tsc.tsc = time;
  put(now);
  put_ip(ppt_tip_pge, ip);
}

void PtWriter::end_at_branch(std::uint64_t to) { put_ip(ppt_tip_pgd, to); }

void PtWriter::end_anywhere(std::uint64_t next) {
  put_ip(ppt_fup, next);
  put_ip(ppt_tip_pgd, 0);
}

std::string PtWriter::take() {
  flush_branches();
  return std::move(bytes_);
}

}  // namespace treadle
