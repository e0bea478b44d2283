// SPDX-License-Identifier: Apache-2.0
#include "runtime/sources.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "abi/sources.h"
#include "runtime/api.h"
#include "runtime/code.h"
#include "runtime/program_memory.h"
#include "runtime/real.h"
#include "runtime/start.h"
#include "runtime/symbolic.h"
#include "runtime/sys.h"

namespace treadle {

namespace {

constexpr unsigned kMostSources = 16;
constexpr unsigned kMostReaders = 32;
constexpr long kMostBytes = 4096;  // of one: each is an event of every execution

struct Source {
  const char* kind;  // "stdin", "file", "arg", "env"
  const char* what;  // path, number, name
  char name[64];     // of its bytes
  char* text;        // arg, env: where it lies
  int file;          // stdin, file: one of ours, with the bytes in it
  char opens[32];    // "/proc/self/fd/7"
  dev_t device;      // of `file`; and of what it stands for
  ino_t inode, original_inode;
  dev_t original_device;
  long bytes;
  unsigned char original[kMostBytes];
};

TREADLE_KEPT Source* g_sources = nullptr;
TREADLE_KEPT unsigned g_count = 0;

/// Through which the program reads one of them.
struct Reader {
  int fd;
  FILE* stream;  // which has read ahead; or null
  unsigned source;
};

/// Of one execution, in the arena: the expressions of the bytes, and which of them the program has got by a function that we know.
struct SourceState {
  Expr* bytes[kMostSources];
  bool* known[kMostSources];
  Reader readers[kMostReaders];
  unsigned reader_count;
};
SourceState* g_state = nullptr;  // taken back with everything else

[[noreturn]] void cannot(const char* why, const char* what) noexcept {
  char sentence[200];
  TREADLE_REAL(snprintf)(sentence, sizeof sentence, "%s: %s", what, why);
  refuse(sentence);
  __builtin_trap();
}

Source& add(const char* kind, const char* what) noexcept {
  if (g_count == kMostSources) cannot("there are too many symbolic files, arguments and variables", what);
  Source& source = g_sources[g_count++];
  source.kind = kind;
  source.what = what;
  source.file = -1;
  return source;
}

/// Into a file of ours, which its name in /proc opens afresh.
void keep_bytes(Source& source) noexcept {
  source.file = static_cast<int>(sys(SYS_memfd_create, reinterpret_cast<long>("treadle-source"), 1 /* close on exec */));
  const int high = static_cast<int>(sys(SYS_fcntl, source.file, F_DUPFD_CLOEXEC, 200));
  if (source.file < 0 || high < 0) cannot("no memory", source.what);
  sys(SYS_close, source.file);
  source.file = high;
  sys(SYS_pwrite64, source.file, reinterpret_cast<long>(source.original), source.bytes, 0);
  struct stat about{};
  sys(SYS_fstat, source.file, reinterpret_cast<long>(&about));
  source.device = about.st_dev;
  source.inode = about.st_ino;
  TREADLE_REAL(snprintf)(source.opens, sizeof source.opens, "/proc/self/fd/%d", source.file);
}

void prepare_stdin(Source& source) noexcept {
  source.bytes = atol(source.what);
  if (source.bytes < 1 || source.bytes > kMostBytes) cannot("between 1 and 4096 bytes can be symbolic", "standard input");
  sys(SYS_pread64, 0, reinterpret_cast<long>(source.original), source.bytes, 0);  // what there is; the rest is 0
  TREADLE_REAL(snprintf)(source.name, sizeof source.name, "stdin");
  keep_bytes(source);
  const int reads = static_cast<int>(sys(SYS_open, reinterpret_cast<long>(source.opens), O_RDONLY));
  sys(SYS_dup3, reads, 0, 0);
  sys(SYS_close, reads);
}

void prepare_file(Source& source) noexcept {
  struct stat about{};
  const int file = static_cast<int>(sys(SYS_open, reinterpret_cast<long>(source.what), O_RDONLY | O_CLOEXEC));
  if (file < 0 || sys(SYS_fstat, file, reinterpret_cast<long>(&about)) != 0) cannot("the symbolic file cannot be read", source.what);
  if (!S_ISREG(about.st_mode) || about.st_size < 1 || about.st_size > kMostBytes)
    cannot("a symbolic file is a regular one of 1 to 4096 bytes", source.what);
  source.bytes = sys(SYS_pread64, file, reinterpret_cast<long>(source.original), about.st_size, 0);
  sys(SYS_close, file);
  source.original_device = about.st_dev;
  source.original_inode = about.st_ino;
  const char* slash = strrchr(source.what, '/');
  TREADLE_REAL(snprintf)(source.name, sizeof source.name, "%.40s", slash == nullptr ? source.what : slash + 1);
  keep_bytes(source);
}

void prepare_text(Source& source, char* text) noexcept {
  source.text = text;
  source.bytes = static_cast<long>(strlen(text));
  if (source.bytes > kMostBytes) cannot("at most 4096 bytes can be symbolic", source.what);
  memcpy(source.original, text, static_cast<std::size_t>(source.bytes));
}

void prepare_argument(Source& source) noexcept {
  const Process& p = process();
  const long number = atol(source.what);
  if (number < 1 || number >= p.argc) cannot("the program has no argument of this number that could be symbolic", source.what);
  TREADLE_REAL(snprintf)(source.name, sizeof source.name, "arg%ld", number);
  prepare_text(source, p.argv[number]);
}

void prepare_variable(Source& source) noexcept {
  const std::size_t length = strlen(source.what);
  for (char** at = process().envp; *at != nullptr; ++at) {
    if (strncmp(*at, source.what, length) != 0 || (*at)[length] != '=') continue;
    TREADLE_REAL(snprintf)(source.name, sizeof source.name, "env %.40s", source.what);
    return prepare_text(source, *at + length + 1);
  }
  cannot("the variable that is to be symbolic is not set", source.what);
}

const Source* source_of(int fd, unsigned& number) noexcept {
  if (g_count == 0) return nullptr;
  struct stat about{};
  if (sys(SYS_fstat, fd, reinterpret_cast<long>(&about)) != 0) return nullptr;
  for (number = 0; number < g_count; ++number) {
    const Source& source = g_sources[number];
    if (source.file >= 0 && source.device == about.st_dev && source.inode == about.st_ino) return &source;
  }
  return nullptr;
}

long read_ahead(const FILE& stream) noexcept { return stream._IO_read_end - stream._IO_read_ptr; }

/// Somebody has looked at these bytes who does not say what came of it: any others might have led elsewhere.
void pin_bytes(unsigned number, long from, long end, std::uint64_t pc) noexcept {
  SymbolicState* s = symbolic();
  if (s == nullptr || g_state == nullptr) return;
  if (end > g_sources[number].bytes) end = g_sources[number].bytes;
  for (long i = from < 0 ? 0 : from; i < end; ++i) {
    const Expr byte = g_state->bytes[number][i];
    if (g_state->known[number][i] || byte == 0) continue;
    g_state->known[number][i] = true;  // first: pinning catches up
    pin(*s, byte, s->table.value(byte), TREADLE_PIN_CALL, pc);
  }
}

long place_of(const Reader& reader) noexcept {
  const long place = sys(SYS_lseek, reader.fd, 0, SEEK_CUR);
  return place < 0 ? 0 : place - (reader.stream == nullptr ? 0 : read_ahead(*reader.stream));
}

/// The values that this execution has; and what they are made of.
void take(const Source& source, unsigned number, unsigned char* to) noexcept {
  SymbolicState* s = symbolic();
  g_state->bytes[number] = static_cast<Expr*>(arena_allocate(static_cast<std::size_t>(source.bytes) * sizeof(Expr)));
  g_state->known[number] = static_cast<bool*>(arena_allocate(static_cast<std::size_t>(source.bytes)));
  for (long i = 0; i < source.bytes; ++i) {
    char name[sizeof source.name + 16];
    TREADLE_REAL(snprintf)(name, sizeof name, "%s[%ld]", source.name, i);
    to[i] = static_cast<unsigned char>(next_input_or(name, 1, source.original[i], 0));
    g_state->bytes[number][i] = s == nullptr ? 0 : symbolic_input(*s);
    g_state->known[number][i] = false;
  }
}

void write_to_memory(Source& source, unsigned number) noexcept {
  program_writes(source.text, static_cast<std::size_t>(source.bytes), 0);
  const std::uint64_t range = world().record_plain && source.bytes > 0 ? world().events - 1 : kNoEvent;
  take(source, number, reinterpret_cast<unsigned char*>(source.text));
  symbolic_bytes_written(source.text, g_state->bytes[number], static_cast<std::size_t>(source.bytes), range, 0);
  memset(g_state->known[number], 1, static_cast<std::size_t>(source.bytes));
}

void write_to_file(const Source& source, unsigned number) noexcept {
  unsigned char bytes[kMostBytes];
  take(source, number, bytes);
  sys(SYS_pwrite64, source.file, reinterpret_cast<long>(bytes), source.bytes, 0);
}

}  // namespace

bool g_sources_are_read = false;

void sources_start(const char* asked) noexcept {
  if (asked == nullptr || *asked == '\0') return;
  g_sources = reinterpret_cast<Source*>(map_fixed(0, sizeof(Source) * kMostSources, 3, 0x22));
  auto* text = reinterpret_cast<char*>(map_fixed(0, (strlen(asked) + 4096) & ~4095ull, 3, 0x22));
  strcpy(text, asked);
  // A line each: kind, a space, which.
  for (char* at = text; *at != '\0';) {
    char* end = strchrnul(at, '\n');
    const bool last = *end == '\0';
    *end = '\0';
    if (char* space = strchr(at, ' ')) {
      *space = '\0';
      add(at, space + 1);
    }
    at = last ? end : end + 1;
  }
}

bool any_sources() noexcept { return g_count > 0; }

void sources_before_main() noexcept {
  for (unsigned i = 0; i < g_count; ++i) {
    Source& source = g_sources[i];
    if (strcmp(source.kind, "stdin") == 0) prepare_stdin(source);
    if (strcmp(source.kind, "file") == 0) prepare_file(source);
    if (strcmp(source.kind, "arg") == 0) prepare_argument(source);
    if (strcmp(source.kind, "env") == 0) prepare_variable(source);
  }
}

void sources_execution_begin() noexcept {
  if (g_count == 0) return;
  g_state = arena_new<SourceState>();
  for (unsigned i = 0; i < g_count; ++i) {
    if (g_sources[i].file >= 0)
      write_to_file(g_sources[i], i);
    else
      write_to_memory(g_sources[i], i);
  }
  source_opened(0, stdin);
  g_sources_are_read = symbolic() != nullptr;
}

void sources_execution_end() noexcept {
  sources_catch_up(0);
  g_sources_are_read = false;
  g_state = nullptr;
}

void sources_catch_up(std::uint64_t pc) noexcept {
  if (g_state == nullptr) return;
  for (unsigned i = 0; i < g_state->reader_count; ++i) pin_bytes(g_state->readers[i].source, 0, place_of(g_state->readers[i]), pc);
}

void source_opened(int fd, FILE* stream) noexcept {
  unsigned number = 0;
  if (g_state == nullptr || fd < 0 || source_of(fd, number) == nullptr) return;
  if (g_state->reader_count == kMostReaders) return pin_bytes(number, 0, kMostBytes, 0);
  g_state->readers[g_state->reader_count++] = {fd, stream, number};
}

void source_closes(int fd) noexcept {
  if (g_state == nullptr) return;
  sources_catch_up(0);
  for (unsigned i = g_state->reader_count; i-- > 0;)
    if (g_state->readers[i].fd == fd) g_state->readers[i] = g_state->readers[--g_state->reader_count];
}

const char* source_instead_of(const char* path, bool writes) noexcept {
  struct stat about{};
  if (g_count == 0 || path == nullptr || writes || sys(SYS_stat, reinterpret_cast<long>(path), reinterpret_cast<long>(&about)) != 0)
    return nullptr;
  for (unsigned i = 0; i < g_count; ++i) {
    const Source& source = g_sources[i];
    if (strcmp(source.kind, "file") != 0 || source.original_device != about.st_dev || source.original_inode != about.st_ino) continue;
    return source.opens;
  }
  return nullptr;
}

long place_in_source(int fd) noexcept {
  unsigned number = 0;
  return !active() || source_of(fd, number) == nullptr ? -1 : sys(SYS_lseek, fd, 0, SEEK_CUR);
}

long place_in_source(FILE* stream) noexcept {
  if (g_count == 0 || g_state == nullptr || !active() || fileno(stream) < 0) return -1;
  const long place = place_in_source(fileno(stream));
  return place < 0 ? -1 : place - read_ahead(*stream);
}

void source_line_was_read(int fd, long place, std::size_t bytes, std::uint64_t pc) noexcept {
  unsigned number = 0;
  const Source* source = source_of(fd, number);
  if (source == nullptr || g_state == nullptr || place < 0 || place + static_cast<long>(bytes) > source->bytes) return;
  symbolic_line_ended(g_state->bytes[number] + place, bytes, pc);
}

void source_was_read(int fd, long place, void* to, std::size_t bytes, std::uint64_t pc) noexcept {
  unsigned number = 0;
  const Source* source = source_of(fd, number);
  if (source == nullptr || g_state == nullptr || place < 0 || place + static_cast<long>(bytes) > source->bytes) return;
  if (!has_hooks(pc)) return pin_bytes(number, place, place + static_cast<long>(bytes), pc);
  const std::uint64_t range = active() && world().record_plain && bytes > 0 ? world().events - 1 : kNoEvent;
  symbolic_bytes_written(to, g_state->bytes[number] + place, bytes, range, pc);
  memset(g_state->known[number] + place, 1, bytes);
}

void source_byte_returned(int fd, long place, std::uint64_t pc) noexcept {
  unsigned number = 0;
  const Source* source = source_of(fd, number);
  if (source == nullptr || g_state == nullptr || place < 0 || place >= source->bytes) return;
  if (!has_hooks(pc)) return pin_bytes(number, place, place + 1, pc);
  symbolic_byte_returned(g_state->bytes[number][place], pc);
  g_state->known[number][place] = true;
}

void source_was_looked_at(int fd, long place, long end, std::uint64_t pc) noexcept {
  unsigned number = 0;
  if (place >= 0 && g_state != nullptr && source_of(fd, number) != nullptr) pin_bytes(number, place, end, pc);
}

}  // namespace treadle
