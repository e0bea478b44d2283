// SPDX-License-Identifier: Apache-2.0
#include "explore/story.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "trace/happens_before.h"
#include "trace/names.h"
#include "trace/text.h"

namespace treadle {
namespace {

constexpr std::uint64_t cell_bytes = 8;
constexpr std::uint64_t longest_range = 512;  // cells; of a longer one the rest is not looked at

bool has_object(EventKind kind) {
  switch (kind) {
    case TREADLE_EV_NONE:
    case TREADLE_EV_FENCE:
    case TREADLE_EV_THREAD_CREATE:
    case TREADLE_EV_THREAD_START:
    case TREADLE_EV_THREAD_EXIT:
    case TREADLE_EV_THREAD_JOIN:
    case TREADLE_EV_THREAD_DETACH:
    case TREADLE_EV_THREAD_CANCEL:
    case TREADLE_EV_YIELD:
    case TREADLE_EV_SLEEP:
    case TREADLE_EV_SIGNAL_THREAD:
    case TREADLE_EV_ALLOC:
    case TREADLE_EV_OBSERVE:
    case TREADLE_EV_INPUT:
    case TREADLE_EV_CLOCK:
    case TREADLE_EV_REGION_BEGIN:
    case TREADLE_EV_REGION_END:
    case TREADLE_EV_OPAQUE_ASM:
    case TREADLE_EV_EXIT:
      return false;
    default:
      return true;
  }
}

bool only_reads(EventKind kind) { return reads_memory(kind) && !writes_memory(kind); }

template <class Use>
void for_each_cell(const Event& event, Use use) {
  const auto kind = static_cast<EventKind>(event.kind);
  const std::uint64_t bytes = reads_memory(kind) || writes_memory(kind) ? std::max<std::uint64_t>(bytes_of(event), 1) : 1;
  const std::uint64_t first = event.address / cell_bytes;
  const std::uint64_t count = std::min((event.address % cell_bytes + bytes + cell_bytes - 1) / cell_bytes, longest_range);
  for (std::uint64_t cell = first; cell < first + count; ++cell) use(cell);
}

/// Memory and objects that more than one thread used, and not only to read.
class Shared {
 public:
  explicit Shared(const Trace& trace) {
    for (const Event& event : trace.events) {
      const auto kind = static_cast<EventKind>(event.kind);
      if (!has_object(kind)) continue;
      for_each_cell(event, [&](std::uint64_t cell) {
        Use& use = cells_.try_emplace(cell, Use{event.thread}).first->second;
        use.by_several |= use.thread != event.thread;
        use.changed |= !only_reads(kind);
      });
    }
  }

  bool touched_by(const Event& event) const {
    bool shared = false;
    for_each_cell(event, [&](std::uint64_t cell) {
      const auto use = cells_.find(cell);
      shared |= use != cells_.end() && use->second.by_several && use->second.changed;
    });
    return shared;
  }

