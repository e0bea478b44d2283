// SPDX-License-Identifier: Apache-2.0
// Reads-from: which event wrote the value that a read saw.
//
// Under SC that is the last overlapping write before it. Under TSO and PSO a store is recorded when its thread makes it, which
// may be long before it reaches memory, so a nearer store of another thread is passed over when its value is not the one that was read.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "trace/trace.h"

namespace treadle {

inline bool reads_memory(EventKind kind) {
  switch (kind) {
    case TREADLE_EV_READ:
    case TREADLE_EV_RANGE_READ:
    case TREADLE_EV_ATOMIC_READ:
    case TREADLE_EV_RMW:
    case TREADLE_EV_CAS_OK:
    case TREADLE_EV_CAS_FAIL:
    case TREADLE_EV_FUTEX_WAIT:  // the word that it compares
      return true;
    default:
      return false;
  }
}

inline bool writes_memory(EventKind kind) {
  switch (kind) {
    case TREADLE_EV_WRITE:
    case TREADLE_EV_RANGE_WRITE:
    case TREADLE_EV_ATOMIC_WRITE:
    case TREADLE_EV_RMW:
    case TREADLE_EV_CAS_OK:
      return true;
    default:
      return false;
  }
}

/// Bytes accessed by an event that reads or writes memory.
std::uint64_t bytes_of(const Event& event);

/// Do two events access a common byte?
bool overlap(const Event& a, const Event& b);

/// What a scalar access read, or left in memory.
std::uint64_t value_read(const Event& event);
std::uint64_t value_written(const Event& event);

struct Source {
  enum class Kind {
    Initial,  // no write before it: what the block or variable held from the start
    Write,    // `event` wrote it
    Unknown   // something wrote there that was not recorded
  };
  Kind kind = Kind::Initial;
  std::uint64_t event = UINT64_MAX;
  bool operator==(const Source&) const = default;
};

class ReadsFrom {
 public:
  explicit ReadsFrom(const Trace& trace);  // which must outlive this

  /// `event` reads memory (check()ed).
  Source of(std::uint64_t event) const;

 private:
  bool agree(const Event& write, const Event& read) const;

  const Trace& trace_;
  bool weak_ = false;                                                        // a store buffer was at work
  std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> writes_in_;  // by address / 8: narrow writes, in order
  std::vector<std::uint64_t> wide_;                                          // wide writes, allocations and frees, in order
};

}  // namespace treadle
