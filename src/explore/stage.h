// SPDX-License-Identifier: Apache-2.0
// The world of a rehearsal: memory, store buffers, locks and all else that threads share, as the runtime has them. One rehearsal after the
// other uses the same stage; clear() costs nothing for what was not touched.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/hash.h"
#include "explore/learned_program.h"

namespace treadle {

/// Who wrote a byte: 0 what was there before main, else a number that the write was given.
using Writer = std::uint64_t;

/// Memory by words of eight bytes. What was there before main is learned from reads and stays; everything else is forgotten by clear().
class Memory {
 public:
  void clear();

  /// What is there, if all of it is known. `from` becomes a hash of who wrote it.
  std::optional<std::uint64_t> read(std::uint64_t address, unsigned size, Writer& from) const;
  std::optional<std::uint8_t> read_byte(std::uint64_t address, Writer& from) const;
  void write(std::uint64_t address, unsigned size, std::uint64_t value, Writer by);
  void write_byte(std::uint64_t address, std::uint8_t value, Writer by);

  /// For accesses within one word, all of whose bytes are known and were written by one writer: its place in memory, so that it is looked
  /// up once. Null: take the long way.
  struct Cell {
    std::uint64_t* value = nullptr;
    Writer* writer = nullptr;  // one for each byte
    unsigned shift = 0;
    std::uint64_t mask = 0;
    std::uint64_t get() const { return *value >> shift & mask; }
  };
  Cell cell(std::uint64_t address, unsigned size);

  /// What is there as far as it can be told whatever has been learned: values of what was written, and which block or range it is, or was
  /// before main. Equal keys: equal bytes.
  std::uint64_t provenance(std::uint64_t address, std::uint64_t bytes) const;

  /// The same for two moments in which every byte has the same value (and, if asked for, was written by the same).
  std::uint64_t hash(bool with_writers) const;

  /// What the present rehearsal has made of it. Learning in between does no harm.
  struct Moment;
  void save(Moment& moment) const;
  void restore(const Moment& moment);

  /// From here on these bytes are whatever `place` knows of them.
  void begin_block(std::uint64_t address, std::uint64_t bytes, Place& place, Writer by);
  /// A read has found this value where none was known.
  void found(std::uint64_t address, std::uint8_t value);

 private:
  struct Word {
    std::uint64_t key = 0;    // address / 8, plus 1; 0: free
    std::uint64_t round = 0;  // all but the initial value belongs to this one
    std::uint64_t value = 0, initial = 0;
    std::uint8_t known = 0, initial_known = 0;  // a bit per byte
    std::uint8_t fresh = 0;                     // not written since its block began: the block's place may know it
    Writer writer[8] = {};
    std::uint32_t block[8] = {};  // index into blocks_
  };
  struct Block {
    std::uint64_t address;
    Place* place;
    Writer by;
  };
  /// Too large to mark each of its words: they are when they are touched.
  struct LargeBlock {
    std::uint64_t address, bytes;
    std::uint32_t number;  // in blocks_
  };
  void mark(Word& word, const LargeBlock& large);
  const Block* large_block_at(std::uint64_t address) const;
  std::uint64_t provenance_in(const Word& word, std::uint64_t address, std::uint64_t until) const;
  const Word* find(std::uint64_t address) const;
  Word& word(std::uint64_t address);
  void grow();

  std::vector<Word> words_ = std::vector<Word>(256);  // open addressing
  std::size_t used_ = 0;
  std::vector<Block> blocks_;
  std::vector<LargeBlock> large_;
  std::vector<std::uint64_t> touched_;  // keys of words that belong to this round
  std::uint64_t round_ = 1;
};

struct Memory::Moment {
  std::vector<Word> words;
  std::vector<Block> blocks;
  std::vector<LargeBlock> large;
};

/// A store under way, as runtime/store_buffer.h has it.
struct StoreUnderWay {
  std::uint64_t address = 0, value = 0, event = 0, pc = 0;
  Writer writer = 0;
  Place* place = nullptr;   // where its thread stood
  std::uint32_t owner = 0;  // its thread
  std::uint32_t step = 0;   // so many decisions had been made, its own included
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

/// Of robust mutexes; all others stay as they are.
enum class Robust : std::uint8_t { Consistent, OwnerDied, TakenOver, NotRecoverable };

struct LockState {
  std::uint32_t owner = 0;  // thread + 1: mutex, spin lock, writer, who runs the initialiser
  std::uint32_t depth = 0;
  std::uint32_t readers = 0;
  std::vector<std::uint8_t> read_by;  // thread numbers
  bool done = false;                  // once
  Robust robust = Robust::Consistent;
};

/// What was done to something, as far as it makes a difference: what only looks at it may do so in any order.
struct History {
  std::uint64_t written = 0, read = 0;  // the latter since it was written last

  void write(std::uint64_t by) { *this = {Hash{}.add(written).add(read).add(by).value(), 0}; }
  void look(std::uint64_t by) { read += Hash{}.add(by).value(); }
  std::uint64_t key() const { return Hash{}.add(written).add(read).value(); }
};

struct BarrierState {
  std::uint32_t parties = 0, arrived = 0;
  std::uint64_t round = 0;
};

}  // namespace treadle
