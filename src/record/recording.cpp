// SPDX-License-Identifier: Apache-2.0
#include "record/recording.h"

#include <csignal>
#include <cstring>
#include <filesystem>
#include <map>
#include <sstream>

#include "base/atomic_file.h"

namespace treadle {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t most_threads = 1 << 20;

Result<TreadleStatus> read_status(const std::string& folder) {
  auto bytes = read_file(folder + "/status", TREADLE_PAGE);
  if (!bytes) return bytes.problem();
  TreadleStatus status{};
  const std::string name = folder + "/status";
  if (bytes->size() < sizeof status) return Problem{"cannot read " + name + ": it is cut short", ""};
  std::memcpy(&status, bytes->data(), sizeof status);
  if (status.magic != TREADLE_STATUS_MAGIC) return Problem{"cannot read " + name + ": it is not the status of a recording", ""};
  if (status.version != TREADLE_RECORDING_VERSION)
    return Problem{"cannot read " + name + ": it is of format " + std::to_string(status.version) + ", which this Treadle does not read",
                   ""};
  if (status.end > TREADLE_RUN_ASSERTION || status.threads > most_threads) return Problem{"cannot read " + name + ": it is damaged", ""};
  status.text[sizeof status.text - 1] = 0;
  return status;
}

std::vector<LoadedAt> read_objects(const std::string& folder) {
  std::vector<LoadedAt> objects;
  const auto text = read_file(folder + "/objects", 1 << 20);
  std::istringstream lines(text ? *text : "");
  for (std::string line; std::getline(lines, line);) {
    const std::size_t blank = line.find(' ');
    if (blank == std::string::npos || blank > 16) continue;
    objects.push_back({std::strtoull(line.c_str(), nullptr, 16), line.substr(blank + 1)});
  }
  return objects;
}

/// The path in the spawn tree: of its creator's name and its place among the creator's threads.
void name_threads(std::vector<ThreadStream>& threads, const std::map<std::uint32_t, TreadleThreadHeader>& headers) {
  for (ThreadStream& thread : threads) {
    std::string name;
    std::uint32_t at = thread.number;
    for (std::size_t depth = 0; at != 0; ++depth) {
      const auto header = headers.find(at);
      if (header == headers.end() || header->second.nth == 0 || depth > headers.size()) break;
      name = "." + std::to_string(header->second.nth) + name;
      at = header->second.parent;
    }
    thread.name = (at == 0 ? "0" : "?" + std::to_string(at)) + name;
  }
}

Result<Done> read_threads(const std::string& folder, RecordedRun& recording) {
  std::map<std::uint32_t, TreadleThreadHeader> headers;
  for (std::uint32_t number = 0; number < recording.status.threads; ++number) {
    const std::string name = folder + "/thread-" + std::to_string(number);
    auto bytes = read_file(name);
    if (!bytes) {
      recording.notes.push_back("nothing is known about thread number " + std::to_string(number) + ": it has no file");
      continue;
    }
    if (bytes->empty() || bytes->find_first_not_of('\0') == std::string::npos) {
      recording.notes.push_back("nothing is known about thread number " + std::to_string(number) + ": its file is empty");
      continue;
    }
    auto file = decode_thread(*bytes, name);
    if (!file) return file.problem();
    if (file->header.number != number) return Problem{"cannot read " + name + ": it belongs to another thread", ""};
    headers[number] = file->header;
    recording.threads.push_back({number, "", file->header.tid, static_cast<TreadleStreamState>(file->header.state), std::move(file->bytes),
                                 std::move(file->trouble), file->begins_in_the_middle, std::move(file->resumes)});
  }
  name_threads(recording.threads, headers);
  for (const ThreadStream& thread : recording.threads)
    if (thread.begins_in_the_middle)
      recording.notes.push_back("the stream of thread " + thread.name + " begins in the middle: only the last seconds were kept");
  for (const ThreadStream& thread : recording.threads)
    if (!thread.trouble.empty()) recording.notes.push_back("the stream of thread " + thread.name + " is cut: " + thread.trouble);
  return Done{};
}

const ThreadStream* thread_of(const RecordedRun& recording, std::uint32_t number) {
  for (const ThreadStream& thread : recording.threads)
    if (thread.number == number) return &thread;
  return nullptr;
}

std::string in_thread(const RecordedRun& recording) {
  const ThreadStream* thread = thread_of(recording, recording.status.thread);
  return thread != nullptr ? " in thread " + thread->name : "";
}

std::string signal_name(int signal) {
  const char* name = ::sigabbrev_np(signal);
  return name != nullptr ? "SIG" + std::string(name) : "signal " + std::to_string(signal);
}

}  // namespace

