// SPDX-License-Identifier: Apache-2.0
#include "explore/story.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "explore/telling.h"
#include "trace/happens_before.h"
#include "trace/names.h"
#include "trace/text.h"

namespace treadle {
namespace {

constexpr std::uint64_t cell_bytes = 8;
constexpr std::uint64_t longest_range = 512;  // cells; of a longer one the rest is not looked at

EventKind kind_of(const Event& event) { return static_cast<EventKind>(event.kind); }

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
    case TREADLE_EV_EXCLUSIVE_BEGIN:
    case TREADLE_EV_EXCLUSIVE_END:
    case TREADLE_EV_OPAQUE_ASM:
    case TREADLE_EV_EXIT:
    case TREADLE_EV_FAIL:
      return false;
    default:
      return true;
  }
}

bool only_reads(EventKind kind) { return reads_memory(kind) && !writes_memory(kind); }

template <class Use>
void for_each_cell(const Event& event, Use use) {
  const auto kind = kind_of(event);
  const std::uint64_t bytes = reads_memory(kind) || writes_memory(kind) ? std::max<std::uint64_t>(bytes_of(event), 1) : 1;
  const std::uint64_t first = event.address / cell_bytes;
  const std::uint64_t count = std::min((event.address % cell_bytes + bytes + cell_bytes - 1) / cell_bytes, longest_range);
  for (std::uint64_t cell = first; cell < first + count; ++cell) use(cell);
}

/// What happens before there is a second thread is nobody's interleaving.
std::uint64_t first_create(const Trace& trace) {
  const auto create = std::ranges::find(trace.events, TREADLE_EV_THREAD_CREATE, &Event::kind);
  return static_cast<std::uint64_t>(create - trace.events.begin());
}

/// Memory and objects that more than one thread used, and not only to read, once there were several.
class Shared {
 public:
  explicit Shared(const Trace& trace) {
    for (std::uint64_t i = first_create(trace); i < trace.events.size(); ++i) {
      const Event& event = trace.events[i];
      const auto kind = kind_of(event);
      if (has_object(kind)) for_each_cell(event, [&](std::uint64_t cell) { note(cell, event.thread, !only_reads(kind)); });
    }
    for (const PendingOperation& pending : trace.pending)
      if (has_object(pending.kind)) note(pending.address / cell_bytes, static_cast<std::uint8_t>(index_of(pending.thread)), true);
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

  void note(std::uint64_t cell, std::uint8_t thread, bool changes) {
    Use& use = cells_.try_emplace(cell, Use{thread}).first->second;
    use.by_several |= use.thread != thread;
    use.changed |= changes;
  }

  std::unordered_map<std::uint64_t, Use> cells_;
};

bool matters(const Event& event, const Shared& shared) {
  const auto kind = kind_of(event);
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

// Ranks, the most telling last.
enum { by_the_way, ordinary, on_named_object, at_switch, named_by_finding };

struct Candidate {
  std::uint64_t event;
  int rank;  // see below
  bool kept = true;
};

/// A misuse or a leak is about one object, whoever runs when.
bool is_about_interleaving(FindingKind kind) { return kind != FindingKind::Misuse && kind != FindingKind::Leak; }

/// What the finding names: events, and the addresses of their objects.
struct Named {
  std::unordered_set<std::uint64_t> events, objects;

  Named(const Trace& trace, const Finding& finding) {
    for (const Part& part : finding.parts) {
      if (part.event >= trace.events.size()) continue;
      events.insert(part.event);
      if (has_object(kind_of(trace.events[part.event]))) objects.insert(trace.events[part.event].address);
    }
  }
  bool has_object_of(const Event& event) const { return has_object(kind_of(event)) && objects.contains(event.address); }
};

int rank_of(const Event& event, std::uint64_t number, const Named& named) {
  if (named.events.contains(number)) return named_by_finding;
  if (named.has_object_of(event)) return on_named_object;
  switch (kind_of(event)) {
    case TREADLE_EV_UNLOCK:
    case TREADLE_EV_RWUNLOCK:
    case TREADLE_EV_SPIN_UNLOCK:
    case TREADLE_EV_THREAD_CREATE:
    case TREADLE_EV_THREAD_JOIN:
      return by_the_way;
    default:
      return ordinary;
  }
}

void raise_those_at_switches(const Trace& trace, std::vector<Candidate>& candidates) {
  const auto thread = [&](std::size_t c) { return trace.events[candidates[c].event].thread; };
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const bool switched = (i > 0 && thread(i - 1) != thread(i)) || (i + 1 < candidates.size() && thread(i + 1) != thread(i));
    if (switched) candidates[i].rank = std::max<int>(candidates[i].rank, at_switch);
  }
}

std::vector<Candidate> candidates_of(const Trace& trace, const Finding& finding) {
  const Shared shared(trace);
  const Named named(trace, finding);
  const bool about_interleaving = is_about_interleaving(finding.kind);
  // What comes after a race or a misuse is of no interest; a failure at the end is told to the end.
  const bool to_the_end = named.events.size() < finding.parts.size() || named.events.empty();
  const std::uint64_t end = to_the_end ? trace.events.size() : *std::ranges::max_element(named.events) + 1;
  const std::uint64_t begin = first_create(trace);
  std::vector<Candidate> candidates;
  for (std::uint64_t i = 0; i < end; ++i) {
    const Event& event = trace.events[i];
    const bool telling = named.has_object_of(event) || (about_interleaving && i >= begin && matters(event, shared));
    if (named.events.contains(i) || (telling && !is_trouble(kind_of(event)))) candidates.push_back({i, rank_of(event, i, named)});
  }
  if (about_interleaving) raise_those_at_switches(trace, candidates);
  return candidates;
}

/// The lowest rank goes first, and of one rank the oldest.
void drop_least_telling(std::vector<Candidate>& candidates, std::size_t max_lines) {
  std::size_t left = candidates.size();
  for (int rank = by_the_way; rank < named_by_finding; ++rank)
    for (Candidate& candidate : candidates)
      if (left > max_lines && candidate.rank == rank) candidate.kept = false, --left;
  // A line that says "1 more step" is no shorter than the step.
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const bool alone = (i == 0 || candidates[i - 1].kept) && (i + 1 == candidates.size() || candidates[i + 1].kept);
    if (alone) candidates[i].kept = true;
  }
}

