// SPDX-License-Identifier: Apache-2.0
#include "cli/foresee.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>

#include "base/clock.h"
#include "cli/confirm_violation.h"
#include "cli/two_orders.h"
#include "explore/essence.h"
#include "explore/interrupt.h"
#include "finding/diagnose.h"
#include "finding/verdict.h"
#include "trace/happens_before.h"
#include "trace/plain_steps.h"

namespace treadle {
namespace {

/// How far it is, on one line of the terminal.
class ProgressLine {
 public:
  ProgressLine() : to_terminal_(isatty(STDERR_FILENO) != 0) {}
  ~ProgressLine() {
    if (shown_ > 0) std::fputs("\r\033[K", stderr);
  }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  void say(const std::string& text) {
    if (!to_terminal_ || seconds_now() - shown_ < 0.2) return;
    shown_ = seconds_now();
    fmt::print(stderr, "\r\033[K{}", text);
    std::fflush(stderr);
  }

 private:
  bool to_terminal_;
  double shown_ = 0;
};

PredictionKind class_of(FindingKind kind) {
  switch (kind) {
    case FindingKind::DataRace:
      return PredictionKind::DataRace;
    case FindingKind::Deadlock:
    case FindingKind::LostWakeup:
    case FindingKind::Livelock:
      return PredictionKind::Deadlock;
    case FindingKind::Atomicity:
      return PredictionKind::Atomicity;
    default:
      return PredictionKind::Assertion;
  }
}

FindingKind finding_kind_of(const Prediction& prediction) {
  switch (prediction.kind) {
    case PredictionKind::DataRace:
      return FindingKind::DataRace;
    case PredictionKind::Deadlock:
      return FindingKind::Deadlock;
    case PredictionKind::Atomicity:
      return FindingKind::Atomicity;
    case PredictionKind::Assertion:
      return prediction.guarded == TREADLE_GUARDS_NULL_POINTER ? FindingKind::NullDereference : FindingKind::Assertion;
  }
  return FindingKind::Assertion;
}

/// So many ways to the same bug: of long ones each takes long to replay, and memory.
std::uint32_t worth_trying(std::size_t events) { return events <= 5'000 ? 16 : events <= 50'000 ? 6 : most_of_a_group; }

class Foresight {
 public:
  Foresight(const ForeseeRequest& request, Runner& program, const Symbols& symbols, Trace& trace)
      : request_(request),
        schedule_(request.schedule),
        program_(program),
        symbols_(symbols),
        trace_(trace),
        ledger_(symbols, request.leaks) {}

  Result<PredictResult> go() {
    const Interrupt interrupt;
    const double begin = seconds_now();
    if (auto looked = look_at_run(); !looked) return looked.problem();
    const double asked = seconds_now();
    const Foreseen foreseen = ask();
    result_.seconds_predicting = seconds_now() - asked;
    result_.predictions = foreseen.found.size();
    result_.coverage = foreseen.coverage;
    result_.statistics = foreseen.statistics;
    result_.causal = request_.predict.causal;
    result_.model = request_.schedule.model;
    units_ = units_of(trace_, request_.schedule.model, request_.schedule.races);
    for (const Prediction& prediction : foreseen.found) {
      if (shown_.contains({prediction.kind, prediction.group})) continue;
      progress_.say(fmt::format("replaying prediction {} of {}", ++replayed_, foreseen.found.size()));
      if (Interrupt::raised()) {
        missed_.try_emplace({prediction.kind, prediction.group}, &prediction, "interrupted before it was replayed");
        continue;
      }
      if (auto replayed = replay(prediction); !replayed) return replayed.problem();
    }
    for (auto& [bug, missed] : missed_)
      if (!shown_.contains(bug)) not_seen(*missed.first, std::move(missed.second));
    if (!others_.empty()) result_.note = others();
    result_.executions = ledger_.tally().executions;
    result_.seconds = seconds_now() - begin;
    result_.verdict = conclude();
    return std::move(result_);
  }

 private:
  bool is_wanted(const Finding& finding) const { return request_.predict.wants(class_of(finding.kind)); }

