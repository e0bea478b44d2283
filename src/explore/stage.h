// SPDX-License-Identifier: Apache-2.0
// The world of a rehearsal: memory, store buffers, locks and all else that threads share, as the runtime has them. One rehearsal after the
// other uses the same stage; clear() costs nothing for what was not touched.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "explore/learned_program.h"

namespace treadle {

/// Who wrote a byte: 0 what was there before main, else a number that the write was given.
using Writer = std::uint64_t;

/// Bytes by eights.
class Memory {
 public:
  void clear();

  /// What is there, if all of it is known. `from` becomes a hash of who wrote it.
  std::optional<std::uint64_t> read(const LearnedProgram& program, std::uint64_t address, unsigned size, Writer& from) const;
  std::optional<std::uint8_t> read_byte(const LearnedProgram& program, std::uint64_t address, Writer& from) const;
  void write(std::uint64_t address, unsigned size, std::uint64_t value, Writer by);
  void write_byte(std::uint64_t address, std::uint8_t value, Writer by);

  /// From here on these bytes are whatever `place` knows of them.
  void begin_block(std::uint64_t address, std::uint64_t bytes, Place& place, Writer by);
  /// A read has found this value where none was known.
  void found(LearnedProgram& program, std::uint64_t address, std::uint8_t value);

 private:
  struct Word {
    std::uint64_t round = 0;
    std::uint8_t value[8];
    std::uint8_t written = 0;  // bits: the others are as before main
    Writer writer[8];
    std::uint32_t block[8];  // 1 + index into blocks_: not written since that began; its place knows what was found there
  };
  struct Block {
    std::uint64_t address;
    Place* place;
  };
  const Word* find(std::uint64_t address) const;
  Word& word(std::uint64_t address);

  std::unordered_map<std::uint64_t, Word> words_;
  std::vector<Block> blocks_;
  std::uint64_t round_ = 1;
};

/// A store under way, as runtime/store_buffer.h has it.
struct StoreUnderWay {
  std::uint64_t address = 0, value = 0, event = 0, pc = 0;
  Writer writer = 0;
  std::uint32_t fences = 0;
  std::uint16_t number = 0;
  std::uint8_t size = 0, order = 0, lost = 0;
  bool is_atomic = false;
};

struct Buffer {
  std::vector<StoreUnderWay> stores;
  std::vector<std::pair<std::uint64_t, std::uint8_t>> queues;  // PSO: by number
  std::uint32_t fences = 0;
};

struct LockState {
  std::uint32_t owner = 0;  // thread + 1: mutex, spin lock, writer, who runs the initialiser
  std::uint32_t depth = 0;
  std::uint32_t readers = 0;
  std::vector<std::uint8_t> read_by;  // thread numbers
  bool done = false;                  // once
};

struct BarrierState {
  std::uint32_t parties = 0, arrived = 0;
  std::uint64_t round = 0;
};

}  // namespace treadle
