// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "cli/commands.h"
#include "cli/flags.h"
#include "cli/program.h"
#include "explore/confirm.h"
#include "explore/essence.h"
#include "explore/minimise.h"
#include "explore/search.h"
#include "explore/strategies.h"
#include "finding/diagnose.h"
#include "report/result.h"
#include "trace/files.h"

namespace treadle {

Subcommand describe_recheck() {
  return {"treadle recheck [options] WITNESS... PROGRAM|SOURCE...",
          "Is the bug of an old witness still there? The program may have been edited and compiled again. Each witness is followed as far "
          "as its\n"
          "order still makes sense; when that does not fail, the schedules are searched. The answer is one of: still fails (with a new\n"
          "witness), fixed (every schedule was covered and none fails like this), cannot tell.",
          "Examples:\n"
          "  treadle recheck .treadle/deadlock-1f3a5c70.witness bank.c\n"
          "  treadle recheck --max-time 5m regressions/*.witness ./pool_test\n"
          "\nExit status: 0 all fixed, 1 some still fail, 2 cannot tell or could not do what was asked, 3 a bug in Treadle itself.\n",
          flags_of(Use::Recheck), "witness and program"};
}

namespace {

enum class Fate { StillFails, Fixed, CannotTell };

struct Rechecked {
  Fate fate = Fate::CannotTell;
  std::string why;  // one sentence
  Finding finding;  // when it still fails
};

class Recheck {
 public:
  Recheck(const Options& options, Subject& subject, const Symbols& symbols)
      : options_(options), symbols_(symbols), runner_(subject, numbers_) {}

  Result<Rechecked> look_at(const Witness& witness) {
    if (witness.essence.kind.empty())
      return Rechecked{Fate::CannotTell, "the witness does not say what matters in it: it is not of `treadle check`", {}};
    auto followed = follow_again(witness);
    if (!followed || followed->fate == Fate::StillFails) return followed;
    return search_for(witness);
  }

 private:
  Schedule common(const Witness& witness) const {
    Schedule schedule = witness.schedule;
    schedule.prefix.clear();
    schedule.threads = {ThreadName{}};
    return schedule;
  }

  Result<Rechecked> follow_again(const Witness& witness) {
    auto schedule = follow(witness.essence, common(witness), runner_, symbols_);
    if (!schedule) return schedule.problem();
    Trace trace;
    Recording recording;
    recording.leaks = options_.leaks;
    if (auto ran = runner_.run(*schedule, recording, trace); !ran) return ran.problem();
    for (const Finding& finding : diagnose(trace, symbols_))
      if (is_same_failure(finding, witness.essence))
        return confirmed(finding, exactly(*schedule, trace), "the order of the witness leads to it again");
    return Rechecked{};
  }

  Result<Rechecked> confirmed(const Finding& finding, const Schedule& schedule, const std::string& why) {
    Trace detailed;
    auto in_full = confirm(finding, schedule, runner_, symbols_, options_.leaks, detailed);
    if (!in_full) return in_full.problem();
    if (!in_full->confirmed) return Rechecked{};
    in_full->witness.essence = essence_of(detailed, *in_full, symbols_, schedule.races);
    return Rechecked{Fate::StillFails, why, *in_full};
  }

  Result<Rechecked> search_for(const Witness& witness) {
    StrategyOptions wish;
    wish.schedule = common(witness);
    wish.schedule.max_steps = options_.budget.steps;
    const auto entry = strategy_for(options_.strategy, wish);
    if (!entry) return entry.problem();
    const auto strategy = (*entry)->make(wish);
    Budget budget = options_.budget;
    if (!budget.seconds && !budget.executions) budget.seconds = 60;
    Runner* const programs[] = {&runner_};
    SearchOptions how;
    how.schedule = wish.schedule;
    how.budget = budget;
    how.leaks = options_.leaks;
    const SearchResult result = search(*strategy, programs, symbols_, how);
    if (result.problem) return *result.problem;
    for (const Found& found : result.findings)
      if (is_same_failure(found.finding, witness.essence)) return Rechecked{Fate::StillFails, "a search found it again", found.finding};
    const std::string others =
        result.findings.empty() ? "" : fmt::format("; there are {} other findings: run `treadle check`", result.findings.size());
    if (is_complete(result)) return Rechecked{Fate::Fixed, fmt::format("unreachable: {}{}", result.verdict.covers, others), {}};
    return Rechecked{Fate::CannotTell, fmt::format("not seen in {}{}", result.verdict.covers, others), {}};
  }

  const Options& options_;
  const Symbols& symbols_;
  ThreadNumbers numbers_;
  SubjectRunner runner_;
};

bool is_witness_file(const std::string& path) { return path.ends_with(".witness"); }

const char* text_of(Fate fate) {
  switch (fate) {
    case Fate::StillFails:
      return "still fails";
    case Fate::Fixed:
      return "fixed";
    case Fate::CannotTell:
      return "cannot tell";
  }
  return "?";
}

int recheck(Options options) {
  std::vector<std::string> witnesses, program_words;
  for (const std::string& file : options.files) (is_witness_file(file) ? witnesses : program_words).push_back(file);
  if (witnesses.empty()) return could_not({"no witness is given", "its name ends in .witness"});
  if (program_words.empty()) return could_not({"no program or source is given", "treadle recheck WITNESS... PROGRAM|SOURCE"});
  options.files = program_words;
  const auto program = program_from(options);
  if (!program) return could_not(program.problem());

  int status = 0;
  for (const std::string& path : witnesses) {
    const auto witness = read_witness(path);
    if (!witness) return could_not(witness.problem());
    SubjectOptions how = options.subject;
    how.program = *program;
    how.arguments = options.arguments.empty() ? witness->arguments : options.arguments;
    how.environment = witness->environment;
    auto subject = Subject::start(how);
    if (!subject) return could_not(subject.problem());
    const auto symbols = symbols_of(**subject, *program);
    const auto result = Recheck(options, **subject, *symbols).look_at(*witness);
    if (!result) return could_not(result.problem());
    fmt::print("{}: {}: {}\n", path, text_of(result->fate), result->why);
    if (result->fate == Fate::StillFails) {
      Witness again = result->finding.witness;
      again.program = *program;
      again.binary_hash = (*subject)->binary_hash();
      again.arguments = how.arguments;
      again.environment = how.environment;
      std::error_code error;
      std::filesystem::create_directories(options.out, error);
      const std::string file = (std::filesystem::path(options.out) / std::filesystem::path(path).filename()).string();
      if (auto written = write_witness(file, again); !written) return could_not(written.problem());
      fmt::print("  {}\n  see it: treadle replay {}\n", result->finding.message, shell_quoted(file));
      status = 1;
    } else if (result->fate == Fate::CannotTell && status == 0) {
      status = 2;
    }
  }
  return status;
}

}  // namespace

int run_recheck(std::vector<std::string> words) {
  auto options = parse(describe_recheck(), std::move(words));
  if (!options) return could_not(options.problem());
  return *options ? recheck(std::move(**options)) : 0;
}

}  // namespace treadle
