// SPDX-License-Identifier: Apache-2.0
#include "record/decode.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace treadle {
namespace {

/// Steps without a record that any program should get by with: more means that the tables run in a circle.
constexpr std::uint64_t most_silent_steps = 10'000'000;
constexpr std::size_t deepest = 10'000'000;

Problem unfit(std::size_t at, const std::string& why) {
  return {"the recording does not fit the program at byte " + std::to_string(at) + " of a thread's stream: " + why,
          "was the program built again since, or is the recording damaged?"};
}

class Decoder {
 public:
  Decoder(const PathTables& tables, std::string_view stream, bool has_ended, PathVisitor& visitor, std::span<const StreamResume> resumes)
      : tables_(tables), stream_(stream), has_ended_(has_ended), visitor_(visitor), resumes_(resumes), lost_(!resumes.empty()) {}

  Result<Tail> run() {
    while (!problem_ && !ended_) step();
    if (problem_) return *problem_;
    return tail();
  }

 private:
  enum class At { Start, Call, Raised };
  struct Frame {
    std::uint32_t function, node;
    At at;
    bool counted = false;  // the count of the loop that starts here has been read
  };

  const PathFunction& function_of(const Frame& frame) const { return tables_.functions()[frame.function]; }
  const PathNode& node_of(const Frame& frame) const { return function_of(frame).nodes[frame.node]; }

  void fail(const std::string& why) {
    if (!problem_) problem_ = unfit(position_, why);
  }

  /// The first byte of the next record; nothing at the end.
  std::optional<std::uint8_t> peek() const {
    if (position_ >= stream_.size() || stream_[position_] == 0) return std::nullopt;
    return static_cast<std::uint8_t>(stream_[position_]);
  }

  /// Bytes that are missing were zero: an open block ends with its last byte that is not.
  std::uint64_t word(std::size_t offset, std::size_t size) const {
    std::uint64_t value = 0;
    const std::size_t at = position_ + offset;
    if (at < stream_.size()) std::memcpy(&value, stream_.data() + at, std::min(size, stream_.size() - at));
    return value;
  }

  void advance(std::size_t bytes) {
    position_ += bytes;
    silent_ = 0;
  }

  void push(std::uint32_t function) {
    if (frames_.size() >= deepest) return fail("calls are nested too deeply");
    frames_.push_back({function, 0, At::Start});
    visitor_.enter(function);
  }

  void step() {
    if (++silent_ > most_silent_steps) return fail("nothing is recorded for too long");
    if (lost_) return step_lost();
    if (frames_.empty()) return step_outside();
    switch (frames_.back().at) {
      case At::Start:
        return step_start();
      case At::Call:
        return step_call();
      case At::Raised:
        return step_raised();
    }
  }

  /// True when a mark was there and has been dealt with.
  bool take_mark() {
    const auto first = peek();
    if (!first || *first != TREADLE_MARK_BYTE) return false;
    const std::uint64_t mark = word(0, 8);
    if (TREADLE_IS_VALUE(mark)) {
      const std::uint64_t kind = TREADLE_VALUE_KIND(mark);
      if (kind == 0 || kind >= TREADLE_VALUE_KINDS) return fail("a value of an unknown kind"), true;
      const std::uint64_t value = word(8, 8);
      advance(16);
      visitor_.value(static_cast<TreadleValueKind>(kind), value);
      return true;
    }
    const PathTables::Place* place = tables_.find(mark);
    if (place == nullptr) {
      if (position_ + 8 > stream_.size())  // written in part only, when the process was killed
        ended_ = true;
      else
        fail("an unknown function is entered");
      return true;
    }
    advance(8);
    if (place->node == 0)
      push(place->function);
    else
      land(*place);
    return true;
  }

  /// The innermost frame that waits for a call with this landing pad, or behind this call that returns twice.
  void land(const PathTables::Place& place) {
    std::vector<std::uint32_t> gone;
    while (!frames_.empty()) {
      Frame& frame = frames_.back();
      if (frame.function == place.function && lands_at(frame, place.node)) {
        if (!gone.empty()) visitor_.unwound(gone);
        frame = {place.function, place.node, At::Start};
        return;
      }
      gone.push_back(frame.function);
      frames_.pop_back();
    }
    if (resumes_.empty()) return fail("something is caught that nobody was waiting for");
    visitor_.gap();
    visitor_.enter(place.function);
    frames_.push_back({place.function, place.node, At::Start});
  }

  bool lands_at(const Frame& frame, std::uint32_t node) const {
    const PathFunction& function = function_of(frame);
    if (frame.at == At::Call) {
      const PathOut& out = node_of(frame).outs.front();
      if (out.landing == node || out.target == node) return true;
    }
    // longjmp: to any place of a function that has not returned, which is no landing pad
    return std::ranges::none_of(function.nodes, [&](const PathNode& other) { return other.outs.front().landing == node; });
  }

