// SPDX-License-Identifier: Apache-2.0
#include "trace/files.h"

#include <zstd.h>

#include <memory>

#include "base/atomic_file.h"
#include "base/check.h"
#include "base/hash.h"
#include "trace/codec.h"

namespace treadle {
namespace {

constexpr std::string_view kMagic = "TREADLE\n";
constexpr std::uint8_t kVersion = 6;  // 1: numbered the kinds of events differently; 2: no expressions; 3: witnesses without essence; 4:
                                      // exit status did not matter; 5: inputs in the order in which they were asked for, whoever asked
constexpr std::size_t kHeaderBytes = 8 + 1 + 1 + 8 + 8 + 8;
constexpr std::uint64_t kMostBytes = 1ull << 32;  // what a few bytes may unfold to

struct Envelope {
  FileKind kind;
  std::string payload;
};

Problem cannot_read(const std::string& name, const std::string& why, const std::string& hint = "") {
  return {"cannot read " + name + ": " + why, hint};
}

std::uint64_t hash_of_file(std::uint8_t version, std::uint8_t kind, std::uint64_t size, std::string_view packed) {
  return Hash{}.add(version).add(kind).add(size).add(packed).value();
}

std::string wrap(FileKind kind, const std::string& payload) {
  std::string packed(ZSTD_compressBound(payload.size()), '\0');
  const std::size_t size = ZSTD_compress(packed.data(), packed.size(), payload.data(), payload.size(), ZSTD_CLEVEL_DEFAULT);
  check(ZSTD_isError(size) == 0, "zstd compresses anything into a buffer of the size it asked for");
  packed.resize(size);

  ByteWriter header;
  header.byte(kVersion);
  header.byte(static_cast<std::uint8_t>(kind));
  header.fixed64(payload.size());
  header.fixed64(packed.size());
  header.fixed64(hash_of_file(kVersion, static_cast<std::uint8_t>(kind), payload.size(), packed));
  return std::string(kMagic) + header.bytes() + packed;
}

/// Grows with what is really there, not with what the header claims.
std::string unpack(std::string_view packed, std::uint64_t size) {
  std::string out;
  const std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> stream(ZSTD_createDStream(), &ZSTD_freeDStream);
  std::string part(ZSTD_DStreamOutSize(), '\0');
  ZSTD_inBuffer in{packed.data(), packed.size(), 0};
  for (;;) {
    ZSTD_outBuffer to{part.data(), part.size(), 0};
    const std::size_t more = ZSTD_decompressStream(stream.get(), &to, &in);
    if (ZSTD_isError(more) != 0) return {};
    out.append(part, 0, to.pos);
    if (out.size() > size) return {};
    if (more == 0) return in.pos == in.size ? out : std::string{};
    if (in.pos == in.size && to.pos < to.size) return {};  // the frame goes on, the bytes do not
  }
}

Result<Envelope> unwrap(std::string_view bytes, const std::string& name) {
  const char* const kAgain = "make it again, or fetch an undamaged copy";
  if (bytes.empty()) return cannot_read(name, "it is empty");
  if (bytes.substr(0, kMagic.size()) != kMagic.substr(0, bytes.size()))
    return cannot_read(name, "it is not a file of Treadle's", "Treadle reads the schedules, traces and witnesses that it wrote itself");
  if (bytes.size() <= kMagic.size()) return cannot_read(name, "it is cut short", kAgain);

  ByteReader header(bytes.substr(kMagic.size()));
  const std::uint8_t version = header.byte();
  if (version > kVersion)
    return cannot_read(
        name,
        "it was written by a newer Treadle (format " + std::to_string(version) + ", this one reads up to " + std::to_string(kVersion) + ")",
        "use that version to read it");
  if (version < kVersion && version != 0)
    return cannot_read(name, "it was written by an older Treadle (format " + std::to_string(version) + ")", "make it again with this one");
  const std::uint8_t kind = header.byte();
  const std::uint64_t size = header.fixed64();
  const std::uint64_t packed_size = header.fixed64();
  const std::uint64_t hash = header.fixed64();
  if (!header.ok() || header.left() < packed_size) return cannot_read(name, "it is cut short", kAgain);

  const std::string_view packed = bytes.substr(kHeaderBytes);
  if (packed.size() != packed_size || hash != hash_of_file(version, kind, size, packed) || version == 0)
    return cannot_read(name, "it is damaged", kAgain);
  if (kind < static_cast<std::uint8_t>(FileKind::Schedule) || kind > static_cast<std::uint8_t>(FileKind::Search))
    return cannot_read(name, "it holds something that this Treadle does not know");
  if (size > kMostBytes) return cannot_read(name, "it is too large");

  std::string payload = unpack(packed, size);
  if (payload.size() != size) return cannot_read(name, "it is damaged", kAgain);
  return Envelope{static_cast<FileKind>(kind), std::move(payload)};
}

template <class Value, class Get>
Result<Value> contents(const Envelope& envelope, const std::string& name, Get get) {
  ByteReader in(envelope.payload);
  Value value = get(in);
  if (!in.ok() || !in.at_end()) return cannot_read(name, "its contents make no sense");
  return value;
}

TraceFile get_trace_file(ByteReader& in) {
  TraceFile file;
  file.from = get_witness(in);
  file.trace = get_trace(in);
  return file;
}

template <class Value, class Get>
Result<Value> decode(std::string_view bytes, const std::string& name, FileKind kind, Get get) {
  auto envelope = unwrap(bytes, name);
  if (!envelope) return envelope.problem();
  if (envelope->kind != kind)
    return cannot_read(name, std::string("it is a ") + text_of(envelope->kind) + ", not a " + text_of(kind),
                       "`treadle show " + name + "` prints it");
  return contents<Value>(*envelope, name, get);
}

template <class Value>
Result<Value> read(const std::string& path, Result<Value> (*decode)(std::string_view, const std::string&)) {
  auto bytes = read_file(path, kMostBytes);
  if (!bytes) return bytes.problem();
  return decode(*bytes, path);
}

template <class Value>
Result<AnyFile> any(Result<Value> value) {
  if (!value) return value.problem();
  return AnyFile(std::move(*value));
}

}  // namespace

const char* text_of(FileKind kind) {
  switch (kind) {
    case FileKind::Schedule:
      return "schedule";
    case FileKind::Trace:
      return "trace";
    case FileKind::Witness:
      return "witness";
    case FileKind::Search:
      return "state of a search";
  }
  return "?";
}

std::string encode(const Schedule& schedule) {
  ByteWriter out;
  put(out, schedule);
  return wrap(FileKind::Schedule, out.bytes());
}

std::string encode(const Witness& witness) {
  ByteWriter out;
  put(out, witness);
  return wrap(FileKind::Witness, out.bytes());
}

std::string encode(const Trace& trace, const Witness& from) {
  ByteWriter out;
  put(out, from);
  put(out, trace);
  return wrap(FileKind::Trace, out.bytes());
}

Result<Schedule> decode_schedule(std::string_view bytes, const std::string& name) {
  return decode<Schedule>(bytes, name, FileKind::Schedule, get_schedule);
}

Result<Witness> decode_witness(std::string_view bytes, const std::string& name) {
  return decode<Witness>(bytes, name, FileKind::Witness, get_witness);
}

Result<TraceFile> decode_trace(std::string_view bytes, const std::string& name) {
  return decode<TraceFile>(bytes, name, FileKind::Trace, get_trace_file);
}

std::string encode_search(const std::string& payload) { return wrap(FileKind::Search, payload); }

Result<std::string> decode_search(std::string_view bytes, const std::string& name) {
  auto envelope = unwrap(bytes, name);
  if (!envelope) return envelope.problem();
  if (envelope->kind != FileKind::Search) return cannot_read(name, std::string("it is a ") + text_of(envelope->kind));
  return std::move(envelope->payload);
}

Result<AnyFile> decode_any(std::string_view bytes, const std::string& name) {
  auto envelope = unwrap(bytes, name);
  if (!envelope) return envelope.problem();
  switch (envelope->kind) {
    case FileKind::Schedule:
      return any(contents<Schedule>(*envelope, name, get_schedule));
    case FileKind::Trace:
      return any(contents<TraceFile>(*envelope, name, get_trace_file));
    case FileKind::Witness:
      return any(contents<Witness>(*envelope, name, get_witness));
    case FileKind::Search:
      return cannot_read(name, "it is the state of a search", "`treadle check --resume FOLDER` goes on with it");
  }
  return cannot_read(name, "it holds something that this Treadle does not know");
}

Result<Done> write_schedule(const std::string& path, const Schedule& schedule) { return write_file_atomically(path, encode(schedule)); }
Result<Done> write_witness(const std::string& path, const Witness& witness) { return write_file_atomically(path, encode(witness)); }
Result<Done> write_trace(const std::string& path, const Trace& trace, const Witness& from) {
  return write_file_atomically(path, encode(trace, from));
}

Result<Schedule> read_schedule(const std::string& path) { return read(path, decode_schedule); }
Result<Witness> read_witness(const std::string& path) { return read(path, decode_witness); }
Result<TraceFile> read_trace(const std::string& path) { return read(path, decode_trace); }
Result<AnyFile> read_any(const std::string& path) { return read(path, decode_any); }

}  // namespace treadle