  Result<Done> run_it() {
    Recording recording;
    recording.plain = true;
    recording.leaks = request_.leaks;
    recording.symbolic = request_.symbolic;
    if (auto ran = program_.run(schedule_, recording, trace_); !ran) return ran;
    if (trace_.end.ending == TREADLE_END_DIVERGED)
      return Problem{fmt::format("the schedule cannot be followed beyond its decision number {}", trace_.end.detail),
                     "the program depends on something besides its schedule: its input, its environment, time?"};
    return Done{};
  }

  Result<Done> look_at_run() {
    if (auto ran = run_it(); !ran) return ran;
    if (auto taken = ledger_.take_in(schedule_, trace_, digest(trace_, false), program_); !taken) return taken;
    take_findings(nullptr, trace_);
    if (request_.predict.wants(PredictionKind::Atomicity))
      for (const AtomicityViolation& seen : atomicity_violations(trace_, symbols_, request_.predict.critical_sections))
        if (auto added = add_violation(seen, exactly(schedule_, trace_), nullptr); !added) return added;
    return Done{};
  }

  Foreseen ask() {
    PredictOptions options = request_.predict;
    options.ways = options.ways_to_assertion = worth_trying(trace_.events.size());
    std::uint64_t asked = 0;
    options.keep_asking = [&] {
      progress_.say(fmt::format("{} events, question {}", trace_.events.size(), ++asked));
      return !Interrupt::raised();
    };
    return predict(trace_, options);
  }

  /// What the ledger has learned since.
  void take_findings(const Prediction* prediction, const Trace& trace) {
    for (; taken_ < ledger_.findings().size(); ++taken_) {
      const Found& found = ledger_.findings()[taken_];
      if (is_wanted(found.finding))
        add(found, prediction, trace);
      else
        others_.push_back(fmt::format("{} at {}", text_of(found.finding.kind), place_of(found.finding)));
    }
    for (; taken_unconfirmed_ < ledger_.unconfirmed().size(); ++taken_unconfirmed_) {
      const Finding& finding = ledger_.unconfirmed()[taken_unconfirmed_].finding;
      if (is_wanted(finding))
        result_.unconfirmed.push_back(
            {finding.kind, finding.message, "seen once, but a replay of the same schedule did not show it again", finding.location});
    }
  }

  static std::string place_of(const Finding& finding) {
    const std::string& file = finding.location.file;
    return file.empty() ? "??" : fmt::format("{}:{}", file.substr(file.rfind('/') + 1), finding.location.line);
  }

  /// Failures that were seen and not asked for.
  std::string others() const { return fmt::format("also seen, but not of the kinds asked for (--only): {}", fmt::join(others_, ", ")); }

  void add(Found found, const Prediction* prediction, const Trace& trace) {
    Foretold foretold{std::move(found), std::nullopt};
    if (prediction != nullptr) foretold.orders = two_orders(trace_, *prediction, trace, foretold.found.finding, units_, symbols_);
    result_.findings.push_back(std::move(foretold));
  }

  Result<Done> replay(const Prediction& prediction) {
    const Bug bug{prediction.kind, prediction.group};
    if (request_.predict.causal == Causality::Over) {
      missed_.try_emplace(bug, &prediction, "values were left out of account: it need not be possible");
      return Done{};
    }
    std::string why;
    for (std::vector<Decision>& decisions : ways_to(prediction)) {
      auto reason = replay_by(std::move(decisions), prediction);
      if (!reason) return reason.problem();
      if (reason->empty()) {
        shown_.insert(bug);
        return Done{};
      }
      if (why.empty()) why = *reason;
    }
    missed_.try_emplace(bug, &prediction, why);
    return Done{};
  }

  /// Two accesses that race may come in either order, and in one of them the program may fail before it makes the second.
  static std::vector<std::vector<Decision>> ways_to(const Prediction& prediction) {
    std::vector<std::vector<Decision>> ways{prediction.decisions};
    const std::size_t size = prediction.decisions.size();
    if (prediction.kind == PredictionKind::DataRace && size >= 2 &&
        prediction.decisions[size - 1].thread != prediction.decisions[size - 2].thread) {
      ways.push_back(prediction.decisions);
      std::swap(ways.back()[size - 1], ways.back()[size - 2]);
    }
    return ways;
  }

