// SPDX-License-Identifier: Apache-2.0
#include "reproduce/ways.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>

#include "record/decode.h"
#include "reproduce/tail.h"
#include "trace/schedule.h"

namespace treadle {
namespace {

constexpr std::size_t most_blocks = 50'000'000;  // of one thread

/// Functions of one compiled file, as numbers of a table.
using Piece = std::vector<std::uint32_t>;

std::map<std::uint64_t, Piece> pieces_of(const PathTables& tables) {
  std::map<std::uint64_t, Piece> pieces;
  for (std::uint32_t i = 0; i < tables.functions().size(); ++i) pieces[tables.functions()[i].piece].push_back(i);
  for (auto& [hash, piece] : pieces) std::ranges::sort(piece, {}, [&](std::uint32_t i) { return tables.functions()[i].number; });
  return pieces;
}

bool is_same(const PathOut& a, const PathOut& b) {
  return a.kind == b.kind && a.target == b.target && a.landing == b.landing && a.how == b.how;
}

bool is_same(const PathNode& a, const PathNode& b) {
  return a.block == b.block && a.flags == b.flags && a.width == b.width && a.paths == b.paths &&
         std::ranges::equal(a.outs, b.outs, [](const PathOut& x, const PathOut& y) { return is_same(x, y); });
}

/// The file may have been compiled from elsewhere; what is in it may not differ.
bool is_same(const PathFunction& a, const PathFunction& b) {
  namespace fs = std::filesystem;
  return a.name == b.name && a.number == b.number && a.is_local == b.is_local && a.lines == b.lines &&
         fs::path(a.source).filename() == fs::path(b.source).filename() &&
         std::ranges::equal(a.nodes, b.nodes, [](const PathNode& x, const PathNode& y) { return is_same(x, y); });
}

/// For each function of the recording, the same one of the program.
Result<std::vector<std::uint32_t>> translate(const PathTables& recorded, const PathTables& program) {
  const auto theirs = pieces_of(program);
  std::vector<std::uint32_t> same(recorded.functions().size());
  for (const auto& [hash, piece] : pieces_of(recorded)) {
    auto is_it = [&](const Piece& other) {
      return std::ranges::equal(piece, other,
                                [&](std::uint32_t a, std::uint32_t b) { return is_same(recorded.functions()[a], program.functions()[b]); });
    };
    auto found = theirs.find(hash);
    if (found == theirs.end()) found = std::ranges::find_if(theirs, [&](const auto& entry) { return is_it(entry.second); });
    if (found == theirs.end())
      return Problem{fmt::format("the recording is of another program: its {} is not the one in this build",
                                 recorded.functions()[piece.front()].source),
                     "build the very same sources with the same flags, with --follow in the place of --record"};
    for (std::size_t i = 0; i < piece.size(); ++i) same[piece[i]] = found->second[i];
  }
  return same;
}

class Collector final : public PathVisitor {
 public:
  Collector(const PathTables& program, const std::vector<std::uint32_t>& same, Way& way) : program_(program), same_(same), way_(way) {}

  void blocks(std::uint32_t function, std::span<const std::uint32_t> list, std::uint64_t times) override {
    for (std::uint64_t i = 0; i < times && !list.empty() && !is_full; ++i) {
      for (const std::uint32_t block : list) way_.blocks.push_back(mark(function, block));
      is_full = way_.blocks.size() > most_blocks;
    }
  }
  void goes_on(std::uint32_t function, std::uint32_t node) override { way_.blocks.push_back(mark(function, TREADLE_RETURNS_AT | node)); }
  void value(TreadleValueKind kind, std::uint64_t value) override {
    if (kind == TREADLE_VALUE_INPUT) way_.inputs.push_back(value);
  }

  std::uint64_t mark(std::uint32_t function, std::uint32_t block) const {
    const PathFunction& there = program_.functions()[same_[function]];
    return treadle_mark(there.piece, there.number, block);
  }

  bool is_full = false;

