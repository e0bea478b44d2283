// SPDX-License-Identifier: Apache-2.0
// A recording: a folder that one run of a program left.
//
//   begin     what was run, how and where: written before the program starts
//   tables    paths of its functions, copied from its binaries: a recording is read without them
//   status    a page that the program keeps: how it ended, as far as it could tell
//   thread-N  a stream for each thread (abi/paths.h)
//   objects   what was loaded where
//   foreign   which of that was not built with Treadle; without the system's own libraries
//   stdin     what was read from standard input; missing when that was empty
//   pt, pt-N  with Intel PT, real or emulated: side band, and the packets of each core; pt-losses: what of it is missing
//   end       how the run ended: written last. A recording without it is incomplete, and read as far as it goes
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "abi/paths.h"
#include "base/result.h"
#include "record/decode.h"
#include "record/tables.h"

namespace treadle {

struct RecordingBegin {
  std::string program;
  std::uint64_t binary_hash = 0;
  std::string build_id;  // hexadecimal; empty when the linker left none
  std::vector<std::string> arguments, environment;
  std::string directory, machine, backend;
  std::uint64_t started = 0;  // seconds since 1970
  auto operator<=>(const RecordingBegin&) const = default;
};

/// Where the kernel saw a thread of a program that hung.
struct HungThread {
  std::uint32_t tid = 0;
  std::uint64_t pc = 0;
  std::string doing;  // "in system call 202", "running"
  auto operator<=>(const HungThread&) const = default;
};

enum class RunEnd : std::uint8_t { Exited, Signal, Hang };

struct RecordingEnd {
  RunEnd how = RunEnd::Exited;
  std::int32_t code = 0;  // exit status or signal
  std::uint64_t milliseconds = 0;
  std::uint64_t processor_microseconds = 0;  // of all threads
  std::vector<HungThread> hung;
  auto operator<=>(const RecordingEnd&) const = default;
};

struct ThreadStream {
  std::uint32_t number = 0;
  std::string name;  // path in the spawn tree; "?N" when nobody was seen to create it
  std::int32_t tid = 0;
  TreadleStreamState state = TREADLE_STREAM_OPEN;
  std::string bytes;
  std::string trouble;                // why it ends before the thread did; empty when it does not
  bool begins_in_the_middle = false;  // what was before is gone: a recording of the last seconds
  std::vector<StreamResume> resumes;  // then only
};

struct LoadedAt {
  std::uint64_t base = 0;
  std::string path;  // empty for the program itself
};

struct RecordedRun {
  RecordingBegin begin;
  std::optional<RecordingEnd> end;
  TreadleStatus status{};
  PathTables tables;
  std::vector<ThreadStream> threads;
  std::vector<LoadedAt> objects;
  std::optional<std::string> stdin_bytes;
  std::vector<std::string> notes;    // what is missing or cut, a sentence each
  std::vector<std::string> foreign;  // libraries that were not built with Treadle
};

/// Reads and checks everything but the paths themselves.
Result<RecordedRun> read_recording(const std::string& folder);

bool is_recording(const std::string& folder);

/// "SIGSEGV in thread 0.2", "assertion …": what became of the run.
std::string ending_of(const RecordedRun& recording);

/// True for crashes, failed assertions and hangs.
bool has_failed(const RecordedRun& recording);

// Parts, for the recorder and for tests.
std::string encode(const RecordingBegin& begin);
std::string encode(const RecordingEnd& end);
Result<RecordingBegin> decode_begin(std::string_view bytes, const std::string& name);
Result<RecordingEnd> decode_end(std::string_view bytes, const std::string& name);
/// The header page and the blocks of `thread-N`; its name is not known yet.
struct ThreadFile {
  TreadleThreadHeader header{};
  std::string bytes;
  std::string trouble;
  bool begins_in_the_middle = false;
  std::vector<StreamResume> resumes;
};
Result<ThreadFile> decode_thread(std::string_view bytes, const std::string& name);

}  // namespace treadle
