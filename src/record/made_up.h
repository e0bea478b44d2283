// SPDX-License-Identifier: Apache-2.0
// Parts of recordings that no run has made, for tests.
#pragma once

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "abi/paths.h"
#include "base/bytes.h"

namespace treadle {

struct MadeUpNode {
  std::uint64_t block, flags, width;
  std::vector<std::vector<std::uint64_t>> outs;
};

struct MadeUpFunction {
  std::string name;
  bool is_local;
  std::uint64_t blocks;
  std::vector<MadeUpNode> nodes;
};

inline std::string made_up_piece(const std::vector<MadeUpFunction>& functions) {
  ByteWriter out;
  out.text("made_up.c");
  out.varint(functions.size());
  for (const MadeUpFunction& function : functions) {
    out.text(function.name);
    out.varint(function.is_local ? TREADLE_FUNCTION_LOCAL : 0);
    out.varint(function.blocks);
    for (std::uint64_t i = 0; i < function.blocks; ++i) out.varint(10 + i);
    out.varint(function.nodes.size());
    for (const MadeUpNode& node : function.nodes) {
      for (std::uint64_t value : {node.block, node.flags, node.width}) out.varint(value);
      if (node.flags & TREADLE_NODE_COUNTED) out.varint(0);
      out.varint(node.outs.size());
      for (const auto& parts : node.outs)
        for (std::uint64_t value : parts) out.varint(value);
    }
  }
  const TreadlePathsHeader header{TREADLE_PATHS_MAGIC, TREADLE_PATHS_VERSION, sizeof header + out.bytes().size(),
                                  treadle_bytes_hash(out.bytes().data(), out.bytes().size())};
  return std::string(reinterpret_cast<const char*>(&header), sizeof header) + out.bytes();
}

inline std::uint64_t hash_of_piece(const std::string& piece) {
  TreadlePathsHeader header;
  std::memcpy(&header, piece.data(), sizeof header);
  return header.hash;
}

/// main: block 0 calls something foreign; behind it, block 1 or 2; both return.
inline std::string made_up_tables() {
  return made_up_piece({{"main",
                         false,
                         3,
                         {{0, TREADLE_NODE_BEGINS, 1, {{TREADLE_OUT_CALL, TREADLE_CALL_UNKNOWN, 0, 2, 0}}},
                          {0, 0, 1, {{TREADLE_OUT_EDGE, 2}, {TREADLE_OUT_EDGE, 3}}},
                          {1, TREADLE_NODE_BEGINS, 1, {{TREADLE_OUT_RETURN}}},
                          {2, TREADLE_NODE_BEGINS, 1, {{TREADLE_OUT_RETURN}}}}}});
}

inline std::string made_up_status(std::uint32_t threads) {
  TreadleStatus status{};
  status.magic = TREADLE_STATUS_MAGIC;
  status.version = TREADLE_RECORDING_VERSION;
  status.end = TREADLE_RUN_EXITED;
  status.threads = threads;
  std::string page(TREADLE_PAGE, '\0');
  std::memcpy(page.data(), &status, sizeof status);
  return page;
}

struct MadeUpThread {
  std::uint32_t number, parent, nth;
};

/// Blocks: their contents, and whether they are sealed. The last one is in the window.
inline std::string made_up_thread(MadeUpThread thread, const std::vector<std::pair<std::string, bool>>& blocks, std::uint32_t first = 0) {
  TreadleThreadHeader header{};
  header.magic = TREADLE_THREAD_MAGIC;
  header.version = TREADLE_RECORDING_VERSION;
  header.state = TREADLE_STREAM_OPEN;
  header.number = thread.number;
  header.parent = thread.parent;
  header.nth = thread.nth;
  std::string bytes(TREADLE_PAGE, '\0'), copies, last;
  std::memcpy(bytes.data(), &header, sizeof header);
  std::uint32_t index = first;
  for (const auto& [contents, is_sealed] : blocks) {
    TreadleBlockHeader block{TREADLE_BLOCK_MAGIC, index++, TREADLE_BLOCK, 0, 0, 0, 0};
    if (is_sealed) {
      block.used = static_cast<std::uint32_t>(contents.size());
      block.hash = treadle_block_hash(contents.data(), contents.size());
    }
    copies += last;
    last.assign(TREADLE_BLOCK, '\0');
    std::memcpy(last.data(), &block, sizeof block);
    std::memcpy(last.data() + sizeof block, contents.data(), contents.size());
  }
  return bytes + last + copies;
}

inline std::string mark_bytes(std::uint64_t mark) { return {reinterpret_cast<const char*>(&mark), sizeof mark}; }

}  // namespace treadle
