// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <cstring>

#include "record/recording.h"

namespace treadle {
namespace {

Problem cannot_read(const std::string& name, const std::string& why) { return {"cannot read " + name + ": " + why, ""}; }

/// An open block ends with its last byte that is not zero.
std::string_view written(std::string_view payload) {
  const std::size_t last = payload.find_last_not_of('\0');
  return payload.substr(0, last == std::string_view::npos ? 0 : last + 1);
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
  bytes.remove_prefix(TREADLE_PAGE);

  if (file.header.state == TREADLE_STREAM_CUT)
    file.trouble = file.header.error == EINTR ? "a signal handler never came back" : std::strerror(file.header.error);
  for (std::uint32_t index = 0; !bytes.empty(); ++index) {
    TreadleBlockHeader block;
    if (bytes.size() < sizeof block) return cannot_read(name, "it is cut short");
    std::memcpy(&block, bytes.data(), sizeof block);
    if (block.magic == 0 && bytes.find_first_not_of('\0') == std::string_view::npos) break;  // claimed, and killed right then
    if (block.magic != TREADLE_BLOCK_MAGIC || block.index != index || block.size < sizeof block || block.used > block.size - sizeof block)
      return cannot_read(name, "block " + std::to_string(index) + " is damaged");
    if (block.size > bytes.size()) return cannot_read(name, "it is cut short");
    const std::string_view payload = bytes.substr(sizeof block, block.size - sizeof block);
    bytes.remove_prefix(block.size);
    if (block.used == 0) {
      // A sealed block may be empty too: then nothing is lost by reading it as an open one.
      file.bytes += written(payload);
      if (!bytes.empty() && bytes.find_first_not_of('\0') != std::string_view::npos)
        return cannot_read(name, "block " + std::to_string(index) + " was never finished, but others follow");
      break;
    }
    if (treadle_block_hash(payload.data(), block.used) != block.hash)
      return cannot_read(name, "the contents of block " + std::to_string(index) + " are damaged");
    file.bytes += payload.substr(0, block.used);
  }
  return file;
}

}  // namespace treadle
