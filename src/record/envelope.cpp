// SPDX-License-Identifier: Apache-2.0
// The files `begin`, `end` and `pt`: a line that says what they are, a version, the contents and their hash.
#include "base/bytes.h"
#include "base/hash.h"
#include "record/pt_side_band.h"
#include "record/recording.h"

namespace treadle {
namespace {

constexpr std::string_view magic = "treadle recording\n";
enum Kind : std::uint8_t { kBegin = 'b', kEnd = 'e', kPt = 'p' };

Problem cannot_read(const std::string& name, const std::string& why, const std::string& hint = "") {
  return {"cannot read " + name + ": " + why, hint};
}

std::string wrap(Kind kind, const std::string& payload) {
  ByteWriter out;
  out.byte(TREADLE_RECORDING_VERSION);
  out.byte(kind);
  out.fixed64(payload.size());
  out.fixed64(Hash{}.add(kind).add(payload).value());
  return std::string(magic) + out.bytes() + payload;
}

Result<std::string_view> unwrap(Kind kind, std::string_view bytes, const std::string& name) {
  if (bytes.empty()) return cannot_read(name, "it is empty", "the disk may have been full");
  if (bytes.substr(0, magic.size()) != magic.substr(0, bytes.size())) return cannot_read(name, "it is not part of a recording");
  if (bytes.size() <= magic.size()) return cannot_read(name, "it is cut short");
  ByteReader in(bytes.substr(magic.size()));
  const std::uint8_t version = in.byte(), found = in.byte();
  const std::uint64_t size = in.fixed64(), hash = in.fixed64();
  if (version > TREADLE_RECORDING_VERSION)
    return cannot_read(name, "it was written by a newer Treadle (recording format " + std::to_string(version) + ")",
                       "use that version to read it");
  if (!in.ok() || in.left() < size) return cannot_read(name, "it is cut short");
  const std::string_view payload = bytes.substr(bytes.size() - in.left());
  if (version == 0 || in.left() != size || hash != Hash{}.add(found).add(payload).value()) return cannot_read(name, "it is damaged");
  if (found != kind) return cannot_read(name, "it is another part of a recording");
  return payload;
}

void put(ByteWriter& out, const std::vector<std::string>& list) {
  out.varint(list.size());
  for (const std::string& text : list) out.text(text);
}

std::vector<std::string> get_list(ByteReader& in) {
  std::vector<std::string> list(in.count(1));
  for (std::string& text : list) text = in.text();
  return list;
}

}  // namespace

std::string encode(const RecordingBegin& begin) {
  ByteWriter out;
  out.text(begin.program);
  out.fixed64(begin.binary_hash);
  out.text(begin.build_id);
  put(out, begin.arguments);
  put(out, begin.environment);
  out.text(begin.directory);
  out.text(begin.machine);
  out.text(begin.backend);
  out.varint(begin.started);
  return wrap(kBegin, out.bytes());
}

Result<RecordingBegin> decode_begin(std::string_view bytes, const std::string& name) {
  auto payload = unwrap(kBegin, bytes, name);
  if (!payload) return payload.problem();
  ByteReader in(*payload);
  RecordingBegin begin;
  begin.program = in.text();
  begin.binary_hash = in.fixed64();
  begin.build_id = in.text();
  begin.arguments = get_list(in);
  begin.environment = get_list(in);
  begin.directory = in.text();
  begin.machine = in.text();
  begin.backend = in.text();
  begin.started = in.varint();
  if (!in.ok() || !in.at_end()) return cannot_read(name, "its contents make no sense");
  return begin;
}

std::string encode(const RecordingEnd& end) {
  ByteWriter out;
  out.byte(static_cast<std::uint8_t>(end.how));
  out.varint(zigzag(static_cast<std::uint64_t>(std::int64_t{end.code})));
  out.varint(end.milliseconds);
  out.varint(end.processor_microseconds);
  out.varint(end.hung.size());
  for (const HungThread& thread : end.hung) {
    out.varint(thread.tid);
    out.varint(thread.pc);
    out.text(thread.doing);
  }
  return wrap(kEnd, out.bytes());
}

Result<RecordingEnd> decode_end(std::string_view bytes, const std::string& name) {
  auto payload = unwrap(kEnd, bytes, name);
  if (!payload) return payload.problem();
  ByteReader in(*payload);
  RecordingEnd end;
  const std::uint8_t how = in.byte();
  if (how > static_cast<std::uint8_t>(RunEnd::Hang)) in.fail();
  end.how = static_cast<RunEnd>(how);
  end.code = static_cast<std::int32_t>(unzigzag(in.up_to(UINT32_MAX)));
  end.milliseconds = in.varint();
  end.processor_microseconds = in.varint();
  end.hung.resize(in.count(3));
  for (HungThread& thread : end.hung) {
    thread.tid = static_cast<std::uint32_t>(in.up_to(UINT32_MAX));
    thread.pc = in.varint();
    thread.doing = in.text();
  }
  if (!in.ok() || !in.at_end()) return cannot_read(name, "its contents make no sense");
  return end;
}

std::string encode(const PtSideBand& side_band) {
  ByteWriter out;
  out.varint(side_band.cores);
  out.varint(side_band.code.size());
  for (const PtSideBand::Code& code : side_band.code) {
    out.text(code.path);
    for (std::uint64_t value : {code.offset, code.size, code.address}) out.varint(value);
  }
  out.varint(side_band.switches.size());
  for (const PtSideBand::Switch& change : side_band.switches) {
    out.varint(change.core);
    out.varint(change.tid);
    out.varint(change.time);
  }
  out.varint(side_band.bytes.size());
  for (const std::uint64_t bytes : side_band.bytes) out.varint(bytes);
  return wrap(kPt, out.bytes());
}

Result<PtSideBand> decode_side_band(std::string_view bytes, const std::string& name) {
  auto payload = unwrap(kPt, bytes, name);
  if (!payload) return payload.problem();
  ByteReader in(*payload);
  PtSideBand side_band;
  side_band.cores = static_cast<std::uint32_t>(in.up_to(4096));
  side_band.code.resize(in.count(4));
  for (PtSideBand::Code& code : side_band.code) {
    code.path = in.text();
    code.offset = in.varint();
    code.size = in.varint();
    code.address = in.varint();
  }
  side_band.switches.resize(in.count(3));
  for (PtSideBand::Switch& change : side_band.switches) {
    change.core = static_cast<std::uint32_t>(in.up_to(4096));
    change.tid = static_cast<std::uint32_t>(in.up_to(UINT32_MAX));
    change.time = in.varint();
  }
  side_band.bytes.resize(in.count(1));
  for (std::uint64_t& bytes : side_band.bytes) bytes = in.varint();
  if (!in.ok() || !in.at_end()) return cannot_read(name, "its contents make no sense");
  return side_band;
}

}  // namespace treadle
