// SPDX-License-Identifier: Apache-2.0
#include "explore/checkpoint.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <filesystem>

#include "base/atomic_file.h"
#include "base/bytes.h"
#include "trace/codec.h"
#include "trace/files.h"

namespace treadle {
namespace {

void put(ByteWriter& out, const Tally& tally) {
  for (const std::uint64_t count :
       {tally.executions, tally.steps, tally.assumption_failed, tally.step_limit, tally.time_limit, tally.memory_limit, tally.diverged})
    out.varint(count);
  for (const bool flag :
       {tally.nondeterministic, tally.weak_atomics, tally.races, tally.opaque_asm, tally.asked_for_input, tally.assumptions_held})
    out.byte(flag);
}

Tally get_tally(ByteReader& in) {
  Tally tally;
  for (std::uint64_t* count : {&tally.executions, &tally.steps, &tally.assumption_failed, &tally.step_limit, &tally.time_limit,
                               &tally.memory_limit, &tally.diverged})
    *count = in.varint();
  for (bool* flag :
       {&tally.nondeterministic, &tally.weak_atomics, &tally.races, &tally.opaque_asm, &tally.asked_for_input, &tally.assumptions_held})
    *flag = in.up_to(1) != 0;
  return tally;
}

void put(ByteWriter& out, const KnownFinding& finding) {
  out.byte(static_cast<std::uint8_t>(finding.kind));
  out.text(finding.message);
  out.text(finding.fingerprint);
  out.varint(finding.execution);
  treadle::put(out, finding.schedule);
}

KnownFinding get_finding(ByteReader& in) {
  KnownFinding finding;
  finding.kind = static_cast<FindingKind>(in.up_to(static_cast<std::uint64_t>(FindingKind::Nondeterminism)));
  finding.message = in.text();
  finding.fingerprint = in.text();
  finding.execution = in.varint();
  finding.schedule = get_schedule(in);
  return finding;
}

void put(ByteWriter& out, const std::set<Outcome>& outcomes) {
  out.varint(outcomes.size());
  for (const Outcome& outcome : outcomes) {
    out.varint(outcome.size());
    for (const auto& [name, value] : outcome) {
      out.text(name);
      out.varint(zigzag(static_cast<std::uint64_t>(value)));
    }
  }
}

std::set<Outcome> get_outcomes(ByteReader& in) {
  std::set<Outcome> outcomes;
  for (std::size_t left = in.count(1); left > 0 && in.ok(); --left) {
    Outcome outcome;
    for (std::size_t values = in.count(2); values > 0 && in.ok(); --values) {
      const std::string name(in.text());
      outcome[name] = static_cast<std::int64_t>(unzigzag(in.varint()));
    }
    outcomes.insert(std::move(outcome));
  }
  return outcomes;
}

/// What differs, in one sentence; nothing: it is the same search.
std::optional<Problem> different(const std::string& folder, const std::vector<Circumstance>& was, const std::vector<Circumstance>& is) {
  const std::string hint = "use another folder, or remove this one to start over";
  if (was.size() != is.size()) return Problem{fmt::format("{} holds a search of another version of Treadle", folder), hint};
  for (std::size_t i = 0; i < is.size(); ++i) {
    if (was[i].name != is[i].name) return Problem{fmt::format("{} holds a search of another version of Treadle", folder), hint};
    if (was[i].value != is[i].value)
      return Problem{fmt::format("{} holds another search: {} was {}, now it is {}", folder, is[i].name, was[i].value, is[i].value), hint};
  }
  return std::nullopt;
}

}  // namespace

std::string encode(const Checkpoint& checkpoint) {
  ByteWriter out;
  out.varint(checkpoint.circumstances.size());
  for (const auto& [name, value] : checkpoint.circumstances) {
    out.text(name);
    out.text(value);
  }
  out.fixed64(std::bit_cast<std::uint64_t>(checkpoint.seconds));
  put(out, checkpoint.tally);
  put(out, checkpoint.outcomes);
  out.varint(checkpoint.findings.size());
  for (const KnownFinding& finding : checkpoint.findings) put(out, finding);
  out.text(checkpoint.strategy);
  return encode_search(out.bytes());
}

Result<Checkpoint> decode_checkpoint(std::string_view bytes, const std::string& name) {
  const auto payload = decode_search(bytes, name);
  if (!payload) return payload.problem();
  ByteReader in(*payload);
  Checkpoint checkpoint;
  for (std::size_t left = in.count(2); left > 0 && in.ok(); --left) {
    std::string what(in.text());
    checkpoint.circumstances.push_back({std::move(what), std::string(in.text())});
  }
  checkpoint.seconds = std::bit_cast<double>(in.fixed64());
  if (!std::isfinite(checkpoint.seconds) || checkpoint.seconds < 0) in.fail();
  checkpoint.tally = get_tally(in);
  checkpoint.outcomes = get_outcomes(in);
  for (std::size_t left = in.count(4); left > 0 && in.ok(); --left) checkpoint.findings.push_back(get_finding(in));
  checkpoint.strategy = in.text();
  if (!in.ok() || !in.at_end()) return Problem{fmt::format("cannot read {}: its contents make no sense", name), "remove it to start over"};
  return checkpoint;
}

Result<CheckpointFolder> CheckpointFolder::open(std::string folder, std::vector<Circumstance> circumstances, Strategy& strategy) {
  std::string untouched = strategy.save();
  if (untouched.empty()) return Problem{"this strategy cannot be resumed", "leave --resume away"};
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error || !std::filesystem::is_directory(folder))
    return Problem{fmt::format("cannot make the folder {}: {}", folder, error ? error.message() : "it is a file"), ""};
  CheckpointFolder opened(std::move(folder), std::move(circumstances));
  if (!std::filesystem::exists(opened.path(), error)) {
    // A folder that cannot be written to is told now, not after an hour.
    Checkpoint nothing;
    nothing.strategy = std::move(untouched);
    if (auto saved = opened.save(std::move(nothing)); !saved) return saved.problem();
    return opened;
  }
  const auto bytes = read_file(opened.path());
  if (!bytes) return bytes.problem();
  auto checkpoint = decode_checkpoint(*bytes, opened.path());
  if (!checkpoint) return checkpoint.problem();
  if (auto problem = different(opened.folder_, checkpoint->circumstances, opened.circumstances_)) return *problem;
  if (!strategy.load(checkpoint->strategy))
    return Problem{fmt::format("cannot read {}: the state of the strategy makes no sense", opened.path()), "remove it to start over"};
  opened.found_ = std::move(*checkpoint);
  return opened;
}

std::optional<Checkpoint> CheckpointFolder::take() {
  auto taken = std::move(found_);
  found_.reset();
  return taken;
}

Result<Done> CheckpointFolder::save(Checkpoint checkpoint) const {
  checkpoint.circumstances = circumstances_;
  return write_file_atomically(path(), encode(checkpoint));
}

}  // namespace treadle