bool is_recording(const std::string& folder) {
  std::error_code error;
  return fs::is_directory(folder, error) && fs::exists(folder + "/begin", error);
}

Result<RecordedRun> read_recording(const std::string& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error))
    return Problem{folder + " is not a recording: it is no folder", "`treadle record` makes recordings"};
  if (!fs::exists(folder + "/begin", error))
    return Problem{folder + " is not a recording: there is no file \"begin\" in it", "`treadle record` makes recordings"};
  RecordedRun recording;
  auto begin = read_file(folder + "/begin");
  if (!begin) return begin.problem();
  auto decoded = decode_begin(*begin, folder + "/begin");
  if (!decoded) return decoded.problem();
  recording.begin = std::move(*decoded);

  if (fs::exists(folder + "/end", error)) {
    auto bytes = read_file(folder + "/end");
    if (!bytes) return bytes.problem();
    auto end = decode_end(*bytes, folder + "/end");
    if (!end) return end.problem();
    recording.end = std::move(*end);
  } else {
    recording.notes.push_back("the recording is incomplete: `treadle record` was killed, or is still at it");
  }
  auto status = read_status(folder);
  if (!status) return status.problem();
  recording.status = *status;
  auto tables = read_file(folder + "/tables");
  if (!tables) return tables.problem();
  auto read = PathTables::read(*tables);
  if (!read) return Problem{"cannot read " + folder + "/tables: " + read.problem().sentence, read.problem().hint};
  recording.tables = std::move(*read);
  if (auto threads = read_threads(folder, recording); !threads) return threads.problem();
  recording.objects = read_objects(folder);
  if (fs::exists(folder + "/stdin", error))
    if (auto bytes = read_file(folder + "/stdin")) recording.stdin_bytes = std::move(*bytes);
  if (const auto foreign = read_file(folder + "/foreign", 1 << 20)) {
    std::istringstream lines(*foreign);
    for (std::string line; std::getline(lines, line);) {
      recording.notes.push_back(line + " was not built with Treadle: only what it calls back is recorded");
      recording.foreign.push_back(std::move(line));
    }
  }
  if (const auto losses = read_file(folder + "/pt-losses", 1 << 20)) {
    std::istringstream lines(*losses);
    for (std::string line; std::getline(lines, line);) recording.notes.push_back("the trace of Intel PT has gaps: " + line);
  }
  if (recording.status.unnamed > 0)
    recording.notes.push_back(std::to_string(recording.status.unnamed) +
                              " threads were created by code that Treadle did not see: their names start with \"?\"");
  return recording;
}

std::string ending_of(const RecordedRun& recording) {
  const TreadleStatus& status = recording.status;
  if (recording.end && recording.end->how == RunEnd::Hang)
    return "it hung and was stopped after " + std::to_string(recording.end->milliseconds) + " ms";
  if (status.end == TREADLE_RUN_ASSERTION) return std::string(status.text) + in_thread(recording);
  if (recording.end && recording.end->how == RunEnd::Signal)
    return signal_name(recording.end->code) + (status.end == TREADLE_RUN_SIGNAL ? in_thread(recording) : ", sent from outside");
  if (recording.end) return "it exited with status " + std::to_string(recording.end->code);
  if (status.end == TREADLE_RUN_SIGNAL) return signal_name(status.code) + in_thread(recording);
  if (status.end == TREADLE_RUN_EXITED) return "it exited with status " + std::to_string(status.code);
  return "unknown";
}

bool has_failed(const RecordedRun& recording) {
  if (recording.status.end == TREADLE_RUN_ASSERTION || recording.status.end == TREADLE_RUN_SIGNAL) return true;
  return recording.end && recording.end->how != RunEnd::Exited;
}

}  // namespace treadle
