// SPDX-License-Identifier: Apache-2.0
#include "record/standard_input.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

namespace treadle {
namespace {

bool is_empty(int descriptor) {
  struct stat what, null;
  if (::fstat(descriptor, &what) != 0) return true;
  return S_ISCHR(what.st_mode) && ::stat("/dev/null", &null) == 0 && what.st_rdev == null.st_rdev;
}

bool write_all(int descriptor, const char* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t done = ::write(descriptor, bytes, size);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    bytes += done;
    size -= static_cast<std::size_t>(done);
  }
  return true;
}

}  // namespace

Result<std::unique_ptr<StandardInput>> StandardInput::open(const std::string& file, const std::string& copy) {
  std::unique_ptr<StandardInput> input(new StandardInput);
  const int from = file.empty() ? ::dup(STDIN_FILENO) : ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (from < 0 && !file.empty()) return Problem{fmt::format("cannot read {}: {}", file, std::strerror(errno)), ""};
  if (from < 0 || is_empty(from)) {
    if (from >= 0) ::close(from);
    return input;
  }
  ::fcntl(from, F_SETFD, FD_CLOEXEC);
  input->from_ = from;
  input->copy_ = ::open(copy.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  int ends[2];
  if (input->copy_ < 0 || ::pipe2(ends, O_CLOEXEC) != 0)
    return Problem{fmt::format("cannot keep a copy of standard input: {}", std::strerror(errno)), ""};
  input->for_program_ = ends[0];
  input->into_ = ends[1];
  return input;
}

void StandardInput::pump() {
  if (from_ < 0) return;
  ::close(std::exchange(for_program_, -1));
  ::signal(SIGPIPE, SIG_IGN);  // the program may end before its input does
  thread_ = std::thread([this] { run(); });
}

/// The copy comes first: what the program may have read is never missing from it.
void StandardInput::run() {
  char bytes[65536];
  while (!stops_) {
    pollfd ready{from_, POLLIN, 0};
    if (::poll(&ready, 1, 50) <= 0) continue;
    const ssize_t size = ::read(from_, bytes, sizeof bytes);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0 || !write_all(copy_, bytes, static_cast<std::size_t>(size)) || !write_all(into_, bytes, static_cast<std::size_t>(size)))
      break;
  }
  ::close(std::exchange(into_, -1));
}

void StandardInput::stop() {
  stops_ = true;
  if (thread_.joinable()) thread_.join();
}

StandardInput::~StandardInput() {
  stop();
  for (int descriptor : {from_, for_program_, into_, copy_})
    if (descriptor >= 0) ::close(descriptor);
}

}  // namespace treadle