  /// Why it was not seen; empty: it was.
  Result<std::string> replay_by(std::vector<Decision> decisions, const Prediction& prediction) {
    Schedule schedule = schedule_;
    schedule.prefix = std::move(decisions);
    schedule.policy = Policy::Continue;
    schedule.threads = trace_.threads;
    Trace trace;
    Recording recording;
    recording.plain = true;
    recording.leaks = request_.leaks;
    if (auto ran = program_.run(schedule, recording, trace); !ran) return ran.problem();
    if (trace.end.ending == TREADLE_END_DIVERGED) return fmt::format("the program did not go that way, from step {} on", trace.end.detail);
    if (auto taken = ledger_.take_in(schedule, trace, digest(trace, false), program_); !taken) return taken.problem();
    take_findings(&prediction, trace);
    const auto shown = shows(prediction, schedule, trace);
    if (!shown) return shown.problem();
    return *shown ? std::string() : std::string("the replay did not fail");
  }

  /// Did the replay fail as predicted?
  Result<bool> shows(const Prediction& prediction, const Schedule& schedule, const Trace& trace) {
    switch (prediction.kind) {
      case PredictionKind::DataRace:
        return shows_race(prediction, trace);
      case PredictionKind::Deadlock:
        return std::ranges::any_of(diagnose(trace, symbols_),
                                   [](const Finding& f) { return class_of(f.kind) == PredictionKind::Deadlock; });
      case PredictionKind::Assertion:
        return std::ranges::any_of(diagnose(trace, symbols_), [](const Finding& f) {
          return class_of(f.kind) == PredictionKind::Assertion && f.kind != FindingKind::Misuse && f.kind != FindingKind::Leak;
        });
      case PredictionKind::Atomicity:
        return shows_violation(prediction, schedule, trace);
    }
    return false;
  }

  /// The runtime keeps one place for all that a thread does to a few bytes between two synchronisations: the threads and the bytes tell.
  /// Exactly these bytes: a race on a neighbour would stand for one that nobody gets to see. Of the same two places it says one race.
  bool shows_race(const Prediction& prediction, const Trace& trace) const {
    const Event &first = trace_.events[prediction.events[0]], &second = trace_.events[prediction.events[1]];
    return std::ranges::any_of(trace.events, [&](const Event& e) {
      if (e.kind != TREADLE_EV_RACE) return false;
      const std::set<unsigned> threads{e.thread, static_cast<unsigned>(e.extra >> 8 & 0xff)};
      const auto overlaps = [&](const Event& access) {
        return e.address < access.address + bytes_of(access) && access.address < e.address + std::max<std::uint64_t>(e.size, 1);
      };
      if (std::minmax({e.pc, e.value}) == std::minmax({first.pc, second.pc})) return true;
      return threads == std::set<unsigned>{first.thread, second.thread} && overlaps(first) && overlaps(second);
    });
  }

  Result<bool> shows_violation(const Prediction& prediction, const Schedule& schedule, const Trace& trace) {
    const auto pc = [](const Trace& t, std::uint32_t event) { return t.events[event].pc; };
    bool shown = false;
    for (const AtomicityViolation& seen : atomicity_violations(trace, symbols_, request_.predict.critical_sections)) {
      if (auto added = add_violation(seen, exactly(schedule, trace), &prediction); !added) return added.problem();
      shown |= pc(trace, seen.triple.first) == pc(trace_, prediction.events[0]) &&
               pc(trace, seen.triple.remote) == pc(trace_, prediction.events[1]) &&
               pc(trace, seen.triple.last) == pc(trace_, prediction.events[2]);
    }
    return shown;
  }

  /// Seen once more, with stacks.
  Result<Done> add_violation(const AtomicityViolation& seen, const Schedule& exact, const Prediction* prediction) {
    if (!violations_.insert(seen.finding.fingerprint).second) return Done{};
    Trace again;
    auto confirmed = confirm_violation(seen, exact, program_, symbols_, request_.predict.critical_sections, again);
    if (!confirmed) return confirmed.problem();
    if (*confirmed) {
      Finding& finding = **confirmed;
      violations_.insert(finding.fingerprint);
      finding.execution = ledger_.tally().executions;
      finding.witness.essence = essence_of(again, finding, symbols_, exact.races);
      Story story = tell(again, finding, symbols_);
      add({std::move(finding), std::move(story)}, prediction, again);
      return Done{};
    }
    result_.unconfirmed.push_back({FindingKind::Atomicity, seen.finding.message,
                                   "seen once, but a replay of the same schedule did not show it again", seen.finding.location});
    return Done{};
  }

