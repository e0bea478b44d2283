// SPDX-License-Identifier: Apache-2.0
// Happens-before and races by the book: every access to every byte is kept for ever, and compared with every later one. Shares nothing with
// the detector but the name of an access.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "runtime/race.h"

namespace treadle {

class Reference {
 public:
  using Times = std::vector<unsigned>;                       // by thread
  using Race = std::tuple<std::uint64_t, unsigned, Access>;  // byte, earlier thread, what it did

  explicit Reference(unsigned threads);

  /// All races of this access with earlier ones.
  std::set<Race> access(unsigned thread, std::uint64_t address, unsigned size, Access kind);
  /// Was there a race on a byte of it on which there had been none before? Of the last access.
  bool is_first() const { return first_; }

  void atomic(unsigned thread, std::uint64_t address, unsigned size, bool reads, bool writes, int order);
  void fence(unsigned thread, int order);
  void acquire(unsigned thread, unsigned lock);
  void release(unsigned thread, unsigned lock, bool only);
  void create(unsigned thread, unsigned child);
  void join(unsigned thread, unsigned finished);
  void forget(std::uint64_t address, unsigned size);

 private:
  struct Done {
    unsigned thread, time;
    Access kind;
  };
  std::vector<Times> now_, published_, to_acquire_;
  std::vector<Times> locks_{3};
  std::map<std::uint64_t, std::vector<Done>> history_;  // by byte
  std::map<std::uint64_t, Times> carried_;              // by byte: what its value was released with
  std::set<std::uint64_t> raced_;
  bool first_ = false;
};

}  // namespace treadle
