// SPDX-License-Identifier: Apache-2.0
#include "record/perf_side_band.h"

#include <linux/perf_event.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <tuple>

namespace treadle {
namespace {

/// The end of every record, in the order that the kernel gives for this sample type.
struct Trailer {
  std::uint32_t process, thread;
  std::uint64_t time;
  std::uint32_t core, reserved;
};
static_assert(sizeof(Trailer) == 24);

/// PERF_RECORD_MMAP2 in front of the name.
struct Mapping {
  std::uint32_t process, thread;
  std::uint64_t address, size, offset;
  std::uint32_t major, minor;
  std::uint64_t inode, generation;
  std::uint32_t protection, flags;
};
static_assert(sizeof(Mapping) == 64);

template <class T>
T read(std::string_view bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

Problem damaged(const std::string& why) { return {"the kernel's records about the trace cannot be read: " + why, ""}; }

}  // namespace

const std::uint64_t PerfSideBand::perf_sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;

std::uint64_t PerfClock::counter_at(std::uint64_t nanoseconds) const {
  const std::uint64_t since = nanoseconds - zero, divisor = std::max(multiplier, 1u);
  return (since / divisor << shift) + (since % divisor << shift) / divisor;
}

Result<Done> PerfSideBand::add(std::string_view records) {
  while (!records.empty()) {
    if (records.size() < sizeof(perf_event_header)) return damaged("they are cut short");
    const auto header = read<perf_event_header>(records);
    if (header.size < sizeof header || header.size > records.size()) return damaged("a record has an impossible size");
    const std::string_view body = records.substr(sizeof header, header.size - sizeof header);
    records.remove_prefix(header.size);
    if (body.size() < sizeof(Trailer)) continue;  // of a kind that has none, or that is not known
    const auto trailer = read<Trailer>(body.substr(body.size() - sizeof(Trailer)));
    const std::string_view contents = body.substr(0, body.size() - sizeof(Trailer));
    switch (header.type) {
      case PERF_RECORD_MMAP2:
        take_mapping(contents);
        break;
      case PERF_RECORD_SWITCH:
      case PERF_RECORD_SWITCH_CPU_WIDE:
        switches_.push_back({trailer.core, trailer.process == process_ ? trailer.thread : 0, clock_.counter_at(trailer.time),
                             (header.misc & PERF_RECORD_MISC_SWITCH_OUT) == 0});
        break;
      case PERF_RECORD_AUX:
        if (contents.size() >= 24 && (read<std::uint64_t>(contents.substr(16)) & PERF_AUX_FLAG_TRUNCATED) != 0)
          losses_.push_back("core " + std::to_string(trailer.core) + ": the buffer for packets was full");
        break;
      case PERF_RECORD_LOST:
        losses_.push_back("core " + std::to_string(trailer.core) + ": records about threads and code were lost");
        break;
      default:
        break;
    }
  }
  return Done{};
}

void PerfSideBand::take_mapping(std::string_view body) {
  if (body.size() <= sizeof(Mapping)) return;
  const auto mapping = read<Mapping>(body);
  if (mapping.process != process_ || (mapping.protection & PROT_EXEC) == 0) return;
  std::string path(body.substr(sizeof mapping));
  path.resize(std::min(path.size(), path.find('\0')));
  std::uint64_t offset = mapping.offset;
  if (path == "[vdso]") {
    path = vdso_;
    offset = 0;
  }
  if (path.starts_with('/')) code_.push_back({std::move(path), offset, mapping.size, mapping.address});
}

/// The kernel notes that a thread comes after it has begun to trace it. Nobody else's code is traced, so the core belongs to a thread from
/// where the one before it has gone.
PtSideBand PerfSideBand::side_band(std::uint32_t cores) const {
  PtSideBand result;
  result.cores = cores;
  result.code = code_;
  std::vector<Seen> ordered = switches_;
  std::ranges::sort(ordered, {}, [](const Seen& seen) { return std::tuple(seen.time, seen.comes); });
  std::vector<std::uint64_t> free_since(cores, 0);
  for (const Seen& seen : ordered) {
    if (seen.core >= cores) continue;
    if (seen.comes) result.switches.push_back({seen.core, seen.tid, free_since[seen.core]});
    free_since[seen.core] = seen.time + 1;
  }
  std::ranges::sort(result.switches, {}, [](const PtSideBand::Switch& change) { return std::pair(change.core, change.time); });
  return result;
}

}  // namespace treadle
