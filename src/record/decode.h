// SPDX-License-Identifier: Apache-2.0
// From a thread's stream to what the thread did: every block that it ran through, in order, with calls and returns.
//
// The decoder walks the program along the stream. Where only one way is possible nothing was recorded; where there are several, the number
// of the path says which; what foreign code called back is told by marks. So the sequence is exact, up to the last record. What comes after
// it (a thread that crashed, blocked or was killed in the middle of a path) is the tail.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "record/tables.h"

namespace treadle {

/// Gets a thread's doings in order. Functions and nodes are numbers in the tables.
class PathVisitor {
 public:
  virtual ~PathVisitor() = default;
  virtual void enter(std::uint32_t function) {}
  /// Blocks of the innermost function; the list, `times` times.
  virtual void blocks(std::uint32_t function, std::span<const std::uint32_t> list, std::uint64_t times) {}
  /// A call has returned that ended a path; this node of the same block goes on behind it.
  virtual void goes_on(std::uint32_t function, std::uint32_t node) {}
  virtual void leave(std::uint32_t function) {}
  /// An exception or a longjmp ended these functions, from the innermost; the next blocks are those of the catching one.
  virtual void unwound(std::span<const std::uint32_t> functions) {}
  /// What was done from here on is not known, up to what comes next: nor is the caller of that. Only of streams that begin in the middle.
  virtual void gap() {}
  /// A call of foreign code returned this.
  virtual void value(TreadleValueKind kind, std::uint64_t value) {}
};

/// Where the stream ends.
struct Tail {
  struct Frame {
    std::uint32_t function = 0;
    std::uint32_t node = 0;  // where the path that was not recorded starts; with `in_call`: the node that ends with the call
    bool in_call = false;    // of the next frame's function; of foreign code for the innermost
  };
  std::vector<Frame> frames;  // outermost first; none: the thread's code had returned
  std::uint64_t paths = 0;    // how many paths start where the innermost frame is: 1 means that the rest is known as well
  bool in_counted_loop = false;
};

/// From here on a decoder can find its way that has not seen what was before.
struct StreamResume {
  std::size_t offset = 0;
  std::uint64_t mark = 0;  // treadle_resume_mark (abi/paths.h); 0: a mark of another kind stands there
};

/// `resumes`: of a stream that begins in the middle (a recording of the last seconds). It is decoded as far as possible: from such a place,
/// or from a function's mark, until the function returns to a caller that is not known. `has_ended`: the thread ended by itself, so what
/// can only go one way from the last record on was gone too.
Result<Tail> decode_stream(const PathTables& tables, std::string_view stream, bool has_ended, PathVisitor& visitor,
                           std::span<const StreamResume> resumes = {});

/// All blocks of a stream, one by one; a Problem when there are more than `most`.
struct Flow {
  std::vector<BlockId> blocks;
  Tail tail;
};
Result<Flow> flow_of(const PathTables& tables, std::string_view stream, bool has_ended, std::size_t most);

}  // namespace treadle
