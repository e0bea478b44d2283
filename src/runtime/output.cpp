// SPDX-License-Identifier: Apache-2.0
#include "runtime/output.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/carrier.h"
#include "runtime/descriptors.h"
#include "runtime/sys.h"

namespace treadle {
namespace {

constexpr std::uint64_t kMostLookedAt = 1 << 20;

/// A number among those that are hidden from the program, and that no reset closes.
int hidden(FdsAtStart& s, int fd) noexcept {
  const auto copy = static_cast<int>(sys(SYS_fcntl, fd, F_DUPFD_CLOEXEC, s.end_backup));
  if (copy >= 0) s.end_backup = copy + 1;
  return copy;
}

/// False: the program has no standard output, or we can have no file.
bool make_file(FdsAtStart& s) noexcept {
  const int shown = hidden(s, 1);
  const auto file = static_cast<int>(sys(SYS_memfd_create, reinterpret_cast<long>("treadle-output"), 1 /* close on exec */));
  if (shown < 0 || file < 0) return false;
  s.kept_output = hidden(s, file);
  s.shown_output = shown;
  sys(SYS_close, file);
  return s.kept_output > 0;
}

bool ends_with(const char* line, std::uint64_t length, const char* end) noexcept {
  const std::uint64_t bytes = __builtin_strlen(end);
  return length >= bytes && __builtin_memcmp(line + length - bytes, end, bytes) == 0;
}

/// What a test has printed before the lines that are explored is not of them (treadle/explore_call.h prints this in between).
constexpr const char* kBegins = "treadle::explore begins";

std::uint64_t interesting_part(const char* text, std::uint64_t length, std::uint64_t room) noexcept {
  std::uint64_t found = length;
  for (std::uint64_t line = 0; line < length;) {
    std::uint64_t end = line;
    while (end < length && text[end] != '\n') ++end;
    if (ends_with(text + line, end - line, ": Failure") || ends_with(text + line, end - line, ": FAILED:"))
      found = line < found ? line : found;
    if (ends_with(text + line, end - line, kBegins)) found = length;
    line = end + 1;
  }
  if (found < length) return found;
  return length > room ? length - room : 0;
}

}  // namespace

void output_execution_begin() noexcept {
  FdsAtStart* s = process().fds_at_start;
  if (s == nullptr) return;
  const bool wanted = (world().job->flags & TREADLE_STATUS_MATTERS) != 0;
  if (!wanted && s->kept_output > 0) sys(SYS_dup2, s->shown_output, 1);
  if (!wanted || (s->kept_output == 0 && !make_file(*s))) return;
  sys(SYS_ftruncate, s->kept_output, 0);
  sys(SYS_lseek, s->kept_output, 0, SEEK_SET);
  sys(SYS_dup2, s->kept_output, 1);
}

void output_execution_end() noexcept {
  const FdsAtStart* s = process().fds_at_start;
  if (s == nullptr || s->kept_output <= 0 || (world().job->flags & TREADLE_SHOW_OUTPUT) == 0) return;
  char part[4096];
  for (long at = 0, got = 0; (got = sys(SYS_pread64, s->kept_output, reinterpret_cast<long>(part), sizeof part, at)) > 0; at += got)
    sys(SYS_write, s->shown_output, reinterpret_cast<long>(part), got);
}

void what_was_printed(char* text, std::size_t bytes) noexcept {
  text[0] = 0;
  const FdsAtStart* s = process().fds_at_start;
  if (s == nullptr || s->kept_output <= 0) return;
  const long end = sys(SYS_lseek, s->kept_output, 0, SEEK_END);
  if (end <= 0) return;
  const std::uint64_t length = static_cast<std::uint64_t>(end) < kMostLookedAt ? static_cast<std::uint64_t>(end) : kMostLookedAt;
  const std::uint64_t at = map_fixed(0, length, PROT_READ, MAP_SHARED, s->kept_output);
  if (at == 0) return;
  const auto* printed = reinterpret_cast<const char*>(at);
  const std::uint64_t from = interesting_part(printed, length, bytes - 1);
  const std::uint64_t size = length - from < bytes - 1 ? length - from : bytes - 1;
  __builtin_memcpy(text, printed + from, size);
  text[size] = 0;
  sys(SYS_munmap, static_cast<long>(at), static_cast<long>(length));
}

}  // namespace treadle
