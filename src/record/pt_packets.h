// SPDX-License-Identifier: Apache-2.0
// Writes Intel PT packets as a processor would, with libipt's encoder: user code only, no return compression, whole addresses.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

struct pt_encoder;
struct pt_packet;

namespace treadle {

class PtWriter {
 public:
  PtWriter();
  ~PtWriter();
  PtWriter(const PtWriter&) = delete;
  PtWriter& operator=(const PtWriter&) = delete;

  /// A place where a decoder can begin. `ip`: the next instruction; 0 when nothing is traced at the moment.
  void synchronise(std::uint64_t time, std::uint64_t ip);
  void branch(bool taken);                           // of a conditional branch
  void jump(std::uint64_t to);                       // of an indirect one, or a return
  void begin(std::uint64_t time, std::uint64_t ip);  // tracing goes on here
  void end_at_branch(std::uint64_t to);              // the last branch led out of what is traced
  void end_anywhere(std::uint64_t next);             // something from outside stopped it in front of this instruction

  /// Since the last synchronisation.
  std::size_t unsynchronised() const { return bytes_.size() - last_synchronised_; }
  std::string take();

 private:
  void put(const pt_packet& packet);
  void put_ip(int type, std::uint64_t ip);
  void flush_branches();
  std::string bytes_;
  std::size_t last_synchronised_ = 0;
  std::uint64_t branches_ = 0;
  unsigned branch_count_ = 0;
};

}  // namespace treadle