 private:
  const PathTables& program_;
  const std::vector<std::uint32_t>& same_;
  Way& way_;
};

/// Behind the last thing that is known: what may come then, first of all the return of the call that it was in.
void add_tail(const PathTables& recorded, const Tail& tail, const Collector& collector, Way& way) {
  const Tail::Frame& last = tail.frames.back();
  if (last.in_call) {
    way.flags |= TREADLE_FOLLOW_IN_CALL;
    const PathFunction& function = recorded.functions()[last.function];
    const std::uint32_t node = function.nodes[last.node].outs.front().target;
    const bool begins = (function.nodes[node].flags & TREADLE_NODE_BEGINS) != 0;  // behind an invoke
    way.tail.push_back(collector.mark(last.function, begins ? function.nodes[node].block : TREADLE_RETURNS_AT | node));
  }
  for (const BlockId& block : blocks_behind(recorded, tail)) way.tail.push_back(collector.mark(block.function, block.block));
}

Problem too_long(const std::string& thread) {
  return {fmt::format("thread {} ran through more than {} blocks, which is too many to follow", thread, most_blocks), ""};
}

/// A thread's stream, and the blocks that a processor saw it in when its stream has none.
struct Told {
  const ThreadStream& thread;
  const PtFlow* processor = nullptr;
};

/// The processor has seen the thread up to the moment at which it stood still, or the run ended: it may do what comes before the next mark.
Result<Done> add_seen(const Told& told, const Collector& collector, Way& way) {
  const auto seen = told.processor->threads.find(static_cast<std::uint32_t>(told.thread.tid));
  if (seen != told.processor->threads.end()) {
    if (seen->second.size() > most_blocks) return too_long(way.thread);
    for (const BlockId& block : seen->second) way.blocks.push_back(collector.mark(block.function, block.block));
  }
  if (!told.processor->losses.empty())
    way.flags |= TREADLE_FOLLOW_CUT;
  else if (told.thread.state == TREADLE_STREAM_ENDED)
    way.flags |= TREADLE_FOLLOW_ENDS;
  else
    way.flags |= TREADLE_FOLLOW_IN_CALL;
  return Done{};
}

Result<Way> way_of(const Told& told, const PathTables& recorded, const PathTables& program, const std::vector<std::uint32_t>& same) {
  const ThreadStream& thread = told.thread;
  Way way;
  way.thread = thread.name;
  Collector collector(program, same, way);
  const bool has_ended = thread.state == TREADLE_STREAM_ENDED;
  auto tail = decode_stream(recorded, thread.bytes, has_ended, collector);
  if (!tail) return tail.problem();
  if (told.processor != nullptr) {
    if (auto added = add_seen(told, collector, way); !added) return added.problem();
    return way;
  }
  if (collector.is_full) return too_long(thread.name);
  if (has_ended)
    way.flags |= TREADLE_FOLLOW_ENDS;
  else if (!thread.trouble.empty())
    way.flags |= TREADLE_FOLLOW_CUT;
  else if (!tail->frames.empty())
    add_tail(recorded, *tail, collector, way);
  return way;
}

/// Why a thread is not led at all.
std::optional<std::string> why_free(const ThreadStream& thread) {
  if (!thread_hash(thread.name)) return fmt::format("nobody was seen to create thread {}: it is not led along its record", thread.name);
  if (thread.begins_in_the_middle)
    return fmt::format("of thread {} only the last seconds were kept: what it did before is not known, and it is not led along its record",
                       thread.name);
  return std::nullopt;
}

template <class T>
void append(std::string& out, const T& value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

}  // namespace

std::uint64_t Ways::blocks() const {
  std::uint64_t all = 0;
  for (const Way& way : threads) all += way.blocks.size();
  return all;
}

bool Ways::leads(const std::string& thread) const { return std::ranges::find(threads, thread, &Way::thread) != threads.end(); }

Result<Ways> ways_of(const RecordedRun& recording, const PathTables& program, const PtFlow* processor) {
  const auto same = translate(recording.tables, program);
  if (!same) return same.problem();
  Ways ways;
  const bool by_processor = has_no_paths(recording);
  if (by_processor && processor == nullptr)
    return Problem{"the recording tells of no paths: the program was built with --record=pt, which leaves that to the processor",
                   "record it with `treadle record --pt` (or --emulate-pt), or build it with --record"};
  if (by_processor && !processor->losses.empty())
    ways.notes.push_back("threads are led only as far as the processor's trace is whole: " + processor->losses.front());
  for (const std::string& library : recording.foreign)
    ways.notes.push_back(library + " was not built with Treadle: nobody is led along what it did");
  for (std::uint32_t number = 0; number < recording.status.threads; ++number)
    if (std::ranges::find(recording.threads, number, &ThreadStream::number) == recording.threads.end())
      ways.notes.push_back(fmt::format("nothing is known about thread number {}: it is left to itself", number));
  for (const ThreadStream& thread : recording.threads) {
    if (auto why = why_free(thread)) {
      ways.notes.push_back(std::move(*why));
      continue;
    }
    auto way = way_of({thread, by_processor ? processor : nullptr}, recording.tables, program, *same);
    if (!way) return way.problem();
    if (!thread.trouble.empty() && (way->flags & TREADLE_FOLLOW_CUT) != 0)
      ways.notes.push_back(fmt::format("thread {} is led along its record only as far as that goes: {}", thread.name, thread.trouble));
    ways.threads.push_back(std::move(*way));
  }
  return ways;
}

std::string encode(const Ways& ways, const HowToFollow& how) {
  std::uint64_t words = 0;
  auto place = [&](const std::vector<std::uint64_t>& list) { return std::exchange(words, words + list.size()); };
  std::string threads;
  for (const Way& way : ways.threads) {
    TreadleFollowThread out{};
    out.thread = thread_hash(way.thread).value_or(0);
    out.first_block = place(way.blocks);
    out.blocks = way.blocks.size();
    out.first_tail = place(way.tail);
    out.tail = way.tail.size();
    out.first_value = place(way.inputs);
    out.values = way.inputs.size();
    out.first_gate = words;
    out.gates = how.gates ? way.gates.size() : 0;
    words += 3 * out.gates;
    out.flags = way.flags | (how.tells ? TREADLE_FOLLOW_TELLS : 0u);
    append(threads, out);
  }
  std::string all;
  append(all, TreadleFollowHeader{TREADLE_FOLLOW_MAGIC, TREADLE_FOLLOW_VERSION, static_cast<std::uint32_t>(ways.threads.size()), words});
  all += threads;
  for (const Way& way : ways.threads) {
    for (const auto* list : {&way.blocks, &way.tail, &way.inputs})
      all.append(reinterpret_cast<const char*>(list->data()), list->size() * 8);
    if (!how.gates) continue;
    for (const Gate& gate : way.gates)
      for (const std::uint64_t word : {gate.position, static_cast<std::uint64_t>(gate.way), gate.other}) append(all, word);
  }
  return all;
}

}  // namespace treadle
