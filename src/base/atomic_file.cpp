// SPDX-License-Identifier: Apache-2.0
#include "base/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace treadle {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }
  bool close() { return ::close(std::exchange(fd_, -1)) == 0; }

 private:
  int fd_;
};

bool write_all(int fd, std::string_view rest) {
  while (!rest.empty()) {
    const ssize_t written = ::write(fd, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

Problem cannot(const char* what, const std::string& path, int error, const char* hint = "") {
  return {std::string("cannot ") + what + " " + path + ": " + std::strerror(error), hint};
}

/// Pipes and terminals (/dev/stdout, >(…)) have no old contents to protect, and must not be renamed over.
bool is_special(const std::string& path) {
  struct stat about{};
  return ::stat(path.c_str(), &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode);
}

Result<Done> write_special(const std::string& path, std::string_view contents) {
  Descriptor out(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (out.get() < 0 || !write_all(out.get(), contents)) return cannot("write", path, errno);
  return Done{};
}

/// A new file gets the permissions that open(…, 0666) would give; an old one keeps its own.
mode_t mode_for(const std::string& path) {
  struct stat about{};
  if (::stat(path.c_str(), &about) == 0) return about.st_mode & 07777;
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

}  // namespace

Result<Done> write_file_atomically(const std::string& asked, std::string_view contents) {
  constexpr const char* kHint = "name a place that can be written to";
  if (is_special(asked)) return write_special(asked, contents);

  std::error_code ignored;  // a link stays a link: the file it leads to is replaced
  const std::filesystem::path resolved = std::filesystem::weakly_canonical(asked, ignored);
  const std::string path = resolved.empty() ? asked : resolved.string();

  std::string temporary = path + ".XXXXXX";
  Descriptor out(::mkostemp(temporary.data(), O_CLOEXEC));
  if (out.get() < 0) return cannot("write", asked, errno, kHint);

  const bool written = write_all(out.get(), contents) && ::fchmod(out.get(), mode_for(path)) == 0 && ::fsync(out.get()) == 0 &&
                       out.close() && ::rename(temporary.c_str(), path.c_str()) == 0;
  if (!written) {
    const int error = errno;
    ::unlink(temporary.c_str());
    return cannot("write", asked, error, kHint);
  }

  // The name itself survives a power failure only once its folder is on disk; some file systems cannot do that, which is no error.
  const std::string folder = std::filesystem::path(path).parent_path().string();
  Descriptor in(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (in.get() >= 0) ::fsync(in.get());
  return Done{};
}

Result<std::string> read_file(const std::string& path, std::uint64_t most_bytes) {
  Descriptor in(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (in.get() < 0) return cannot("read", path, errno);
  std::string contents;
  struct stat about{};
  if (::fstat(in.get(), &about) == 0 && about.st_size > 0 && static_cast<std::uint64_t>(about.st_size) <= most_bytes)
    contents.reserve(static_cast<std::size_t>(about.st_size));
  char part[1 << 16];
  for (;;) {
    const ssize_t got = ::read(in.get(), part, sizeof part);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return cannot("read", path, errno);
    if (got == 0) return contents;
    contents.append(part, static_cast<std::size_t>(got));
    if (contents.size() > most_bytes) return Problem{"cannot read " + path + ": it is too large", ""};
  }
}

}  // namespace treadle