  void step_outside() {
    if (take_mark()) return;
    if (!peek()) return void(ended_ = true);
    if (resumes_.empty()) return fail("no function is entered");
    lost_ = true;
  }

  /// To the next place that says by itself where it is.
  void step_lost() {
    visitor_.gap();
    frames_.clear();
    lost_ = false;
    for (; peek(); ++position_) {
      while (next_resume_ < resumes_.size() && resumes_[next_resume_].offset < position_) ++next_resume_;
      if (next_resume_ < resumes_.size() && resumes_[next_resume_].offset == position_ && resume_at(resumes_[next_resume_].mark)) return;
      if (*peek() == TREADLE_MARK_BYTE && (tables_.find(word(0, 8)) != nullptr || TREADLE_IS_VALUE(word(0, 8)))) return;
    }
    ended_ = true;
  }

  /// The record that stands here belongs to a path whose beginning is not known: behind it everything is.
  bool resume_at(std::uint64_t mark) {
    const PathTables::Resume* place = mark == 0 ? nullptr : tables_.find_resume(mark);
    if (place == nullptr || tables_.functions()[place->function].nodes[place->node].width == 0) return false;
    visitor_.enter(place->function);
    frames_.push_back({place->function, place->node, At::Start});
    const PathNode& node = node_of(frames_.back());
    if (place->out == TREADLE_RESUME_LOOP) return true;  // from the header on everything can be read
    advance(node.width);
    arrive(place->node, node.outs[place->out]);
    return true;
  }

  void step_start() {
    Frame& frame = frames_.back();
    const PathNode& node = node_of(frame);
    const bool is_loop = (node.flags & TREADLE_NODE_LOOP) != 0 && !frame.counted;
    if (node.width > 0) {
      if (take_mark()) return;
      if (!peek()) return void(ended_ = true);
    } else if (!peek() && !has_ended_) {
      return void(ended_ = true);
    }
    if (is_loop && word(0, 1) > TREADLE_LOOP_BYTE) {
      const std::size_t bytes = word(0, 1) - TREADLE_LOOP_BYTE;
      if (bytes > sizeof(std::uint64_t)) return fail("a loop leaves something else");
      const std::uint64_t done = word(1, bytes);
      advance(1 + bytes);
      frame.counted = (node.flags & TREADLE_NODE_COUNTED) != 0;
      return iterate(frame, node, done);
    }
    std::uint64_t number = 0;
    if (node.width == 1) {
      number = word(0, 1) - 1;
    } else if (node.width == 2) {
      number = (word(0, 1) << 8 | word(1, 1)) - 0x100;
    }
    if (node.paths == 0 || (number >= node.paths && !is_loop)) return fail("there is no such path");
    if (node.width > 0) advance(node.width);
    if (is_loop) iterate(frame, node, number / node.paths);
    follow(is_loop ? number % node.paths : number);
  }

  void iterate(const Frame& frame, const PathNode& node, std::uint64_t done) {
    if (node.flags & TREADLE_NODE_PACKED) return unpack(frame, node, done);
    if (done > 0) visitor_.blocks(frame.function, node.iteration, done);
  }

  /// The ways of iterations, the last one in the lowest digit, behind a 1. Nothing at all: they stand in a record of their own.
  void unpack(const Frame& frame, const PathNode& header, std::uint64_t digits) {
    std::array<std::uint8_t, 64> ways;
    std::size_t count = 0;
    for (; digits > 1; digits /= header.ways) ways[count++] = static_cast<std::uint8_t>(digits % header.ways);
    if (digits == 0 && count > 0) return fail("a loop leaves something else");
    while (count > 0 && !problem_) {
      list_.clear();
      if (!function_of(frame).add_way(frame.node, ways[--count], list_)) return fail("there is no such way through a loop");
      visitor_.blocks(frame.function, list_, 1);
    }
  }

  /// From the innermost frame's start along the path of this number.
  void follow(std::uint64_t number) {
    Frame& frame = frames_.back();
    const PathFunction& function = function_of(frame);
    list_.clear();
    if ((function.nodes[frame.node].flags & TREADLE_NODE_BEGINS) == 0) visitor_.goes_on(frame.function, frame.node);
    for (std::uint32_t at = frame.node;;) {
      const PathNode& node = function.nodes[at];
      if (node.flags & TREADLE_NODE_BEGINS) list_.push_back(node.block);
      const PathOut* taken = nullptr;
      for (const PathOut& out : node.outs) {
        const std::uint64_t paths = out.kind == TREADLE_OUT_EDGE ? function.nodes[out.target].paths : out.kind == TREADLE_OUT_AGAIN ? 0 : 1;
        if (number < paths) {
          taken = &out;
          break;
        }
        number -= paths;
      }
      if (taken == nullptr) return fail("there is no such path");
      if (taken->kind == TREADLE_OUT_EDGE) {
        at = taken->target;
        continue;
      }
      visitor_.blocks(frame.function, list_, 1);
      return arrive(at, *taken);
    }
  }