 private:
  struct Use {
    std::uint8_t thread;
    bool by_several = false, changed = false;
  };
  std::unordered_map<std::uint64_t, Use> cells_;
};

bool matters(const Event& event, const Shared& shared) {
  const auto kind = static_cast<EventKind>(event.kind);
  if (has_object(kind)) return is_trouble(kind) || shared.touched_by(event);
  switch (kind) {
    case TREADLE_EV_FENCE:
    case TREADLE_EV_THREAD_CREATE:
    case TREADLE_EV_THREAD_JOIN:
    case TREADLE_EV_THREAD_DETACH:
    case TREADLE_EV_THREAD_CANCEL:
    case TREADLE_EV_SIGNAL_THREAD:
    case TREADLE_EV_OBSERVE:
    case TREADLE_EV_INPUT:
    case TREADLE_EV_EXIT:
      return true;
    default:
      return false;
  }
}

struct Candidate {
  std::uint64_t event;
  int rank;  // 3 named by the finding, 2 at a switch, 1 on an object the finding names, 0 the rest
  bool kept = true;
};

std::vector<Candidate> candidates_of(const Trace& trace, const Finding& finding) {
  const Shared shared(trace);
  std::unordered_set<std::uint64_t> named, objects;
  for (const Part& part : finding.parts) {
    if (part.event >= trace.events.size()) continue;
    named.insert(part.event);
    if (has_object(static_cast<EventKind>(trace.events[part.event].kind))) objects.insert(trace.events[part.event].address);
  }
  std::vector<Candidate> candidates;
  for (std::uint64_t i = 0; i < trace.events.size(); ++i) {
    const Event& event = trace.events[i];
    if (named.contains(i))
      candidates.push_back({i, 3});
    else if (matters(event, shared) && !is_trouble(static_cast<EventKind>(event.kind)))
      candidates.push_back({i, objects.contains(event.address) && has_object(static_cast<EventKind>(event.kind)) ? 1 : 0});
  }
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const auto thread = [&](std::size_t c) { return trace.events[candidates[c].event].thread; };
    const bool switched = (i > 0 && thread(i - 1) != thread(i)) || (i + 1 < candidates.size() && thread(i + 1) != thread(i));
    if (switched) candidates[i].rank = std::max(candidates[i].rank, 2);
  }
  return candidates;
}

/// The lowest rank goes first, and of one rank the oldest.
void drop_least_telling(std::vector<Candidate>& candidates, std::size_t max_lines) {
  std::size_t left = candidates.size();
  for (int rank = 0; rank <= 2; ++rank)
    for (Candidate& candidate : candidates)
      if (left > max_lines && candidate.rank == rank) candidate.kept = false, --left;
}

std::string whose_write(const Trace& trace, std::uint64_t read, const ReadsFrom& reads_from, const Symbols& symbols) {
  const Source source = reads_from.of(read);
  if (source.kind == Source::Kind::Initial) return "initial value";
  if (source.kind == Source::Kind::Unknown) return "";
  const Event& write = trace.events[source.event];
  if (write.thread == trace.events[read].thread) return "";
  const std::string place = symbols.place_of(write.pc);
  return name_of(ThreadId{write.thread}, trace.threads) + (place.empty() ? "" : ", " + place);
}

}  // namespace

Story tell(const Trace& trace, const Finding& finding, const Symbols& symbols, std::size_t max_lines) {
  auto candidates = candidates_of(trace, finding);
  drop_least_telling(candidates, max_lines);
  const Names names(trace, &symbols);
  const ReadsFrom reads_from(trace);
  Story story;
  const auto add = [&](StoryLine line) {
    if (!line.thread.empty() && std::ranges::find(story.threads, line.thread) == story.threads.end()) story.threads.push_back(line.thread);
    story.lines.push_back(std::move(line));
  };
  for (const Candidate& candidate : candidates) {
    const std::string thread = name_of(ThreadId{trace.events[candidate.event].thread}, trace.threads);
    if (!candidate.kept) {
      if (story.lines.empty() || story.lines.back().elided == 0) add({.thread = thread});
      StoryLine& gap = story.lines.back();
      if (gap.thread != thread) gap.thread.clear();
      ++gap.elided;
      continue;
    }
    const EventText words = describe(trace, candidate.event, names, &symbols);
    StoryLine line{.thread = thread, .text = words.operation, .place = words.place, .key = candidate.rank == 3};
    for (const std::string& word : {words.object, words.value})
      if (!word.empty()) line.text += " " + word;
    if (reads_memory(static_cast<EventKind>(trace.events[candidate.event].kind)))
      line.from = whose_write(trace, candidate.event, reads_from, symbols);
    add(std::move(line));
  }
  for (const Part& part : finding.parts)
    if (part.event >= trace.events.size())
      add({.thread = part.thread, .text = part.does, .place = text_of(user_frame(part.where)), .key = true});
  return story;
}

}  // namespace treadle
