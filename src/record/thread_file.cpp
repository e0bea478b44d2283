// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <map>

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
};

bool is_whole(const Block& block) { return treadle_block_hash(block.payload.data(), block.header.used) == block.header.hash; }

Result<Block> block_at(std::string_view bytes, const std::string& name) {
  Block block;
  if (bytes.size() < sizeof block.header) return cannot_read(name, "it is cut short");
  std::memcpy(&block.header, bytes.data(), sizeof block.header);
  if (block.header.magic != TREADLE_BLOCK_MAGIC || block.header.size != TREADLE_BLOCK ||
      block.header.used > TREADLE_BLOCK - sizeof block.header)
    return cannot_read(name, "a block is damaged");
  if (bytes.size() < TREADLE_BLOCK) return cannot_read(name, "it is cut short");
  block.payload = bytes.substr(sizeof block.header, TREADLE_BLOCK - sizeof block.header);
  return block;
}

/// The copies, by index. One that was being made when the program was killed is still in the window, and left out.
Result<std::map<std::uint32_t, Block>> copies_in(std::string_view bytes, const Block& window, const std::string& name) {
  std::map<std::uint32_t, Block> copies;
  const bool is_sealed = window.header.used != 0 && is_whole(window);
  for (; !bytes.empty(); bytes.remove_prefix(std::min<std::size_t>(TREADLE_BLOCK, bytes.size()))) {
    std::uint32_t index = 0;
    if (bytes.size() >= 8) std::memcpy(&index, bytes.data() + offsetof(TreadleBlockHeader, index), sizeof index);
    const auto block = block_at(bytes, name);
    if (!block || !is_whole(*block)) {
      if (is_sealed && (index == window.header.index || bytes.size() < TREADLE_BLOCK)) continue;
      return block ? cannot_read(name, "the contents of block " + std::to_string(index) + " are damaged") : block.problem();
    }
    if (block->header.index > window.header.index || !copies.try_emplace(block->header.index, *block).second)
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

  const auto window = block_at(bytes.substr(TREADLE_PAGE), name);
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
    file.bytes += block.header.used != 0 ? block.payload.substr(0, block.header.used) : written(block.payload);
  }
  return file;
}

}  // namespace treadle
