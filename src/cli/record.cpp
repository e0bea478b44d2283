// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>

#include "cli/commands.h"
#include "cli/flags.h"
#include "cli/program.h"
#include "cli/recorded_sources.h"
#include "cli/words.h"
#include "record/pt_hardware.h"
#include "record/recorder.h"
#include "record/recording.h"
#include "subject/compiler.h"

namespace treadle {
namespace {

namespace fs = std::filesystem;

}  // namespace

Subcommand describe_record() {
  return {
      "treadle record [options] PROGRAM|SOURCE... [-- ARGS]",
      "Runs a program natively, with its real threads on all cores, and records the way that each thread takes through it. The program\n"
      "is built with `treadle cc --record`; sources are compiled here.",
      "Examples:\n"
      "  treadle record server.c -- --port 8080\n"
      "  treadle c++ --record -O2 pool.cpp -o pool && treadle record --until-fails 1000 ./pool\n"
      "  treadle show .treadle/pool.recording\n"
      "\nExit status: 0 the program ended by itself, 1 it crashed, failed an assertion or hung, 2 could not be recorded, 3 a bug in "
      "Treadle.\n",
      flags_of(Use::Record), "program"};
}

namespace {

bool names_a_program(const Options& options) { return options.files.size() == 1 && fs::path(options.files.front()).extension().empty(); }

Result<std::string> program_of(const Options& options) {
  if (names_a_program(options)) {
    std::error_code error;
    if (!fs::exists(options.files.front(), error)) return Problem{fmt::format("there is no file {}", options.files.front()), ""};
    return fs::absolute(options.files.front()).lexically_normal().string();
  }
  auto flags = split_words(options.compiler_flags);
  if (!flags) return Problem{"--cflags: " + flags.problem().sentence, ""};
  // Production runs are optimised ones.
  CompileRequest request{options.files, {options.emulate_pt || options.intel_pt ? "--record=both" : "--record", "-O2"}, options.out};
  request.flags.insert(request.flags.end(), flags->begin(), flags->end());
  auto program = compile(request);
  if (!program) return program;
  return fs::absolute(*program).string();
}

/// A name that is not taken: the program's, with a number when need be.
std::string free_name(const std::string& folder, const std::string& program) {
  std::string stem = fs::path(program).filename().string();
  if (const std::size_t dash = stem.rfind('-'); dash != std::string::npos && stem.size() - dash == 17) stem.resize(dash);
  std::string name = fmt::format("{}/{}.recording", folder, stem);
  std::error_code error;
  for (unsigned i = 2; fs::exists(name, error); ++i) name = fmt::format("{}/{}-{}.recording", folder, stem, i);
  return name;
}

struct Recorded {
  std::string folder;
  RecordedRun run;
};

Result<Recorded> record_once(const Options& options, const std::string& program) {
  std::error_code error;
  fs::create_directories(options.out, error);
  const std::string folder = options.recording.empty() ? free_name(options.out, program) : options.recording;
  auto done = record({program, options.arguments, folder, options.subject.stdin_file, options.hang_after, options.last, options.intel_pt,
                      options.emulate_pt});
  if (!done) return done.problem();
  if (!names_a_program(options))
    if (auto kept = keep_sources(folder, options); !kept) return kept.problem();
  auto run = read_recording(folder);
  if (!run) return run.problem();
  return Recorded{folder, std::move(*run)};
}

/// Runs that go well are not kept.
Result<Recorded> record_until_it_fails(const Options& options, const std::string& program) {
  for (std::uint64_t i = 1;; ++i) {
    auto recorded = record_once(options, program);
    if (!recorded || has_failed(recorded->run) || i >= options.until_fails) {
      if (recorded && options.until_fails > 1) fmt::print("run {} of at most {}: ", i, options.until_fails);
      return recorded;
    }
    std::error_code error;
    fs::remove_all(recorded->folder, error);
  }
}

}  // namespace

int run_record(std::vector<std::string> words) {
  auto options = parse(describe_record(), std::move(words));
  if (!options) return could_not(options.problem());
  if (!*options) return 0;
  if ((*options)->intel_pt && (*options)->emulate_pt) return could_not({"--pt and --emulate-pt exclude each other", ""});
  if ((*options)->intel_pt)
    if (const auto there = has_intel_pt(); !there) {
      fmt::print(stderr, "treadle: {}: recording in software only\n", there.problem().sentence);
      (*options)->intel_pt = false;
    }
  const auto program = program_of(**options);
  if (!program) return could_not(program.problem());
  const auto recorded = record_until_it_fails(**options, *program);
  if (!recorded) return could_not(recorded.problem());
  std::uint64_t bytes = 0;
  for (const ThreadStream& thread : recorded->run.threads) bytes += thread.bytes.size();
  fmt::print("{}\n  {} threads, {} bytes of paths: {}\n", ending_of(recorded->run), recorded->run.threads.size(), bytes, recorded->folder);
  for (const std::string& note : recorded->run.notes) fmt::print("  note: {}\n", note);
  return has_failed(recorded->run) ? 1 : 0;
}

}  // namespace treadle
