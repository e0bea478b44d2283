// SPDX-License-Identifier: Apache-2.0
#include "explore/path_lister.h"

#include <algorithm>

#include "abi/branches.h"
#include "base/hash.h"
#include "finding/diagnose.h"
#include "finding/inputs.h"
#include "trace/expression_text.h"
#include "trace/names.h"

namespace treadle {
namespace {

const char* way_of(const Note& note) {
  switch (note.part) {
    case TREADLE_WAY_TRUE:
      return "true";
    case TREADLE_WAY_CASE:
      return "case";
    case TREADLE_WAY_DEFAULT:
      return "default";
    default:
      return "false";
  }
}

/// What came of an operation that can turn out in several ways.
std::string result_of(const Event& event) {
  switch (event.kind) {
    case TREADLE_EV_COND_WOKEN:
      return event.extra == 0 ? "signalled" : event.extra == 1 ? "timed out" : event.extra == 2 ? "spurious" : "cancelled";
    case TREADLE_EV_FUTEX_WOKEN:
      return event.extra != 0 ? "timed out" : event.value == 0 ? "spurious" : "woken";
    case TREADLE_EV_FUTEX_WAKE:
      return "wakes " + std::to_string(event.value);
    case TREADLE_EV_ONCE_BEGIN:
      return event.value == 1 ? "runs it" : "done already";
    case TREADLE_EV_BARRIER_ARRIVE:
      return "arrives";
    case TREADLE_EV_SEM_GETVALUE:
      return "counts " + std::to_string(event.value);
    default:
      return event.extra == 0 ? "succeeds" : "fails";
  }
}

}  // namespace

PathTurn PathLister::described(const PathExecution& execution, const Names& names, const Turn& turn) const {
  const Trace& trace = execution.trace();
  const auto name_of_leaf = [&](const Expression& leaf) {
    const Event& event = trace.events[leaf.a];
    if (leaf.op == TREADLE_OP_INPUT) return event.address < trace.texts.size() ? trace.texts[event.address] : std::string("input");
    return names.object_of(event, leaf.a);
  };
  PathTurn described;
  described.kind = turn.kind;
  described.guards = turn.fails;
  const auto place = [&](std::uint64_t pc) {
    const std::uint64_t pcs[] = {pc};
    described.where = user_frame(symbols_.resolve(pcs));
  };
  if (turn.kind == TurnKind::Result) {
    const std::uint32_t event = execution.units().all[turn.unit].event;
    place(trace.events[event].pc);
    described.way = result_of(trace.events[event]);
    described.condition =
        std::string(text_of(static_cast<EventKind>(trace.events[event].kind))) + " " + names.object_of(trace.events[event], event);
    return described;
  }
  const Note& first = trace.notes[turn.notes.front()];
  place(first.pc);
  if (turn.kind == TurnKind::Branch) described.way = way_of(first);
  ExpressionText expressions(trace, name_of_leaf);
  for (const std::uint32_t note : turn.notes)
    described.condition += (described.condition.empty() ? "" : " && ") + expressions.of(trace.notes[note].expression);
  return described;
}

/// Turns of threads that came there in the same way, and go on in the same way, are one.
PathLister::Keys PathLister::keys_of(const PathExecution& execution) {
  const Trace& trace = execution.trace();
  Keys keys;
  for (std::uint32_t t = 0; t < execution.turns().of_threads().size(); ++t) {
    auto& own = keys.emplace_back();
    for (const Turn& turn : execution.turns().of_threads()[t]) {
      const std::uint64_t pc =
          turn.notes.empty() ? trace.events[execution.units().all[turn.unit].event].pc : trace.notes[turn.notes.front()].pc;
      own.push_back(Hash().add(t).add(turn.label).add(pc).value());
    }
  }
  return keys;
}

std::size_t PathLister::bytes_for(const Keys& keys, const std::vector<InputValue>& inputs) const {
  constexpr std::size_t path = 200, way = 80, number = 26, turn = 300, input = 110;
  std::size_t bytes = path + inputs.size() * input;
  for (const auto& own : keys) {
    bytes += way + own.size() * number;
    for (const std::uint64_t key : own) bytes += known_turns_.contains(key) ? 0 : turn;
  }
  return bytes;
}

std::uint32_t PathLister::number_of(const PathExecution& execution, const Names& names, std::uint64_t key, const Turn& turn) {
  const auto [known, is_new] = known_turns_.try_emplace(key, static_cast<std::uint32_t>(list_.turns.size()));
  if (is_new) list_.turns.push_back(described(execution, names, turn));
  return known->second;
}

const std::vector<std::string>& PathLister::fingerprints_of(const Trace& trace) {
  const auto [known, is_new] = fingerprints_.try_emplace(quick_key(trace));
  if (is_new && known->first != 0)
    for (const Finding& finding : diagnose(trace, symbols_)) known->second.push_back(finding.fingerprint);
  return known->second;
}

void PathLister::add(const Trace& trace, const Schedule& base, std::string witness) {
  if (list_.paths.size() == most_paths) {
    ++list_.left_out;
    return;
  }
  const PathExecution execution(trace, base, 0);
  const Keys keys = keys_of(execution);
  Hash same;
  same.add(static_cast<std::uint64_t>(trace.end.ending));
  for (const auto& own : keys) {
    same.add(own.size());
    for (const std::uint64_t key : own) same.add(key);
  }
  if (!known_.insert(same.value()).second) return;
  ListedPath path;
  path.inputs = inputs_of(trace);
  const std::size_t bytes = bytes_for(keys, path.inputs);
  if (bytes > most_bytes_ - bytes_) {
    ++list_.left_out;
    return;
  }
  bytes_ += bytes;
  const Names names(execution.trace(), &symbols_);  // once: an execution may have as many turns as events
  for (std::uint32_t t = 0; t < keys.size(); ++t) {
    ThreadWay& way = path.threads.emplace_back();
    way.thread = name_of(ThreadId{static_cast<std::uint8_t>(t)}, trace.threads);
    for (std::size_t k = 0; k < keys[t].size(); ++k)
      way.turns.push_back(number_of(execution, names, keys[t][k], execution.turns().of_threads()[t][k]));
  }
  path.witness = std::move(witness);
  path.ended = text_of(trace.end.ending);
  path.counts = ends_a_path(trace);
  path.keys = quick_keys(trace);
  path.fingerprints = fingerprints_of(trace);
  list_.paths.push_back(std::move(path));
}

void PathLister::name_findings(std::span<const Finding* const> findings) {
  for (ListedPath& path : list_.paths) {
    path.findings.clear();
    for (std::uint32_t i = 0; i < findings.size(); ++i)
      if (std::ranges::count(path.keys, findings[i]->key) > 0 || std::ranges::count(path.fingerprints, findings[i]->fingerprint) > 0)
        path.findings.push_back(i);
  }
}

}  // namespace treadle
