// SPDX-License-Identifier: Apache-2.0
#include "reproduce/reproduce.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "base/atomic_file.h"
#include "base/temporary_folder.h"
#include "cli/commands.h"
#include "cli/flags.h"
#include "cli/html.h"
#include "cli/program.h"
#include "cli/recorded_sources.h"
#include "cli/witnesses.h"
#include "cli/words.h"
#include "explore/interrupt.h"
#include "record/recorder.h"
#include "report/json.h"
#include "report/json_parts.h"
#include "report/text.h"
#include "reproduce/core_order.h"
#include "reproduce/read_write.h"
#include "subject/compiler.h"

namespace treadle {

Subcommand describe_reproduce() {
  return {"treadle reproduce [options] RECORDING [PROGRAM|SOURCE...]",
          "Finds a schedule in which every thread takes the way that it took in a recorded run, and which fails as that did. The result\n"
          "is a witness for `treadle replay`. The program is built once more, so that it can be led along the recording: from its\n"
          "sources (those of `treadle record SOURCE...` are known), or by you with `treadle cc --follow`.",
          "Examples:\n"
          "  treadle record --until-fails 1000 queue.c && treadle reproduce .treadle/queue.recording\n"
          "  treadle cc --follow -O2 queue.c -o queue-follow && treadle reproduce crash.recording queue-follow\n"
          "  treadle reproduce --model pso crash.recording queue.c\n"
          "\nExit status: 1 reproduced, 0 no schedule fails in that way, 2 could not be reproduced, 3 a bug in Treadle itself.\n",
          flags_of(Use::Reproduce), "recording"};
}

namespace {

namespace fs = std::filesystem;

constexpr double default_seconds = 60;

bool can_follow(const std::string& program) { return !path_tables_in(program).empty(); }

Result<std::string> compile_to_follow(const std::vector<std::string>& files, const std::string& flags, const Options& options) {
  auto words = split_words(flags);
  if (!words) return Problem{"--cflags: " + words.problem().sentence, ""};
  // As `treadle record` compiles: which blocks there are may depend on it (#ifdef __OPTIMIZE__).
  CompileRequest request{files, {"--follow", "--symbolic", "-O2"}, fs::absolute(options.out).string()};
  request.flags.insert(request.flags.end(), words->begin(), words->end());
  return compile(request);
}

/// The build that can be led along the recording.
Result<std::string> program_for(const Options& options, const std::string& recording) {
  std::vector<std::string> files(options.files.begin() + 1, options.files.end());
  if (files.empty()) {
    auto sources = recorded_sources(recording);
    if (!sources) return sources.problem();
    if (!*sources)
      return Problem{"the recording does not say what its program was compiled from",
                     "name the sources, or a build of them with `treadle cc --follow`"};
    std::error_code error;
    const fs::path here = fs::current_path(error);
    const std::string out = fs::absolute(options.out).string();
    fs::current_path((*sources)->directory, error);
    if (error) return Problem{fmt::format("{} is gone, where the program was compiled", (*sources)->directory), "name the sources"};
    Options there = options;
    there.out = out;
    auto program = compile_to_follow((*sources)->files, options.compiler_flags.empty() ? (*sources)->flags : options.compiler_flags, there);
    fs::current_path(here, error);
    return program;
  }
  for (const std::string& file : files) {
    std::error_code error;
    if (!fs::exists(file, error)) return Problem{fmt::format("there is no file {}", file), ""};
  }
  if (files.size() > 1 || !check_built_with_treadle(files.front())) {
    if (files.size() == 1 && !fs::path(files.front()).has_extension()) {
      if (can_follow(files.front()))
        return Problem{fmt::format("{} is built to be recorded, not to be led along a recording", files.front()),
                       "build it once more with --follow in the place of --record"};
      return check_built_with_treadle(files.front()).problem();
    }
    return compile_to_follow(files, options.compiler_flags, options);
  }
  if (!can_follow(files.front()))
    return Problem{fmt::format("{} cannot be led along a recording", files.front()), "build it with `treadle cc --follow`"};
  return fs::absolute(files.front()).lexically_normal().string();
}

std::string share(const ThreadProgress& thread) {
  const double percent = thread.blocks == 0 ? 100 : 100.0 * static_cast<double>(thread.matched) / static_cast<double>(thread.blocks);
  return fmt::format("{} {:.0f} %", thread.thread, percent);
}

class ProgressLine {
 public:
  ~ProgressLine() {
    if (shown_) fmt::print(stderr, "\r\033[K");
  }
  void show(const Reproduced& so_far, const char* model) {
    const auto now = std::chrono::steady_clock::now();
    if (!is_terminal_ || now - last_ < std::chrono::milliseconds(250)) return;
    last_ = now;
    std::string line = fmt::format("{} runs under {}; on their recorded ways:", so_far.tally.executions, model);
    for (const ThreadProgress& thread : so_far.best.threads) line += " " + share(thread);
    fmt::print(stderr, "\r\033[K{}", line.substr(0, 110));
    std::fflush(stderr);
    shown_ = true;
  }