  void not_seen(const Prediction& prediction, std::string why) {
    std::string places;
    std::set<std::string> known;
    for (const std::uint32_t event : prediction.events) {
      std::string place = symbols_.place_of(trace_.events[event].pc);
      if (place.empty()) place = "??";
      places +=
          fmt::format("{}{} at {}", places.empty() ? "" : ", ", name_of(ThreadId{trace_.events[event].thread}, trace_.threads), place);
    }
    if (prediction.events.empty()) places = symbols_.place_of(prediction.pc);
    const auto& frames = symbols_.frames_at(prediction.pc);
    result_.unconfirmed.push_back({finding_kind_of(prediction), places, std::move(why), user_frame({frames})});
  }

  Verdict conclude() const {
    const bool bounded = std::ranges::any_of(result_.coverage, [](const auto& entry) { return entry.second.context_bound > 0; });
    std::string covers = bounded ? "interleavings of this trace with few switches" : "any interleaving of this trace";
    covers = fmt::format("{} ({} events, {} model, {})", covers, result_.statistics.events, text_of(result_.causal),
                         model_name(schedule_.model));
    bool complete = !Interrupt::raised() && result_.unconfirmed.empty() && request_.predict.causal != Causality::Over &&
                    !is_cut_short(trace_.end.ending);
    std::set<std::string> gaps;
    std::string kinds;
    for (const auto& [kind, coverage] : result_.coverage) {
      kinds += (kinds.empty() ? "" : ", ") + std::string(text_of(kind));
      complete = complete && coverage.complete && coverage.limits.empty();
      if (!coverage.limits.empty()) gaps.insert("not what follows " + coverage.limits);
      if (coverage.context_bound > 0)
        gaps.insert(
            fmt::format("{}: with at most {} switch{}", text_of(kind), coverage.context_bound, coverage.context_bound == 1 ? "" : "es"));
      if (coverage.unanswered > 0) gaps.insert(fmt::format("{}: {} questions without an answer", text_of(kind), coverage.unanswered));
      if (!coverage.complete && coverage.unanswered == 0 && coverage.context_bound == 0)
        gaps.insert(fmt::format("{}: not all candidates were asked about", text_of(kind)));
    }
    if (is_cut_short(trace_.end.ending)) gaps.insert("the run was cut off by a limit");
    if (result_.coverage.size() < 4) covers = kinds + " in " + covers;
    for (const std::string& gap : gaps) covers += "; " + gap;
    const VerdictKind kind = !result_.findings.empty() ? VerdictKind::Bugs : complete ? VerdictKind::Clean : VerdictKind::Incomplete;
    return {kind, covers};
  }

  static const char* model_name(MemoryModel model) { return model == MemoryModel::Sc ? "SC" : model == MemoryModel::Tso ? "TSO" : "PSO"; }

  const ForeseeRequest& request_;
  Schedule schedule_;  // of the run that is looked at
  Runner& program_;
  const Symbols& symbols_;
  Trace& trace_;
  Ledger ledger_;
  Units units_;
  PredictResult result_;
  ProgressLine progress_;
  std::size_t taken_ = 0, taken_unconfirmed_ = 0, replayed_ = 0;
  std::set<std::string> violations_;
  using Bug = std::pair<PredictionKind, std::uint32_t>;  // and its group
  std::set<Bug> shown_;
  std::map<Bug, std::pair<const Prediction*, std::string>> missed_;  // the first of its group, and why it was not seen
  std::vector<std::string> others_;
};

}  // namespace

Result<PredictResult> foresee(const ForeseeRequest& request, Runner& program, const Symbols& symbols, Trace& looked_at) {
  return Foresight(request, program, symbols, looked_at).go();
}

Schedule with_plain_steps(const Schedule& schedule, const Trace& trace) {
  Schedule out = exactly(schedule, trace);
  out.races = Races::Explore;
  out.prefix = decisions_of(with_plain_steps(trace));
  return out;
}

}  // namespace treadle
