// SPDX-License-Identifier: Apache-2.0
#include "record/tables.h"

#include <algorithm>
#include <cstring>

#include "base/bytes.h"

namespace treadle {
namespace {

Problem damaged(const std::string& why) {
  return {"the tables of paths make no sense: " + why, "build the program again with `treadle cc --record`, and record again"};
}

PathOut read_out(ByteReader& in, std::size_t nodes, std::size_t functions, std::uint32_t first_function) {
  PathOut out;
  out.kind = static_cast<TreadleOutKind>(in.up_to(TREADLE_OUT_KINDS - 1));
  if (out.kind == TREADLE_OUT_EDGE || out.kind == TREADLE_OUT_CUT || out.kind == TREADLE_OUT_AGAIN)
    out.target = static_cast<std::uint32_t>(in.up_to(nodes - 1));
  if (out.kind != TREADLE_OUT_CALL) return out;
  out.how = static_cast<TreadleCallHow>(in.up_to(TREADLE_CALL_HOWS - 1));
  out.callee = first_function + static_cast<std::uint32_t>(in.up_to(functions - 1));
  const std::uint64_t behind = in.up_to(nodes);
  if (behind == 0) in.fail();
  out.target = static_cast<std::uint32_t>(behind - 1);
  out.landing = static_cast<std::int64_t>(in.up_to(nodes)) - 1;
  return out;
}

PathFunction read_function(ByteReader& in, const std::string& source, std::size_t functions, std::uint32_t first_function) {
  PathFunction function;
  function.source = source;
  function.name = in.text();
  function.is_local = in.up_to(TREADLE_FUNCTION_LOCAL) != 0;
  function.lines.resize(in.count(1));
  for (std::uint32_t& line : function.lines) line = static_cast<std::uint32_t>(in.up_to(UINT32_MAX));
  const std::size_t nodes = in.count(4);
  if (nodes == 0 || function.lines.empty()) in.fail();
  for (std::size_t i = 0; i < nodes && in.ok(); ++i) {
    PathNode node;
    node.block = static_cast<std::uint32_t>(in.up_to(function.lines.size() - 1));
    node.flags = static_cast<std::uint32_t>(in.up_to(TREADLE_NODE_FLAGS));
    node.width = static_cast<std::uint32_t>(in.up_to(2));
    if (node.flags & TREADLE_NODE_COUNTED) node.way = in.up_to(UINT32_MAX);
    const std::size_t outs = in.count(1);
    for (std::size_t j = 0; j < outs && in.ok(); ++j) node.outs.push_back(read_out(in, nodes, functions, first_function));
    if (node.outs.empty() ||
        (node.outs.size() > 1 && std::ranges::any_of(node.outs, [](const PathOut& out) { return out.kind > TREADLE_OUT_AGAIN; })))
      in.fail();
    function.nodes.push_back(std::move(node));
  }
  return function;
}

void count_at(const PathFunction& function, PathNode& node) {
  node.paths = node.ways = 0;
  for (const PathOut& out : node.outs) {
    node.paths += out.kind == TREADLE_OUT_EDGE ? function.nodes[out.target].paths : out.kind == TREADLE_OUT_AGAIN ? 0 : 1;
    node.ways += function.ways_on(out);
  }
  node.paths = std::min<std::uint64_t>(node.paths, UINT32_MAX);
  node.ways = std::min<std::uint64_t>(node.ways, UINT32_MAX);
}

/// Counts paths and ways through packed loops, targets of edges first. False when edges run in a circle.
bool count_paths(PathFunction& function) {
  enum : char { New, Open, Done };
  std::vector<char> state(function.nodes.size(), New);
  std::vector<std::pair<std::uint32_t, std::size_t>> stack;
  for (std::uint32_t root = 0; root < function.nodes.size(); ++root) {
    if (state[root] == New) stack.emplace_back(root, 0), state[root] = Open;
    while (!stack.empty()) {
      auto& [number, next] = stack.back();
      PathNode& node = function.nodes[number];
      if (next == node.outs.size()) {
        count_at(function, node);
        state[number] = Done;
        stack.pop_back();
        continue;
      }
      const PathOut& out = node.outs[next++];
      if (out.kind != TREADLE_OUT_EDGE || state[out.target] == Done) continue;
      if (state[out.target] == Open) return false;
      state[out.target] = Open;
      stack.emplace_back(out.target, 0);
    }
  }
  return true;
}

bool is_sound(const PathFunction& function) {
  return std::ranges::all_of(function.nodes, [&](const PathNode& node) {
    const std::uint32_t loop = node.flags & TREADLE_NODE_LOOP;
    if (loop == TREADLE_NODE_LOOP || (loop != 0 && node.width == 0)) return false;
    return std::ranges::all_of(node.outs, [&](const PathOut& out) {
      return out.kind != TREADLE_OUT_AGAIN || (function.nodes[out.target].flags & TREADLE_NODE_LOOP) != 0;
    });
  });
}

bool read_loop(PathFunction& function, std::uint32_t number) {
  PathNode& node = function.nodes[number];
  if (node.flags & TREADLE_NODE_COUNTED) return function.add_way(number, node.way, node.iteration);
  return (node.flags & TREADLE_NODE_PACKED) == 0 || (node.ways >= 2 && node.ways <= TREADLE_MOST_WAYS);
}

}  // namespace

bool PathFunction::add_way(std::uint32_t header, std::uint64_t way, std::vector<std::uint32_t>& blocks) const {
  for (std::uint32_t at = header;;) {
    const PathNode& node = nodes[at];
    if (node.flags & TREADLE_NODE_BEGINS) blocks.push_back(node.block);
    const PathOut* taken = nullptr;
    for (const PathOut& out : node.outs) {
      const std::uint64_t ways = ways_on(out);
      if (way < ways) {
        taken = &out;
        break;
      }
      way -= ways;
    }
    if (taken == nullptr) return false;
    if (taken->kind == TREADLE_OUT_AGAIN) return taken->target == header;
    at = taken->target;
  }
}

Result<PathTables> PathTables::read(std::string_view bytes) {
  PathTables tables;
  while (!bytes.empty()) {
    if (bytes.front() == 0) {  // between pieces
      bytes.remove_prefix(1);
      continue;
    }
    TreadlePathsHeader header;
    if (bytes.size() < sizeof header) return damaged("they are cut short");
    std::memcpy(&header, bytes.data(), sizeof header);
    if (header.magic != TREADLE_PATHS_MAGIC) return damaged("something else is in their place");
    if (header.version != TREADLE_PATHS_VERSION)
      return Problem{"the program was built by another version of Treadle (paths " + std::to_string(header.version) + ", this one reads " +
                         std::to_string(TREADLE_PATHS_VERSION) + ")",
                     "build it again with `treadle cc --record`"};
    if (header.bytes < sizeof header || header.bytes > bytes.size()) return damaged("they are cut short");
    const std::string_view piece = bytes.substr(sizeof header, header.bytes - sizeof header);
    bytes.remove_prefix(header.bytes);
    if (treadle_bytes_hash(piece.data(), piece.size()) != header.hash) return damaged("they are damaged");

    ByteReader in(piece);
    const std::string source(in.text());
    const std::size_t functions = in.count(1);
    const auto first = static_cast<std::uint32_t>(tables.functions_.size());
    for (std::uint32_t i = 0; i < functions && in.ok(); ++i) {
      PathFunction function = read_function(in, source, functions, first);
      if (!in.ok() || !is_sound(function) || !count_paths(function)) return damaged("a function's graph is impossible");
      for (std::uint32_t node = 0; node < function.nodes.size(); ++node) {
        if (!read_loop(function, node)) return damaged("a loop never comes back, or in too many ways");
        const bool marks = node == 0 ? !function.is_local : (function.nodes[node].flags & TREADLE_NODE_LANDING) != 0;
        if (marks) tables.marks_.try_emplace(treadle_mark(header.hash, i, node), Place{first + i, node});
      }
      function.piece = header.hash;
      function.number = i;
      tables.functions_.push_back(std::move(function));
    }
    if (!in.ok() || !in.at_end()) return damaged("they end in the wrong place");
  }
  return tables;
}

const PathTables::Place* PathTables::find(std::uint64_t mark) const {
  const auto found = marks_.find(mark);
  return found == marks_.end() ? nullptr : &found->second;
}

const PathTables::Resume* PathTables::find_resume(std::uint64_t mark) const {
  if (resumes_.empty())
    for (std::uint32_t f = 0; f < functions_.size(); ++f) {
      const PathFunction& function = functions_[f];
      for (std::uint32_t n = 0; n < function.nodes.size(); ++n) {
        const PathNode& node = function.nodes[n];
        for (std::uint32_t o = 0; o < node.outs.size(); ++o)
          if (node.outs[o].kind != TREADLE_OUT_EDGE && node.outs[o].kind != TREADLE_OUT_AGAIN)
            resumes_.try_emplace(treadle_resume_mark(function.piece, function.number, n, o), Resume{f, n, o});
        if (node.flags & TREADLE_NODE_PACKED)
          resumes_.try_emplace(treadle_resume_mark(function.piece, function.number, n, TREADLE_RESUME_LOOP),
                               Resume{f, n, TREADLE_RESUME_LOOP});
      }
    }
  const auto found = resumes_.find(mark);
  return found == resumes_.end() ? nullptr : &found->second;
}

}  // namespace treadle
