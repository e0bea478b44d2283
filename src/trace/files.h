// SPDX-License-Identifier: Apache-2.0
// Schedules, Traces and Witnesses as files.
//
//   8 bytes   "TREADLE\n"
//   1 byte    version of the format
//   1 byte    FileKind
//   8 bytes   size of the payload (numbers are little endian)
//   8 bytes   size of the payload once compressed
//   8 bytes   hash of all the above and of what follows
//   rest      the payload (codec.h), compressed with zstd
//
// Files are foreign input: whatever the bytes, reading gives the value that was written or one sentence that says why not.
// Writing is atomic: after a crash there is the old file or the new one.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"
#include "trace/trace.h"
#include "trace/witness.h"

namespace treadle {

enum class FileKind : std::uint8_t { Schedule = 1, Trace = 2, Witness = 3, Search = 4 };
const char* text_of(FileKind kind);  // "schedule", "trace", "witness", "state of a search"

/// What `treadle show` needs to make sense of a trace later: where it came from, and what happened.
struct TraceFile {
  Witness from;
  Trace trace;
};

/// The whole contents of a file.
std::string encode(const Schedule& schedule);
std::string encode(const Witness& witness);
std::string encode(const Trace& trace, const Witness& from);

/// `name` is how the problem's sentence calls the bytes: a path.
Result<Schedule> decode_schedule(std::string_view bytes, const std::string& name);
Result<Witness> decode_witness(std::string_view bytes, const std::string& name);
Result<TraceFile> decode_trace(std::string_view bytes, const std::string& name);

Result<Done> write_schedule(const std::string& path, const Schedule& schedule);
Result<Done> write_witness(const std::string& path, const Witness& witness);
Result<Done> write_trace(const std::string& path, const Trace& trace, const Witness& from);

Result<Schedule> read_schedule(const std::string& path);
Result<Witness> read_witness(const std::string& path);
Result<TraceFile> read_trace(const std::string& path);

/// The state of a search: an envelope around what only explore/ can read.
std::string encode_search(const std::string& payload);
Result<std::string> decode_search(std::string_view bytes, const std::string& name);

/// Whatever it is that `treadle show` can print.
using AnyFile = std::variant<Schedule, TraceFile, Witness>;
Result<AnyFile> decode_any(std::string_view bytes, const std::string& name);
Result<AnyFile> read_any(const std::string& path);

}  // namespace treadle
