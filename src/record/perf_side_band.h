// SPDX-License-Identifier: Apache-2.0
// What the kernel tells about a traced program besides the processor's packets: the records of perf's ring buffers. Foreign bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "record/pt_side_band.h"

namespace treadle {

/// From the kernel's time, which its records have, to the counter that is in the packets: the fields of a ring's first page.
struct PerfClock {
  std::uint64_t zero = 0;
  std::uint32_t multiplier = 1;
  std::uint16_t shift = 0;
  std::uint64_t counter_at(std::uint64_t nanoseconds) const;
};

/// Collects the records of all cores. Every record ends with process, thread, time and core: perf_event_attr::sample_id_all with
/// `perf_sample_type`.
class PerfSideBand {
 public:
  PerfSideBand(std::uint32_t process, PerfClock clock) : process_(process), clock_(clock) {}

  static const std::uint64_t perf_sample_type;

  /// Whole records, one after the other, of one ring. A Problem when they cannot be records.
  Result<Done> add(std::string_view records);

  /// Code that is no file: the kernel's own page, of which this is a copy.
  void use_copy_of_vdso(std::string path) { vdso_ = std::move(path); }

  PtSideBand side_band(std::uint32_t cores) const;
  const std::vector<std::string>& losses() const { return losses_; }

 private:
  struct Seen {
    std::uint32_t core = 0, tid = 0;
    std::uint64_t time = 0;
    bool comes = false;
  };
  void take_mapping(std::string_view body);

  const std::uint32_t process_;
  const PerfClock clock_;
  std::string vdso_;
  std::vector<PtSideBand::Code> code_;
  std::vector<Seen> switches_;
  std::vector<std::string> losses_;
};

}  // namespace treadle