  void arrive(std::uint32_t node, const PathOut& out) {
    Frame& frame = frames_.back();
    switch (out.kind) {
      case TREADLE_OUT_CUT:
        frame = {frame.function, out.target, At::Start};
        return;
      case TREADLE_OUT_CALL:
        frame = {frame.function, node, At::Call};
        if (out.how == TREADLE_CALL_LOCAL) push(out.callee);
        return;
      case TREADLE_OUT_RETURN:
        visitor_.leave(frame.function);
        return returned();
      case TREADLE_OUT_RESUME:
        frame.at = At::Raised;
        return;
      default:
        return fail("an unreachable place is reached");
    }
  }

  /// A function that was called by name goes back to the call; whether foreign code does is told by what comes next.
  void returned() {
    const std::uint32_t function = frames_.back().function;
    frames_.pop_back();
    if (frames_.empty() || frames_.back().at != At::Call) return;
    Frame& frame = frames_.back();
    const PathOut& out = node_of(frame).outs.front();
    if (out.how != TREADLE_CALL_UNKNOWN && out.callee == function) frame = {frame.function, out.target, At::Start};
  }

  void step_call() {
    if (take_mark()) return;
    if (!peek()) return void(ended_ = true);
    Frame& frame = frames_.back();
    const PathOut& out = node_of(frame).outs.front();
    if (out.how != TREADLE_CALL_UNKNOWN) return fail("a function was called but not entered");
    frame = {frame.function, out.target, At::Start};
  }

  /// An exception left this frame. Somebody lands, or foreign code has caught it and goes back to a call.
  void step_raised() {
    if (take_mark()) return;
    if (!peek()) return void(ended_ = true);
    std::vector<std::uint32_t> gone;
    while (!frames_.empty()) {
      const Frame& frame = frames_.back();
      if (frame.at == At::Call && node_of(frame).outs.front().how == TREADLE_CALL_UNKNOWN) return visitor_.unwound(gone);
      gone.push_back(frame.function);
      frames_.pop_back();
    }
    if (resumes_.empty()) return fail("an exception is caught by nobody");
    lost_ = true;
  }

  Tail tail() const {
    Tail result;
    for (const Frame& frame : frames_) result.frames.push_back({frame.function, frame.node, frame.at == At::Call});
    if (frames_.empty()) return result;
    const PathNode& node = node_of(frames_.back());
    result.in_counted_loop = frames_.back().at == At::Start && (node.flags & TREADLE_NODE_LOOP) != 0 && !frames_.back().counted;
    result.paths = frames_.back().at == At::Start ? node.paths : 1;
    return result;
  }

  const PathTables& tables_;
  std::string_view stream_;
  const bool has_ended_;
  PathVisitor& visitor_;
  const std::span<const StreamResume> resumes_;
  std::size_t next_resume_ = 0;
  bool lost_;  // where it is is not known
  std::size_t position_ = 0;
  std::uint64_t silent_ = 0;
  std::vector<Frame> frames_;
  std::vector<std::uint32_t> list_;
  std::optional<Problem> problem_;
  bool ended_ = false;
};

class Collector : public PathVisitor {
 public:
  explicit Collector(std::size_t most) : most_(most) {}
  void blocks(std::uint32_t function, std::span<const std::uint32_t> list, std::uint64_t times) override {
    for (std::uint64_t i = 0; i < times && !list.empty() && !is_full; ++i)
      for (std::uint32_t block : list)
        if (!(is_full = flow.blocks.size() >= most_)) flow.blocks.push_back({function, block});
  }
  Flow flow;
  bool is_full = false;

 private:
  std::size_t most_;
};

}  // namespace

Result<Tail> decode_stream(const PathTables& tables, std::string_view stream, bool has_ended, PathVisitor& visitor,
                           std::span<const StreamResume> resumes) {
  return Decoder(tables, stream, has_ended, visitor, resumes).run();
}

Result<Flow> flow_of(const PathTables& tables, std::string_view stream, bool has_ended, std::size_t most) {
  Collector collector(most);
  auto tail = decode_stream(tables, stream, has_ended, collector);
  if (!tail) return tail.problem();
  if (collector.is_full) return Problem{"a thread ran through more than " + std::to_string(most) + " blocks", "that is too many to list"};
  collector.flow.tail = std::move(*tail);
  return std::move(collector.flow);
}

}  // namespace treadle