std::string whose_write(const Trace& trace, std::uint64_t read, const ReadsFrom& reads_from, const Symbols& symbols) {
  const Source source = reads_from.of(read);
  if (source.kind == Source::Kind::Initial) return "initial value";
  if (source.kind == Source::Kind::Unknown) return "";
  const Event& write = trace.events[source.event];
  if (write.thread == trace.events[read].thread) return "";
  const std::string place = symbols.place_of(write.pc);
  return "from " + name_of(ThreadId{write.thread}, trace.threads) + (place.empty() ? "" : ", " + place);
}

void add_line(Story& story, StoryLine line) {
  if (!line.thread.empty() && std::ranges::find(story.threads, line.thread) == story.threads.end()) story.threads.push_back(line.thread);
  story.lines.push_back(std::move(line));
}

StoryLine line_of(const Trace& trace, std::uint64_t event, const Names& names, const ReadsFrom& reads_from, const Symbols& symbols) {
  const EventText words = describe(trace, event, names, &symbols);
  StoryLine line{.thread = names.thread(ThreadId{trace.events[event].thread}), .text = words.operation, .place = words.place};
  if (!line.place.empty()) line.where = user_frame(symbols.resolve({&trace.events[event].pc, 1}));
  for (const std::string& word : {words.object, words.value})
    if (!word.empty()) line.text += " " + word;
  if (reads_memory(kind_of(trace.events[event]))) line.from = whose_write(trace, event, reads_from, symbols);
  return line;
}

}  // namespace

std::vector<bool> telling_events(const Trace& trace) {
  const Shared shared(trace);
  std::vector<bool> telling(trace.events.size());
  for (std::uint64_t i = first_create(trace); i < trace.events.size(); ++i) telling[i] = matters(trace.events[i], shared);
  return telling;
}

std::vector<std::uint64_t> events_of_story(const Trace& trace, const Finding& finding, std::size_t max_lines) {
  auto candidates = candidates_of(trace, finding);
  drop_least_telling(candidates, max_lines);
  std::vector<std::uint64_t> events;
  for (const Candidate& candidate : candidates)
    if (candidate.kept) events.push_back(candidate.event);
  return events;
}

Story tell(const Trace& trace, const Finding& finding, const Symbols& symbols, std::size_t max_lines) {
  auto candidates = candidates_of(trace, finding);
  drop_least_telling(candidates, max_lines);
  const Names names(trace, &symbols);
  const ReadsFrom reads_from(trace);
  Story story;
  const auto add = [&](StoryLine line) { add_line(story, std::move(line)); };
  for (const Candidate& candidate : candidates) {
    const std::string thread = name_of(ThreadId{trace.events[candidate.event].thread}, trace.threads);
    if (!candidate.kept) {
      if (story.lines.empty() || story.lines.back().elided == 0) add({.thread = thread});
      StoryLine& gap = story.lines.back();
      if (gap.thread != thread) gap.thread.clear();
      ++gap.elided;
      continue;
    }
    StoryLine line = line_of(trace, candidate.event, names, reads_from, symbols);
    line.key = candidate.rank == named_by_finding;
    add(std::move(line));
  }
  for (const Part& part : finding.parts)
    if (part.event >= trace.events.size())
      add({.thread = part.thread,
           .text = part.does,
           .place = text_of(user_frame(part.where)),
           .where = user_frame(part.where),
           .key = true});
  return story;
}

Story tell_these(const Trace& trace, std::span<const std::uint64_t> events, std::span<const std::uint64_t> key, const Symbols& symbols) {
  const Names names(trace, &symbols);
  const ReadsFrom reads_from(trace);
  Story story;
  for (const std::uint64_t event : events) {
    StoryLine line = line_of(trace, event, names, reads_from, symbols);
    line.key = std::ranges::find(key, event) != key.end();
    add_line(story, std::move(line));
  }
  return story;
}

}  // namespace treadle