 private:
  bool is_terminal_ = ::isatty(STDERR_FILENO) == 1, shown_ = false;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

/// Everything that a reproduction runs: the program led along the recording, and left to itself.
struct Stage {
  TemporaryFolder folder{"follow"};
  std::unique_ptr<Subject> following, ordered, free;  // ordered: also by the order on each core; null when that is not known
  ThreadNumbers numbers_following, numbers_ordered, numbers_free;
  std::size_t gates = 0;  // of the order on each core
  std::unique_ptr<Symbols> symbols;
  std::string program;
  SubjectOptions how;
};

Result<Done> prepare(Stage& stage, const Options& options, const RecordedRun& recording, const Ways& ways) {
  if (stage.folder.path.empty()) return Problem{"cannot make a temporary folder", ""};
  const std::string file = (stage.folder.path / "ways").string(), ordered_file = (stage.folder.path / "ordered").string();
  if (auto written = write_file_atomically(file, encode(ways, {})); !written) return written;
  stage.how = options.subject;
  stage.how.program = stage.program;
  stage.how.arguments = recording.begin.arguments;
  if (stage.how.stdin_file.empty() && recording.stdin_bytes) stage.how.stdin_file = fs::absolute(options.files.front() + "/stdin").string();
  SubjectOptions led = stage.how;
  led.follow = file;
  auto following = Subject::start(led);
  if (!following) return following.problem();
  if (stage.gates > 0) {
    if (auto written = write_file_atomically(ordered_file, encode(ways, {.gates = true})); !written) return written;
    led.follow = ordered_file;
    auto ordered = Subject::start(led);
    if (!ordered) return ordered.problem();
    stage.ordered = std::move(*ordered);
  }
  auto free = Subject::start(stage.how);
  if (!free) return free.problem();
  stage.following = std::move(*following);
  stage.free = std::move(*free);
  stage.symbols = symbols_of(*stage.free, stage.program);
  return Done{};
}

/// Constraints on reads and writes, without the order on each core and, if that is known, with it.
struct ReadWriteCounts {
  std::optional<ReadWriteCount> without, with;
};

/// Runs it once more, and every thread tells where it is. What cannot be counted is not told.
ReadWriteCounts count_constraints(const Stage& stage, const Ways& ways, const Reproduced& found) {
  ReadWriteCounts counts;
  const std::string file = (stage.folder.path / "telling").string();
  if (!write_file_atomically(file, encode(ways, {.tells = true}))) return counts;
  SubjectOptions how = stage.how;
  how.follow = file;
  auto subject = Subject::start(how);
  if (!subject) return counts;
  ThreadNumbers numbers;
  SubjectRunner telling(**subject, numbers);
  Recording recording;
  recording.plain = true;
  std::vector<Trace> traces;
  if (!telling.run_batch({found.led}, recording, traces)) return counts;
  counts.without = count_read_write(led_accesses(traces.front(), ways, false), false);
  // Under PSO stores of one core may have changed their places.
  if (stage.gates > 0 && found.led.model != MemoryModel::Pso)
    counts.with = count_read_write(led_accesses(traces.front(), ways, true), true);
  return counts;
}

std::vector<MemoryModel> models_for(const Options& options) {
  if (options.model_chosen) return {options.schedule.model};
  return {MemoryModel::Sc, MemoryModel::Tso};
}

std::string capital(MemoryModel model) {
  std::string text = text_of(model);
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

struct Attempt {
  Reproduced result;
  ReadWriteCounts counts;
  MemoryModel model = MemoryModel::Sc;
  std::vector<MemoryModel> excluded;  // under these no schedule fails as recorded
};

Result<Attempt> look(Stage& stage, const Options& options, const Ways& ways, const RecordedFailure& failure) {
  SubjectRunner following(*stage.following, stage.numbers_following), free(*stage.free, stage.numbers_free);
  std::optional<SubjectRunner> ordered;
  if (stage.ordered) ordered.emplace(*stage.ordered, stage.numbers_ordered);
  const Cast cast{following, ordered ? &*ordered : nullptr, free};
  ProgressLine line;
  Attempt attempt;
  const auto models = models_for(options);
  double left = options.budget.seconds.value_or(default_seconds);
  for (std::size_t i = 0; i < models.size(); ++i) {
    ReproduceOptions how;
    how.schedule = options.schedule;
    how.schedule.model = attempt.model = models[i];
    how.schedule.max_steps = options.budget.steps;
    how.seconds = left / static_cast<double>(models.size() - i);
    how.interrupted = [] { return Interrupt::raised(); };
    auto result =
        reproduce(ways, failure, cast, *stage.symbols, how, [&](const Reproduced& so_far) { line.show(so_far, text_of(models[i])); });
    if (!result) return result.problem();
    attempt.result = std::move(*result);
    left -= attempt.result.seconds;
    if (attempt.result.verdict == ReproduceVerdict::Unreachable) attempt.excluded.push_back(models[i]);
    if (attempt.result.found || Interrupt::raised()) break;
  }
  return attempt;
}

std::string threads_of(const Matched& matched) {
  std::string text;
  for (const ThreadProgress& thread : matched.threads)
    text += fmt::format("    thread {}: {} of {} blocks as recorded{}\n", thread.thread, thread.matched, thread.blocks,
                        thread.left ? ", then another way" : "");
  return text;
}

std::string text_of(const ReadWriteCounts& counts) {
  if (!counts.without) return "";
  std::string text = fmt::format("  read-write constraints of the run: {} for {} reads and {} writes", counts.without->constraints,
                                 counts.without->reads, counts.without->writes);
  if (counts.with)
    text += fmt::format("; {} with the order on each core{}", counts.with->constraints,
                        counts.without->constraints == 0
                            ? ""
                            : fmt::format(", {:.1f} % fewer", 100 - 100.0 * static_cast<double>(counts.with->constraints) /
                                                                        static_cast<double>(counts.without->constraints)));
  return text + "\n";
}

std::string led_threads(const Ways& ways, std::size_t recorded) {
  return ways.threads.size() == recorded ? fmt::format("all {} threads", recorded)
                                         : fmt::format("{} of {} threads", ways.threads.size(), recorded);
}

std::string text_of(const Attempt& attempt, const Ways& ways, std::size_t recorded) {
  const Reproduced& result = attempt.result;
  const std::string runs = fmt::format("{} runs in {:.2f} s", result.tally.executions, result.seconds);
  std::string notes;
  if (result.gates > 0) notes += fmt::format("  the order on each core: {} times one thread behind another\n", result.gates);
  notes += text_of(attempt.counts);
  if (!result.early.empty())
    notes += fmt::format("  thread {} uses freed memory before the recorded end: natively it went on with what was there\n", result.early);
  for (const std::string& note : ways.notes) notes += fmt::format("  note: {}\n", note);
  if (result.found)
    return text_of(*result.found, style_for(STDOUT_FILENO)) +
           fmt::format("\nreproduced under {}: {} on their recorded ways, {}, found by {}\n{}", capital(attempt.model),
                       led_threads(ways, recorded), runs, result.by, notes);
  if (!attempt.excluded.empty() && attempt.excluded.back() == attempt.model) {
    std::string models;
    for (const MemoryModel model : attempt.excluded) models += (models.empty() ? "" : " and ") + capital(model);
    return fmt::format("unreachable under {}: no schedule follows all recorded ways and fails so, {}\n{}{}{}", models, runs,
                       threads_of(result.best), attempt.model == MemoryModel::Pso ? "" : "  --model pso allows more orders of stores\n",
                       notes);
  }
  return fmt::format("not reproduced under {}: {}, {:.0f} % of the recorded blocks matched at best\n{}{}{}", capital(attempt.model), runs,
                     100 * result.best.share(), threads_of(result.best), result.limits.empty() ? "" : fmt::format("  {}\n", result.limits),
                     notes) +
         "  more time (--max-time) may help, and so may a recording of a shorter run, or one by --emulate-pt, which has the order on each "
         "core\n";
}

CheckResult as_check_result(const Attempt& attempt, const Options& options, const Stage& stage) {
  CheckResult result;
  result.search.tally = attempt.result.tally;
  result.search.seconds = attempt.result.seconds;
  if (attempt.result.found) result.search.findings.push_back(*attempt.result.found);
  const bool is_excluded = attempt.result.verdict == ReproduceVerdict::Unreachable;
  result.search.verdict.kind = attempt.result.found ? VerdictKind::Bugs : is_excluded ? VerdictKind::Clean : VerdictKind::Incomplete;
  result.search.verdict.covers = attempt.result.found ? "one schedule that follows the recorded run"
                                 : is_excluded        ? "all schedules that follow the recorded run under " + capital(attempt.model)
                                                      : fmt::format("{} executions only", attempt.result.tally.executions);
  result.program = stage.program;
  result.subject = shell_quoted(options.files.front());
  result.folder = fs::current_path().string();
  result.strategy = "reproduce";
  result.model = attempt.model;
  result.carrier = text_of(stage.following->carrier());
  result.why_fork = stage.following->why_fork();
  result.replay_options = replay_options(options);
  if (options.subject.stdin_file.empty() && !stage.how.stdin_file.empty())
    result.replay_options += " --stdin " + shell_quoted(stage.how.stdin_file);
  return result;
}

/// The result as of any search, and what was counted besides.
std::string json_of(const CheckResult& result, const Attempt& attempt) {
  auto json = nlohmann::ordered_json::parse(json_of(result));
  auto& figures = json["figures"];
  figures["orders_of_cores"] = attempt.result.gates;
  const auto put = [&](const std::optional<ReadWriteCount>& count, const std::string& with) {
    if (!count) return;
    figures["read_write_constraints" + with] = count->constraints;
    figures["read_write_candidates" + with] = count->candidates;
  };
  put(attempt.counts.without, "");
  put(attempt.counts.with, "_with_core_order");
  return dumped(json);
}

int reproduce_recording(const Options& options) {
  const std::string& folder = options.files.front();
  if (!options.arguments.empty()) return could_not({"the program's arguments are part of the recording", ""});
  const auto recording = read_recording(folder);
  if (!recording) return could_not(recording.problem());
  auto failure = failure_of(*recording);
  if (!failure) return could_not(failure.problem());
  Stage stage;
  auto program = program_for(options, folder);
  if (!program) return could_not(program.problem());
  stage.program = fs::absolute(*program).string();
  const auto tables = PathTables::read(path_tables_in(stage.program));
  if (!tables) return could_not(tables.problem());
  const auto processor = processor_flow(folder, *recording);
  if (!processor && has_no_paths(*recording)) return could_not(processor.problem());
  auto ways = ways_of(*recording, *tables, processor && *processor ? &**processor : nullptr);
  if (!ways) return could_not(ways.problem());
  if (ways->threads.empty())
    return could_not({"no thread can be led along this recording: " + ways->notes.back(), "record it without --last, or with more"});
  failure->is_led = failure->thread.empty() || ways->leads(failure->thread);
  if (!processor) ways->notes.push_back(processor.problem().sentence);
  if (processor && *processor && options.core_order) stage.gates = add_core_order(**processor, *recording, *ways);
  if (auto ready = prepare(stage, options, *recording, *ways); !ready) return could_not(ready.problem());
  auto attempt = look(stage, options, *ways, *failure);
  if (!attempt) return could_not(attempt.problem());
  if (attempt->result.found) attempt->counts = count_constraints(stage, *ways, attempt->result);

  std::vector<Finding*> findings;
  if (attempt->result.found) findings.push_back(&attempt->result.found->finding);
  const Origin origin{stage.program, stage.free->binary_hash(), stage.how.arguments, folder};
  if (auto saved = write_witnesses(findings, options.out, origin); !saved) return could_not(saved.problem());
  CheckResult result = as_check_result(*attempt, options, stage);
  if (options.json == "-")
    fmt::print("{}", json_of(result, *attempt));
  else
    fmt::print("{}", text_of(*attempt, *ways, std::max<std::size_t>(recording->threads.size(), recording->status.threads)));
  if (!options.json.empty() && options.json != "-")
    if (auto written = write_file_atomically(options.json, json_of(result, *attempt)); !written) return could_not(written.problem());
  if (!options.html.empty()) {
    SubjectRunner free(*stage.free, stage.numbers_free);
    const HtmlPage page{options.html, stage.program, json_of(result), result.replay_options};
    if (auto written = write_html(page, result.search.findings, &free, *stage.symbols, false); !written)
      return could_not(written.problem());
  }
  if (attempt->result.found) return 1;
  return attempt->result.verdict == ReproduceVerdict::Unreachable ? 0 : 2;
}

}  // namespace

int run_reproduce(std::vector<std::string> words) {
  auto options = parse(describe_reproduce(), std::move(words));
  if (!options) return could_not(options.problem());
  return *options ? reproduce_recording(**options) : 0;
}

}  // namespace treadle
