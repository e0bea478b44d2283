// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <map>

#include "abi/repeats.h"
#include "record/recording.h"

namespace treadle {
namespace {

Problem cannot_read(const std::string& name, const std::string& why) { return {"cannot read " + name + ": " + why, ""}; }

/// An open block ends with its last byte that is not zero.
std::string_view written(std::string_view payload) {
  const std::size_t last = payload.find_last_not_of('\0');
  return payload.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

struct Block {
  TreadleBlockHeader header;
  std::string_view payload;
  std::string lengthened;  // of one that was made short

  std::string_view contents() const { return header.size == TREADLE_BLOCK ? payload : std::string_view(lengthened); }
};

bool is_whole(const Block& block) { return treadle_block_hash(block.contents().data(), block.header.used) == block.header.hash; }

/// `name` is that of the file. The window is never short.
Result<Block> block_at(std::string_view bytes, const std::string& name, bool may_be_short) {
  Block block;
  constexpr std::size_t head = sizeof block.header;
  if (bytes.size() < head) return cannot_read(name, "it is cut short");
  std::memcpy(&block.header, bytes.data(), head);
  const bool is_short = may_be_short && block.header.size > head && block.header.size < TREADLE_BLOCK;
  if (block.header.magic != TREADLE_BLOCK_MAGIC || (block.header.size != TREADLE_BLOCK && !is_short) ||
      block.header.used > TREADLE_BLOCK - head)
    return cannot_read(name, "a block is damaged");
  if (bytes.size() < block.header.size) return cannot_read(name, "it is cut short");
  block.payload = bytes.substr(head, block.header.size - head);
  if (!is_short) return block;
  block.lengthened.resize(block.header.used);
  if (!treadle_lengthen(reinterpret_cast<const std::uint8_t*>(block.payload.data()), block.payload.size(),
                        reinterpret_cast<std::uint8_t*>(block.lengthened.data()), block.lengthened.size()))
    return cannot_read(name, "a block is damaged");
  return block;
}

/// How far it is to the next block; all that is left when that is not known.
std::size_t size_of(std::string_view bytes) {
  std::uint32_t size = 0;
  if (bytes.size() >= sizeof(TreadleBlockHeader)) std::memcpy(&size, bytes.data() + offsetof(TreadleBlockHeader, size), sizeof size);
  return size <= sizeof(TreadleBlockHeader) || size > bytes.size() ? bytes.size() : size;
}

/// The program was killed while it copied the window: what there is of the copy may be less than its index.
bool is_copy_of(const Block& window, std::string_view bytes, const std::map<std::uint32_t, Block>& copies) {
  if (window.header.used == 0 || !is_whole(window)) return false;
  std::uint32_t index = copies.empty() ? 0 : copies.rbegin()->first + 1;
  if (bytes.size() >= 8) std::memcpy(&index, bytes.data() + offsetof(TreadleBlockHeader, index), sizeof index);
  return index == window.header.index;
}

/// The copies, by index. One that was being made when the program was killed is still in the window, and left out.
Result<std::map<std::uint32_t, Block>> copies_in(std::string_view bytes, const Block& window, const std::string& name) {
  std::map<std::uint32_t, Block> copies;
  for (; !bytes.empty(); bytes.remove_prefix(size_of(bytes))) {
    auto block = block_at(bytes, name, /*may_be_short=*/true);
    if (!block || !is_whole(*block)) {
      if (is_copy_of(window, bytes, copies)) continue;
      return block ? cannot_read(name, "the contents of block " + std::to_string(block->header.index) + " are damaged") : block.problem();
    }
    const std::uint32_t index = block->header.index;
    if (index > window.header.index || !copies.try_emplace(index, std::move(*block)).second)
      return cannot_read(name, "block " + std::to_string(index) + " is out of place");
  }
  return copies;
}

}  // namespace

Result<ThreadFile> decode_thread(std::string_view bytes, const std::string& name) {
  ThreadFile file;
  if (bytes.size() < TREADLE_PAGE) return cannot_read(name, "it is cut short");
  std::memcpy(&file.header, bytes.data(), sizeof file.header);
  if (file.header.magic != TREADLE_THREAD_MAGIC) return cannot_read(name, "it is not the stream of a thread");
  if (file.header.version != TREADLE_RECORDING_VERSION)
    return cannot_read(name, "it is of format " + std::to_string(file.header.version) + ", which this Treadle does not read");
  if (file.header.state < TREADLE_STREAM_OPEN || file.header.state > TREADLE_STREAM_CUT) return cannot_read(name, "it is damaged");
  if (file.header.state == TREADLE_STREAM_CUT)
    file.trouble = file.header.error == EINTR ? "a signal handler never came back" : std::strerror(file.header.error);

  const auto window = block_at(bytes.substr(TREADLE_PAGE), name, /*may_be_short=*/false);
  if (!window) return window.problem();
  auto copies = copies_in(bytes.substr(TREADLE_PAGE + TREADLE_BLOCK), *window, name);
  if (!copies) return copies.problem();
  if (window->header.used != 0 && !is_whole(*window)) return cannot_read(name, "the contents of its last block are damaged");
  copies->try_emplace(window->header.index, *window);

  std::uint32_t expected = copies->begin()->first;
  file.begins_in_the_middle = expected != 0;
  for (const auto& [index, block] : *copies) {
    if (index != expected++) return cannot_read(name, "block " + std::to_string(expected - 1) + " is missing");
    if (file.begins_in_the_middle) file.resumes.push_back({file.bytes.size(), block.header.resume});
    // A sealed block may be empty too: then nothing is lost by reading it as an open one.
    file.bytes += block.header.used != 0 ? block.contents().substr(0, block.header.used) : written(block.contents());
  }
  return file;
}

}  // namespace treadle
